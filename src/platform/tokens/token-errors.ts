import { type ErrorCode, type Retry, RollcallError } from '../../core/errors.ts';
import type { Verdict } from './verdict.ts';

/** The commands that may present a configured first token. */
export const seedCommands = 'start, apply, resync, retry, token refresh';

/** Whose tokens they are, in words of the configuration. Names of connections hold no blank; `source people` is a sync's. */
interface Holder {
  readonly name: string;
  readonly issuer: string;
  readonly key: string;
  /** What a person types to have the first token presented. */
  readonly present: string;
}

function holderOf(connection: string): Holder {
  const sync = /^source (.+)$/.exec(connection)?.[1];
  if (sync === undefined) {
    const key = `connections.${connection}.refreshToken`;
    const present = `\`rollcall token refresh ${connection}\``;
    return { name: `connection ${connection}`, issuer: 'the platform', key, present };
  }
  const key = `the refresh token in syncs.${sync}.source`;
  return {
    name: `the source of sync ${sync}`,
    issuer: 'the HR system',
    key,
    present: `\`rollcall source try ${sync}\``,
  };
}

type Failure = Extract<Verdict, { kind: 'fail' }>['why'];

const failures: Record<Failure, { readonly code: ErrorCode; readonly text: (holder: Holder) => string }> = {
  'no-token': {
    code: 'TOKEN_UNAVAILABLE',
    text: ({ name, key }) => `there is no token for ${name}. Put a refresh token in the configuration (${key}).`,
  },
  'seed-not-allowed': {
    code: 'TOKEN_UNAVAILABLE',
    text: ({ name, present }) =>
      `${name} has a refresh token in the configuration that was not exchanged yet, and this command ` +
      `may not do it, because that uses the token up. Run ${present} first; ` +
      'start, apply, resync and retry do it too.',
  },
  reauth: {
    code: 'REAUTH_REQUIRED',
    text: (holder) => `${holder.issuer} no longer accepts the refresh token of ${holder.name}. ${clearing(holder)}`,
  },
  revoked: {
    code: 'TOKEN_REVOKED',
    text: ({ name, present }) =>
      `the token of ${name} was revoked by \`rollcall token revoke\`, so nothing refreshes it by itself. ` +
      `Run ${present}, or put a new refresh token in the configuration.`,
  },
  sealed: {
    code: 'STORE_INVALID',
    text: ({ name, key }) =>
      `the stored token of ${name} cannot be opened with this encryptionKey. ` +
      `Put the key back that it was stored with, or put a new first refresh token in the configuration (${key}).`,
  },
};

/** The error for a pair that cannot be used as it stands. `reason` is what the store remembers about it. */
export function tokenFailure(connection: string, why: Failure, reason: string | undefined): RollcallError {
  const { code, text } = failures[why];
  // What was said of an older token is no reason why a new one was not presented.
  const because = reason === undefined || why === 'seed-not-allowed' ? '' : ` Cause: ${reason}.`;
  return new RollcallError(text(holderOf(connection)) + because, { code });
}

export function howToClear(connection: string): string {
  return clearing(holderOf(connection));
}

function clearing({ issuer, key, present }: Holder): string {
  return (
    `Get a new refresh token from ${issuer} and put it in the configuration (${key}); ` +
    `one of these presents it: ${seedCommands}${present.includes('source try') ? ', source try' : ''}.`
  );
}

/** The error for a token that cannot be had just now. */
export function tokenUnavailable(connection: string, why: string, retry: Retry): RollcallError {
  return new RollcallError(`no token can be had for ${holderOf(connection).name}: ${why}`, {
    code: 'TOKEN_UNAVAILABLE',
    retry,
  });
}
