import type { ReadRequest } from '../../ports/source.ts';
import type { ScimConfig } from './schema.ts';

/** More people than this are cheaper to find by reading everybody. */
const maxLookups = 50;

/** Asked for again with every delta: the server's clock may be behind ours, and writes may show late. */
const overlapMs = 300_000;

/** The attributes that people are looked up by; other fields are found by reading everybody. */
const byField: Readonly<Record<string, string>> = { workEmail: 'emails.value' };

/** `enterprise.department` as SCIM itself calls it: `urn:…:enterprise:2.0:User:department` (RFC 7644, 3.10). */
export function attributePath(path: string, extensions: ScimConfig['extensions']): string {
  const dot = path.indexOf('.');
  const urn = dot < 0 ? undefined : Object.entries(extensions).find(([alias]) => alias === path.slice(0, dot))?.[1];
  return urn === undefined ? path : `${urn}:${path.slice(dot + 1)}`;
}

/** One filter per person asked for; undefined when they are too many, or the field is not one to be looked up by. */
export function pointFilters(
  { field, identifications }: Extract<ReadRequest, { kind: 'point' }>,
  { extensions }: ScimConfig,
): readonly string[] | undefined {
  if (identifications.length > maxLookups || !/^[A-Za-z][\w.$-]*$/.test(field)) return undefined;
  const path = byField[field] ?? attributePath(field, extensions);
  return identifications.map((value) => `${path} eq ${JSON.stringify(value)}`);
}

/** What changed since an instant (ISO 8601). */
export function deltaFilter(since: string): string {
  const from = new Date(Date.parse(since) - overlapMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return `meta.lastModified gt "${from}"`;
}

/** Both filters must hold. */
export function bothFilters(scope: string | undefined, more: string | undefined): string | undefined {
  if (scope === undefined || more === undefined) return scope ?? more;
  return `(${scope}) and (${more})`;
}
