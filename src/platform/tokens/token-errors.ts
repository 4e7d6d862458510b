import { type ErrorCode, type Retry, RollcallError } from '../../core/errors.ts';
import type { Verdict } from './verdict.ts';

/** The commands that may present a configured first token. */
export const seedCommands = 'start, apply, resync, retry, token refresh';

type Failure = Extract<Verdict, { kind: 'fail' }>['why'];

const failures: Record<Failure, { readonly code: ErrorCode; readonly text: (connection: string) => string }> = {
  'no-token': {
    code: 'TOKEN_UNAVAILABLE',
    text: (connection) =>
      `there is no token for connection ${connection}. ` +
      `Put a refresh token in the configuration (connections.${connection}.refreshToken).`,
  },
  'seed-not-allowed': {
    code: 'TOKEN_UNAVAILABLE',
    text: (connection) =>
      `connection ${connection} has a refresh token in the configuration that was not exchanged yet, and this command ` +
      `may not do it, because that uses the token up. Run \`rollcall token refresh ${connection}\` first; ` +
      'start, apply, resync and retry do it too.',
  },
  reauth: {
    code: 'REAUTH_REQUIRED',
    text: (connection) =>
      `the platform no longer accepts the refresh token of connection ${connection}. ${howToClear(connection)}`,
  },
  revoked: {
    code: 'TOKEN_REVOKED',
    text: (connection) =>
      `the token of connection ${connection} was revoked by \`rollcall token revoke\`, so nothing refreshes it by itself. ` +
      `Run \`rollcall token refresh ${connection}\`, or put a new refresh token in the configuration.`,
  },
  sealed: {
    code: 'STORE_INVALID',
    text: (connection) =>
      `the stored token of connection ${connection} cannot be opened with this encryptionKey. ` +
      'Use the key it was stored with, or put a new refresh token in the configuration.',
  },
};

/** The error for a pair that cannot be used as it stands. `reason` is what the store remembers about it. */
export function tokenFailure(connection: string, why: Failure, reason: string | undefined): RollcallError {
  const { code, text } = failures[why];
  // What was said of an older token is no reason why a new one was not presented.
  const because = reason === undefined || why === 'seed-not-allowed' ? '' : ` Cause: ${reason}.`;
  return new RollcallError(text(connection) + because, { code });
}

export function howToClear(connection: string): string {
  return (
    'Get a new refresh token from the platform and put it in the configuration ' +
    `(connections.${connection}.refreshToken); one of these presents it: ${seedCommands}.`
  );
}

/** The error for a token that cannot be had just now. */
export function tokenUnavailable(connection: string, why: string, retry: Retry): RollcallError {
  return new RollcallError(`no token can be had for connection ${connection}: ${why}`, {
    code: 'TOKEN_UNAVAILABLE',
    retry,
  });
}
