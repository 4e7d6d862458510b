import type { ReadRequest } from '../../ports/source.ts';
import { deltaStart } from '../kit/dates.ts';
import type { ScimConfig } from './schema.ts';

/** For more people than this, reading all users needs fewer requests. */
const maxLookups = 50;

/** The attributes that support lookups. For other fields all users are read. */
const byField: Readonly<Record<string, string>> = { workEmail: 'emails.value' };

/**
 * Returns SCIM's name of an attribute (RFC 7644, 3.10): `enterprise.department` is
 * `urn:…:enterprise:2.0:User:department`.
 */
export function attributePath(path: string, extensions: ScimConfig['extensions']): string {
  const dot = path.indexOf('.');
  const urn = dot < 0 ? undefined : Object.entries(extensions).find(([alias]) => alias === path.slice(0, dot))?.[1];
  return urn === undefined ? path : `${urn}:${path.slice(dot + 1)}`;
}

/** Returns one filter per requested person. Undefined when they are too many, or the field does not support lookups. */
export function pointFilters(
  { field, identifications }: Extract<ReadRequest, { kind: 'point' }>,
  { extensions }: ScimConfig,
): readonly string[] | undefined {
  if (identifications.length > maxLookups || !/^[A-Za-z][\w.$-]*$/.test(field)) return undefined;
  const path = byField[field] ?? attributePath(field, extensions);
  return identifications.map((value) => `${path} eq ${JSON.stringify(value)}`);
}

/** Returns the filter for changes since an instant (ISO 8601). */
export function deltaFilter(since: string): string {
  return `meta.lastModified gt "${deltaStart(since).replace(/\.\d+Z$/, 'Z')}"`;
}

/** Combines two filters with `and`. */
export function bothFilters(scope: string | undefined, more: string | undefined): string | undefined {
  if (scope === undefined || more === undefined) return scope ?? more;
  return `(${scope}) and (${more})`;
}
