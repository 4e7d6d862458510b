import { type FieldName, fieldTable, type UnreadUser, type User } from '../core/person/fields.ts';
import { existingDate } from '../core/person/plain-date.ts';
import { normalText } from '../core/person/text.ts';
import { given } from '../core/run/given.ts';
import type { MonthLanguage } from '../core/run/settings.ts';
import { AnswerInvalid, isRecord, type JsonText } from '../drivers/http/json-text.ts';
import { pathValueProblem } from './client/operation.ts';

/** Text members of a user record that are fields of ours (contract, "User record"). */
const textMembers = ['email', 'firstName', 'lastName', 'area', 'project', 'account'] as const satisfies FieldName[];
const dateMembers = ['orgEntryDate', 'birthDate'] as const satisfies FieldName[];

export type ShownUser = User | UnreadUser;

export function isRead(shown: ShownUser): shown is User {
  return !('fault' in shown);
}

export interface UserPage {
  /** In the order of the answer. */
  readonly users: readonly ShownUser[];
  /** `page.totalElements`; undefined when the platform does not report it. */
  readonly total: number | undefined;
}

/** So many unreadable records, and no other ones, are no page of users: another address answers, or another version. */
const mostUnread = 3;

/**
 * Reads a search answer. Throws `AnswerInvalid`, which names the place that does not match. A single record that cannot be
 * read is listed beside the others.
 */
export function readUserPage(answer: JsonText, languages: readonly MonthLanguage[]): UserPage {
  try {
    return toPage(answer.value, languages);
  } catch (error) {
    if (!(error instanceof UnsafeId)) throw error;
    return toPage(answer.exact(), languages);
  }
}

/** Reads a single-user answer. Throws `AnswerInvalid` for one without a record. */
export function readUser(answer: JsonText, languages: readonly MonthLanguage[]): ShownUser {
  const toUser = (body: unknown): ShownUser => {
    const record = isRecord(body) ? body.result : undefined;
    if (!isRecord(record)) throw new AnswerInvalid('result is not a user record');
    return readShown(record, languages);
  };
  try {
    return toUser(answer.value);
  } catch (error) {
    if (!(error instanceof UnsafeId)) throw error;
    return toUser(answer.exact());
  }
}

function toPage(body: unknown, languages: readonly MonthLanguage[]): UserPage {
  if (!isRecord(body) || !Array.isArray(body.result)) throw new AnswerInvalid('`result` is not a list');
  const users = body.result.map((record) => readShown(record, languages));
  const [first] = users;
  if (users.length > mostUnread && first !== undefined && 'fault' in first && !users.some(isRead)) {
    throw new AnswerInvalid(`result[0]${first.id === undefined ? '' : ` (id ${first.id})`} ${first.fault}`);
  }
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
 * takes about as long as a schema's check alone, and a scan of a million users runs through here. `languages`: of the
 * names of months.
 */
export function readShown(record: unknown, languages: readonly MonthLanguage[]): ShownUser {
  if (!isRecord(record)) return { fields: {}, fault: 'is not a user record' };
  const { enabled } = record;
  const id = readNumber(record.id);
  const uid = readId(record.uid);
  const identification = readText(record.identification);
  const { fields, unreadable } = readFields(record, languages);
  if (id === undefined || identification === undefined || typeof enabled !== 'boolean') {
    const [fault = ''] = [
      ...(identification === undefined ? ['has no identification'] : []),
      ...(id === undefined ? ['has no id'] : ['has no enabled flag']),
    ];
    return {
      ...given({ id, identification, enabled: typeof enabled === 'boolean' ? enabled : undefined }),
      fields,
      fault,
    };
  }
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

function readFields(record: Readonly<Record<string, unknown>>, languages: readonly MonthLanguage[]): FieldDraft {
  const draft: FieldDraft = { fields: {}, unreadable: [] };
  for (const name of textMembers) putText(draft, name, record[name]);
  for (const name of dateMembers) putDate(draft, name, record[name], languages);
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

function putDate(draft: FieldDraft, name: FieldName, value: unknown, languages: readonly MonthLanguage[]): void {
  const text = readText(value);
  const date = text === undefined ? undefined : readPlatformDate(text, languages);
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

/** The order of a scan is that of its ids (contract: integer), so another text is none. */
function readNumber(value: unknown): string | undefined {
  const id = readId(value);
  return id !== undefined && /^\d+$/.test(id) ? id : undefined;
}

function readId(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : readText(value);
}

const clockTime = String.raw`(?:,?(?: at| a las| às)? \d{1,2}:\d{2}(?::\d{2})?(?:[ \u00a0\u202f]?[ap]\.?[ \u00a0\u202f]?m\.?)?)?`;
/** `Jan 5, 2021 12:00:00 AM`, also with full month names. Newer Java writes U+202F before AM. The time is ignored. */
const monthFirst = new RegExp(String.raw`^(?<name>\p{L}{3,10})\.? (?<day>\d{1,2}),? (?<year>\d{4})${clockTime}$`, 'iu');
/** `5 ene. 2021 0:00:00`, `5 de enero de 2021`, `05-ene-2021`, as other languages order it. */
const dayFirst = new RegExp(
  String.raw`^(?<day>\d{1,2})(?: de |[ -])(?<name>\p{L}{3,10})\.?(?:,? de |,? |-)(?<year>\d{4})${clockTime}$`,
  'iu',
);
/** `2021-01-05`, also as the start of an ISO 8601 instant. The zone is ignored, because it would change the day. */
const isoDate = /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** The names of a month are these and their first three letters. No name means different months in two languages. */
const monthNames: Readonly<Record<MonthLanguage, readonly string[]>> = {
  en: wordsOf('january february march april may june july august september october november december'),
  es: wordsOf('enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'),
  pt: wordsOf('janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'),
};
/** Other names of September, the one month that has them. */
const septembers: Readonly<Record<MonthLanguage, readonly string[]>> = {
  en: ['sept'],
  es: ['sept', 'setiembre', 'set'],
  pt: [],
};

function wordsOf(text: string): readonly string[] {
  return text.split(' ');
}

/**
 * Reads a date as the platform shows it and returns `YYYY-MM-DD`. Returns undefined for an unreadable or impossible
 * date (contract, "User record": the read form "looks like a month-name date with a 12-hour time"). `languages`: of the
 * names of months.
 */
export function readPlatformDate(text: string, languages: readonly MonthLanguage[]): string | undefined {
  const iso = isoDate.exec(text);
  if (iso !== null) return existingDate(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const { name = '', day, year } = (monthFirst.exec(text) ?? dayFirst.exec(text))?.groups ?? {};
  return existingDate(Number(year), monthOf(name.toLowerCase(), languages), Number(day));
}

/** Returns the number of a month, from 1; 0 for a name that is none. */
function monthOf(name: string, languages: readonly MonthLanguage[]): number {
  for (const language of languages) {
    const index = monthNames[language].findIndex((full) => name === full || name === full.slice(0, 3));
    if (index >= 0) return index + 1;
    if (septembers[language].includes(name)) return 9;
  }
  return 0;
}
