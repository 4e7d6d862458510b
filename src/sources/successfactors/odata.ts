import { isRecord } from '../../drivers/http/json-text.ts';
import type { Fields } from '../kit/pages.ts';
import { plainDate } from '../kit/status.ts';

/**
 * Converts an entity into plain values: `/Date(ms)/` is a calendar date in UTC, `/Date(ms+0000)/` an instant, the
 * open end of time is null, `{results: […]}` is a list. What was not expanded (`__deferred`) is absent, because it
 * may not be empty.
 */
export function tidy(entity: Fields): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entity)) {
    if (name.startsWith('__')) continue;
    const plain = plainValue(value);
    if (plain !== undefined) fields[name] = plain;
  }
  return fields;
}

function plainValue(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, '__deferred')) return undefined;
  return Array.isArray(value.results) ? value.results.map(plainValue) : tidy(value);
}

function plainText(text: string): unknown {
  const found = /^\/Date\((-?\d+)([+-]\d{4})?\)\/$/.exec(text);
  if (found === null) return text;
  const at = new Date(Number(found[1]));
  if (Number.isNaN(at.getTime())) return null;
  return found[2] === undefined ? plainDate(at.toISOString()) : at.toISOString();
}

/** Returns the entities behind a navigation, in order; undefined where it is not visible. */
export function listAt(entity: Fields | undefined, name: string): readonly Fields[] | undefined {
  const value = entity?.[name];
  if (value === undefined) return undefined;
  if (value === null) return [];
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

/** Returns a value of an entity: blank is null, missing is undefined. */
export function valueAt(entity: Fields | undefined, name: string): unknown {
  const value = entity?.[name];
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

/** Returns a string literal for a query, with its quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
