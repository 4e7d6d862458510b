import { hostOf } from '../../../core/run/addresses.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { given } from '../../../core/run/given.ts';
import { describeNetworkFailure } from '../../../drivers/http/network-failure.ts';

/** The connection broke or could not be opened. Another attempt within the same read may succeed. */
export class Interruption extends RollcallError {
  /** `host`: where no session could be opened, or one broke off. */
  constructor(message: string, cause: unknown, host?: string) {
    const rootCause = host === undefined ? undefined : ({ topic: 'source', subject: host } as const);
    super(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', cause, ...given({ rootCause }) });
  }
}

/** The server is reachable but too slow. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow';
}

/** A folder, pipe, socket or device. */
export class NotRegular extends Error {
  override readonly name = 'NotRegular';
}

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02, 7). */
const status = { noSuchFile: 2, permissionDenied: 3 } as const;

export function isNoSuchFile(error: unknown): boolean {
  return codeOf(error) === status.noSuchFile;
}

/** Returns the operator's error for a transfer error. `name` is the file's. */
export function sftpError(name: string, error: unknown): RollcallError {
  if (error instanceof RollcallError) return error;
  if (error instanceof NotRegular) {
    const message = `${name} is not a file: a folder, pipe or device cannot be read. Set source.sftp.path to the CSV file`;
    return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', cause: error });
  }
  const code = codeOf(error);
  if (code === status.noSuchFile) {
    const message = `${name} is not there: check source.sftp.path, and that the export has run`;
    return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', cause: error });
  }
  if (code === status.permissionDenied) {
    const message = `${name} is not readable for the configured user: ask the administrator of the server for permission to read the file and its folder`;
    return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', cause: error });
  }
  if (error instanceof TooSlow) {
    const message = `${name} could not be read: ${error.message}. Check the server and the network`;
    return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff', cause: error });
  }
  const what = typeof code === 'number' ? `the server answered with status ${code}` : 'the connection broke off';
  const host = typeof code === 'number' ? undefined : hostOf(name);
  return new Interruption(`${name} could not be read: ${what}. Check the server and the network`, error, host);
}

/** Returns the error when no session can be opened. `where` is the server's address. */
export function sessionError(where: string, error: unknown): RollcallError {
  if (error instanceof RollcallError) return error;
  if (isRefusedLogin(error)) {
    const message =
      `${where} refuses the login: check user and password or privateKey, and that the account is not locked. ` +
      'The login is not retried, because some servers lock accounts';
    const rootCause = { topic: 'credential', subject: hostOf(where) } as const;
    return new RollcallError(message, { code: 'SOURCE_REFUSED', cause: error, rootCause });
  }
  const { text } = describeNetworkFailure(error);
  return new Interruption(
    `${where} opened no SFTP session: ${text}. Check the address, the port and the network`,
    error,
    hostOf(where),
  );
}

function isRefusedLogin(error: unknown): boolean {
  return error instanceof Error && 'level' in error && error.level === 'client-authentication';
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
