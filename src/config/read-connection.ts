import type { ConnectionSettings } from './config.ts';
import type { KeyPath } from './key-path.ts';
import type { Report } from './report.ts';
import { type ConnectionInput, connectionShape } from './schema/connection.ts';
import { isMapping, readSection } from './section.ts';

/** What is good of a connection; a key with a fault is undefined. */
export type ConnectionDraft = { readonly [Key in keyof ConnectionInput]?: ConnectionInput[Key] | undefined };

/** Reads `connections.<name>` and reports what is wrong with it. */
export function readConnection(value: unknown, path: KeyPath, report: Report): ConnectionDraft {
  const draft = readSection(connectionShape, value, path, report);
  if (!isMapping(value)) return draft;
  if (draft.baseUrl !== undefined) {
    const fault = addressFault(draft.baseUrl, draft.insecure === true);
    if (fault !== undefined) report.add([...path, 'baseUrl'], fault);
  }
  checkTokens(new Set(Object.keys(value)), path, report);
  return draft;
}

/** Whether tokens of this connection live in the store. */
export function keepsTokens(connection: Readonly<Record<string, unknown>>): boolean {
  return 'refreshToken' in connection || ('applicationToken' in connection && !('accessToken' in connection));
}

function checkTokens(keys: ReadonlySet<string>, path: KeyPath, report: Report): void {
  const at = (key: string): KeyPath => [...path, key];
  if (keys.has('refreshToken') && keys.has('accessToken')) {
    report.addKey(at('accessToken'), 'cannot stand beside refreshToken; keep refreshToken to have tokens renewed');
  }
  if (keys.has('refreshToken') && !keys.has('applicationToken')) {
    report.add(
      at('applicationToken'),
      'is required beside refreshToken; the platform exchanges one only with the other',
    );
  }
  if (!keys.has('refreshToken') && !keys.has('accessToken') && !keys.has('applicationToken')) {
    report.addKey(path, 'has no token; give applicationToken and refreshToken, or a fixed accessToken');
  }
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function addressFault(address: string, isInsecure: boolean): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be an address that begins with https://, such as https://platform.example.com';
  }
  if (url.username !== '' || url.password !== '')
    return 'must not hold a name or password; tokens have keys of their own';
  if (url.search !== '' || url.hash !== '') return 'must end before any ? or #';
  if (/\/(os-api|growth)(\/|$)/.test(url.pathname)) return 'must end before /os-api and /growth; they are added';
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !isInsecure) {
    return 'must begin with https://; http:// is taken on this machine only, or with insecure: true beside it';
  }
  return undefined;
}

/** The connection as everybody else knows it. */
export function connectionSettings(name: string, input: ConnectionInput): ConnectionSettings {
  const { baseUrl, applicationToken, refreshToken, accessToken, limits, dialect } = input;
  return {
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(applicationToken === undefined ? {} : { applicationToken }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(accessToken === undefined ? {} : { accessToken }),
    limits: { requestsPerSecond: limits.requestsPerSecond, concurrency: limits.concurrency, timeoutMs: limits.timeout },
    dialect,
  };
}
