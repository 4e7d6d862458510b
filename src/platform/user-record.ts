import { type FieldName, fieldTable } from '../core/person/fields.ts';
import { normalText } from '../core/person/text.ts';
import type { User } from '../core/person/user.ts';
import { AnswerInvalid } from '../drivers/http/answer-invalid.ts';
import type { JsonText } from '../drivers/http/json-text.ts';
import { isRecord } from '../drivers/http/json-text.ts';
import { pathValueProblem } from './identification.ts';
import { readPlatformDate } from './platform-date.ts';

/** Text members of a user record that are fields of ours (contract, "User record"). */
const textMembers = ['email', 'firstName', 'lastName', 'area', 'project', 'account'] as const satisfies FieldName[];
const dateMembers = ['orgEntryDate', 'birthDate'] as const satisfies FieldName[];

/** One page of a search. */
export interface UserPage {
  readonly users: readonly User[];
  /** `page.totalElements`; undefined when the platform does not report it. */
  readonly total: number | undefined;
}

/** Reads a search answer. Throws `AnswerInvalid`, which names the place that does not match. */
export function readUserPage(answer: JsonText): UserPage {
  try {
    return toPage(answer.value);
  } catch (error) {
    if (!(error instanceof UnsafeId)) throw error;
    return toPage(answer.exact());
  }
}

/** Reads a single-user answer. Throws `AnswerInvalid`, which names the place that does not match. */
export function readUser(answer: JsonText): User {
  const toUser = (body: unknown): User => readUserRecord(isRecord(body) ? body.result : undefined, 'result');
  try {
    return toUser(answer.value);
  } catch (error) {
    if (!(error instanceof UnsafeId)) throw error;
    return toUser(answer.exact());
  }
}

function toPage(body: unknown): UserPage {
  if (!isRecord(body) || !Array.isArray(body.result)) throw new AnswerInvalid('`result` is not a list');
  const users = body.result.map((record, index) => readUserRecord(record, index));
  const total = isRecord(body.page) ? body.page.totalElements : undefined;
  if (total === undefined || total === null) return { users, total: undefined };
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0) {
    throw new AnswerInvalid('`page.totalElements` is not a count');
  }
  return { users, total };
}

/** An integer beyond 2^53 has already lost digits, so the text must be read again. */
class UnsafeId extends Error {}

/**
 * Reads one user record. Written by hand instead of as a schema, because it checks and converts in one pass. That
 * takes about as long as a schema's check alone, and a scan of a million users runs through here. `place` is an index
 * of `result`, or `result`.
 */
export function readUserRecord(record: unknown, place: number | 'result'): User {
  if (!isRecord(record)) throw invalid(place, 'is not a user record');
  const { enabled } = record;
  const id = readId(record.id);
  const uid = readId(record.uid);
  const identification = readText(record.identification);
  if (id === undefined) throw invalid(place, 'has no id');
  if (identification === undefined) throw invalid(place, `(id ${id}) has no identification`);
  if (typeof enabled !== 'boolean') throw invalid(place, `(id ${id}) has no enabled flag`);
  const { fields, unreadable } = readFields(record);
  const lastUpdate = readText(record.lastUpdate);
  const raw = record.identification;
  const isRaw = typeof raw === 'string' && raw !== identification && pathValueProblem(raw) === undefined;
  return {
    id,
    ...(uid === undefined ? {} : { uid }),
    identification,
    ...(isRaw ? { rawIdentification: raw } : {}),
    enabled,
    fields,
    unreadable,
    ...(lastUpdate === undefined ? {} : { lastUpdate }),
  };
}

const customFieldNames: ReadonlyMap<string, FieldName> = new Map(
  fieldTable.filter(({ name }) => name.startsWith('customField')).map(({ name }) => [name, name]),
);

/** The fields of one record while it is read. */
interface FieldDraft {
  readonly fields: Partial<Record<FieldName, string>>;
  readonly unreadable: string[];
}

function readFields(record: Readonly<Record<string, unknown>>): FieldDraft {
  const draft: FieldDraft = { fields: {}, unreadable: [] };
  for (const name of textMembers) putText(draft, name, record[name]);
  for (const name of dateMembers) putDate(draft, name, record[name]);
  const { office, customFields } = record;
  if (isRecord(office)) putText(draft, 'office', office.name);
  else if (office !== undefined && office !== null) draft.unreadable.push('office');
  if (isRecord(customFields)) {
    for (const key in customFields) {
      const name = customFieldNames.get(key);
      if (name !== undefined) putText(draft, name, customFields[key]);
    }
  }
  return draft;
}

function putText(draft: FieldDraft, name: FieldName, value: unknown): void {
  const text = readText(value);
  if (text !== undefined) draft.fields[name] = text;
  else if (isStrange(value)) draft.unreadable.push(name);
}

function putDate(draft: FieldDraft, name: FieldName, value: unknown): void {
  const text = readText(value);
  const date = text === undefined ? undefined : readPlatformDate(text);
  if (date !== undefined) draft.fields[name] = date;
  else if (text !== undefined || isStrange(value)) draft.unreadable.push(name);
}

/**
 * Returns text, or a number or flag as text. Returns undefined for a missing or blank value, and for a list or
 * object.
 */
function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : normalText(value) || undefined;
  if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new UnsafeId();
    return String(value);
  }
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns whether a value is present but cannot be text: a list or an object. */
function isStrange(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function readId(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : readText(value);
}

function invalid(place: number | 'result', what: string): AnswerInvalid {
  return new AnswerInvalid(typeof place === 'number' ? `result[${place}] ${what}` : `result ${what}`);
}
