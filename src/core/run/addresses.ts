import { RollcallError } from './errors.ts';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether only programs of this machine reach a server that listens there. */
export function isLoopback(host: string): boolean {
  return loopback.test(host.includes(':') ? `[${host}]` : host);
}

/**
 * Returns why an address cannot be that of a platform, or undefined for a usable one. `isInsecure` accepts `http://` for
 * any host; else only for this machine.
 */
export function addressFault(address: string, isInsecure: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an address that begins with https://, such as https://platform.example.com';
  }
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; tokens have keys of their own';
  if (url.search !== '' || url.hash !== '') return 'must not contain ? or #';
  if (/\/(os-api|growth)(\/|$)/.test(url.pathname)) return 'must not contain /os-api or /growth; they are added';
  return plainFault(url, isInsecure);
}

/** Returns why `http://` cannot be used in an address, or undefined. `isInsecure` accepts it for any host. */
export function plainFault({ protocol, hostname }: URL, isInsecure = false): string | undefined {
  return protocol === 'http:' && !loopback.test(hostname) && !isInsecure
    ? 'must begin with https://; http:// is accepted for this machine only, or with insecure: true beside it'
    : undefined;
}

const usualPorts: Readonly<Record<string, string>> = {
  postgres: '5432',
  postgresql: '5432',
  mysql: '3306',
  sftp: '22',
};

/** Returns host and port as one server has them, however its address is written. The address itself has no host: itself. */
export function hostOf(address: string): string {
  const { protocol = '', hostname = '', port = '' } = URL.parse(address) ?? {};
  if (hostname === '') return address;
  const isUsual = port === '' || port === usualPorts[protocol.slice(0, -1)];
  return `${hostname.toLowerCase()}${isUsual ? '' : `:${port}`}`;
}

interface ListenAdvice {
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

/** Returns why a text is no address of an HTTP proxy, without the text, which may hold a password; undefined when it is. */
export function proxyProblem(text: string): string | undefined {
  if (text === 'none') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isProxy = url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '';
  return isProxy && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
    ? undefined
    : 'must be the address of an HTTP proxy, such as http://proxy.example.com:3128 (user:password@ before the host), or none';
}
