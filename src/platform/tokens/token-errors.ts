import { type ErrorCode, type Retry, RollcallError } from '../../core/run/errors.ts';
import type { TokenEntry } from './vault.ts';
import type { Verdict } from './verdict.ts';

/** The commands that may present a configured first token. */
export const seedCommands = 'start, apply, resync, retry, token refresh';

/** Name under which a program's own connection (`connectPlatform`) keeps its tokens. */
export const programTokenName = 'program platform';

/**
 * Names the owner of the tokens in terms of the configuration. Connection names have no blank; `source people` is a
 * sync's source, `program platform` the connection of a program.
 */
export type Holder = ReturnType<typeof holderOf>;

export function holderOf(connection: string) {
  if (connection === programTokenName) {
    const present = '`tokens.refresh()`';
    const key = '`tokens.refreshToken` of connectPlatform';
    const name = 'the connection of this program';
    return {
      name,
      issuer: 'the platform',
      key,
      present,
      confirm: present,
      ways: 'the next call presents it',
      exchange: 'The next call presents it.',
    };
  }
  const ways = `these commands present it: ${seedCommands}`;
  const exchange = `Commands that present it: ${seedCommands}.`;
  const sync = /^source (.+)$/.exec(connection)?.[1];
  if (sync === undefined) {
    const key = `connections.${connection}.refreshToken`;
    const present = `\`rollcall token refresh ${connection}\``;
    return { name: `connection ${connection}`, issuer: 'the platform', key, present, confirm: present, ways, exchange };
  }
  const key = `the refresh token in syncs.${sync}.source`;
  return {
    name: `the source of sync ${sync}`,
    issuer: 'the HR system',
    key,
    /** Command that presents the first token. */
    present: `\`rollcall source try ${sync}\``,
    /** Command that presents a token from a backup. */
    confirm: `\`rollcall source try ${sync} --confirm-restored-token\``,
    /** Every way to present a new first token, as the end of a sentence that names `key`. */
    ways: `${ways}, source try`,
    /** The same, as a sentence of `token status`. */
    exchange,
  };
}

type Failure = Extract<Verdict, { kind: 'fail' }>['why'];

const failures: Record<Failure, { readonly code: ErrorCode; readonly text: (holder: Holder, seen: Seen) => string }> = {
  'no-token': {
    code: 'TOKEN_UNAVAILABLE',
    text: ({ name, key }) => `there is no token for ${name}. Put a refresh token in the configuration (${key}).`,
  },
  'seed-not-allowed': {
    code: 'TOKEN_UNAVAILABLE',
    text: ({ name, present }) =>
      `${name} has a refresh token in the configuration that was not exchanged yet. This command ` +
      `must not do it, because that consumes the token. Run ${present} first; ` +
      'start, apply, resync and retry do it too.',
  },
  reauth: {
    code: 'REAUTH_REQUIRED',
    text: (holder, seen) =>
      `${holder.issuer} no longer accepts the refresh token of ${holder.name}. ${howToClear(holder, seen)}`,
  },
  revoked: {
    code: 'TOKEN_REVOKED',
    text: ({ name, present }) =>
      `the token of ${name} was revoked by \`rollcall token revoke\`, so it is not refreshed automatically. ` +
      `Run ${present}, or put a new refresh token in the configuration.`,
  },
  restored: {
    code: 'TOKEN_RESTORED',
    text: (holder) => `the tokens of ${holder.name} were restored from a backup. ${howToConfirm(holder)}`,
  },
  sealed: {
    code: 'TOKEN_UNAVAILABLE',
    text: ({ name, key }) =>
      `the stored token of ${name} cannot be opened with this encryptionKey. ` +
      `Restore the key that it was sealed with, or put a new first refresh token in the configuration (${key}).`,
  },
};

/** What the store recorded about a pair. */
type Seen = Partial<Pick<TokenEntry, 'reason' | 'attempts' | 'retryAt'>>;

/** Returns the error for a pair that cannot be used. */
export function tokenFailure(connection: string, why: Failure, seen: Seen = {}): RollcallError {
  const { reason } = seen;
  const { code, text } = failures[why];
  // A reason recorded for an older token does not explain why a new one was not presented.
  const because = reason === undefined || why === 'seed-not-allowed' ? '' : ` Cause: ${reason}.`;
  return new RollcallError(text(holderOf(connection), seen) + because, { code });
}

/** Returns the next step for tokens that were restored from a backup. */
export function howToConfirm({ issuer, key, confirm }: Holder): string {
  return (
    `Nothing is presented to ${issuer}, because a newer pair may exist, and a refresh token that was used before can ` +
    `revoke all tokens. Get a new refresh token from ${issuer} and put it in the configuration (${key}). Only if no ` +
    `refresh happened after the backup, run ${confirm} instead.`
  );
}

/** Returns the next step for a refresh token that was refused. One that was refused for good is not presented again. */
export function howToClear({ issuer, key, ways, present }: Holder, { attempts = 0, retryAt }: Seen): string {
  const fresh = `et a new refresh token from ${issuer} and put it in the configuration (${key}); ${ways}.`;
  if (attempts <= 1 && retryAt === undefined) return `G${fresh}`;
  return `Run ${present} first: it presents the token once more. If it is refused again, g${fresh}`;
}

/** Returns the error while the store refuses a granted pair. */
export function storeRefuses(connection: string, cause: unknown): RollcallError {
  return new RollcallError(
    `${holderOf(connection).name} got a new token pair, but the store refuses it, and the pair must not be used before it is stored. ` +
      'Keep this process running and repair the store (disk full, no permission, database unreachable).',
    { code: 'TOKEN_UNAVAILABLE', retry: 'backoff', cause },
  );
}

/** Returns the error for a refresh that was not begun, because its answer might not be storable. */
export function storeHasNoRoom(connection: string, cause: unknown): RollcallError {
  return new RollcallError(
    `the refresh token of ${holderOf(connection).name} was not presented, because the store has no room for the answer. ` +
      'Nothing is lost. Repair the store (disk full, no permission, database unreachable).',
    { code: 'TOKEN_UNAVAILABLE', retry: 'backoff', cause },
  );
}

/** Returns the error while the token endpoint does not answer correctly, and the next presentation is not due. */
export function endpointTrouble(
  connection: string,
  { attempts, reason }: { readonly attempts: number; readonly reason: string | undefined },
  afterMs: number,
): RollcallError {
  const { present } = holderOf(connection);
  const times = attempts === 1 ? 'once' : `${attempts} times in a row`;
  const why =
    `the token endpoint does not answer correctly (${times})${reason === undefined ? '' : `: ${reason}`}. ` +
    `The refresh token is kept, and presented again in ${Math.ceil(afterMs / 1000)} s; ${present} retries immediately`;
  return tokenUnavailable(connection, why, { afterMs });
}

/** Returns the error for a token that is temporarily unavailable. */
export function tokenUnavailable(connection: string, why: string, retry: Retry): RollcallError {
  return new RollcallError(`no token is available for ${holderOf(connection).name}: ${why}`, {
    code: 'TOKEN_UNAVAILABLE',
    retry,
  });
}
