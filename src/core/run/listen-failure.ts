import { RollcallError } from './errors.ts';

export interface ListenAdvice {
  readonly host: string;
  readonly port: number;
  /** What to change when the port cannot be used, such as `set another "server.port"`. */
  readonly otherPort: string;
  readonly otherHost: string;
}

/** Returns `USAGE` for an address on which a server cannot listen; undefined for any other error. */
export function listenFailure(
  error: unknown,
  { host, port, otherPort, otherHost }: ListenAdvice,
): RollcallError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `is in use by another program: ${otherPort}`,
    EACCES: `needs rights that this user does not have: ${otherPort}`,
    EADDRNOTAVAIL: `is not an address of this machine: ${otherHost}`,
    ENOTFOUND: `is not an address of this machine: ${otherHost}`,
  };
  const reason = typeof code === 'string' ? reasons[code] : undefined;
  if (reason === undefined) return undefined;
  return new RollcallError(`the server cannot listen: ${host} port ${port} ${reason}`, { code: 'USAGE', cause: error });
}
