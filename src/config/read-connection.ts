import { addressFault } from '../core/run/addresses.ts';
import { given, isMapping } from '../core/run/given.ts';
import type { ConnectionSettings } from './config.ts';
import type { Report } from './report.ts';
import { readSection } from './section.ts';
import { type ConnectionInput, connectionShape } from './sections/connection.ts';
import type { KeyPath } from './yaml-tree.ts';

/** The valid keys of a connection. A key with a problem is undefined. */
export type ConnectionDraft = { readonly [Key in keyof ConnectionInput]?: ConnectionInput[Key] | undefined };

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

/** Returns whether tokens of this connection are kept in the store. */
export function keepsTokens(connection: Readonly<Record<string, unknown>>): boolean {
  return 'refreshToken' in connection || ('applicationToken' in connection && !('accessToken' in connection));
}

function checkTokens(keys: ReadonlySet<string>, path: KeyPath, report: Report): void {
  const at = (key: string): KeyPath => [...path, key];
  if (keys.has('refreshToken') && keys.has('accessToken')) {
    report.addKey(
      at('accessToken'),
      'cannot be combined with refreshToken; keep refreshToken to have tokens refreshed',
    );
  }
  if (keys.has('refreshToken') && !keys.has('applicationToken')) {
    report.add(
      at('applicationToken'),
      'is required with refreshToken, because the platform exchanges a refresh token only together with it',
    );
  }
  if (!keys.has('refreshToken') && !keys.has('accessToken') && !keys.has('applicationToken')) {
    report.addKey(path, 'has no token; set applicationToken and refreshToken, or a fixed accessToken');
  }
}

/** Returns the connection in the form that all other code uses. `value`: as the file states it. */
export function connectionSettings(name: string, value: unknown, input: ConnectionInput): ConnectionSettings {
  const { baseUrl, insecure: _, limits, dialect, ...rest } = input;
  return {
    ...{ name, baseUrl: baseUrl.replace(/\/+$/, ''), limits, dialect, ...given(rest) },
    writtenDialect: isMapping(value) && isMapping(value.dialect) ? pathsOf(value.dialect) : [],
  };
}

function pathsOf(section: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(section).flatMap(([key, value]) =>
    isMapping(value) ? pathsOf(value).map((path) => `${key}.${path}`) : [key],
  );
}
