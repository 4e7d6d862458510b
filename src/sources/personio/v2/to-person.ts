import { statusField } from '../../../core/person/lifecycle.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { Fields } from '../../kit/pages.ts';
import { dayOf, type EmploymentStatus, plainDate, wordOf } from '../../kit/status.ts';
import { partnerHeaders, type V2Config } from '../config.ts';
import { employmentStatus } from '../status.ts';
import { type Names, readList } from './list.ts';

/** Result of reading a person's employments. */
export type Employments =
  | { readonly kind: 'read'; readonly list: readonly Fields[]; readonly names: Names }
  /** They were requested but could not be read, so the employment status is unknown. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'not asked' };

/**
 * Builds the record of a person: all fields of Personio; custom attributes under their id and, where no other field
 * has that name, their label; the current employment as `employment`; and `department`, `team`, `office` with id and
 * name. Ids are text, dates plain. What was not read, or is not shown, is absent.
 */
export function toPerson(person: Fields, employments: Employments, today: string): Fields {
  const fields = { ...withCustom(tidy(person)), ...placesOf(employments, today) };
  const employment = employmentStatusOf(fields, employments, today);
  return employment === undefined ? fields : { ...fields, [statusField]: employment };
}

function withCustom(person: Fields): Fields {
  const attributes = Array.isArray(person.custom_attributes) ? person.custom_attributes.filter(isRecord) : [];
  const fields: Record<string, unknown> = { ...person };
  const plainValue = ({ type, value }: Fields) => (wordOf(type) === 'date' ? plainDate(value) : value);
  for (const one of attributes)
    if (typeof one.id === 'string' && Object.hasOwn(one, 'value')) fields[one.id] = plainValue(one);
  for (const one of attributes) {
    const isAlone = attributes.filter(({ label }) => label === one.label).length === 1;
    if (!isAlone || typeof one.label !== 'string' || one.label === '' || !Object.hasOwn(one, 'value')) continue;
    if (!Object.hasOwn(fields, one.label)) fields[one.label] = plainValue(one);
  }
  return fields;
}

function placesOf(employments: Employments, today: string): Fields {
  if (employments.kind !== 'read') return {};
  const primary = primaryEmployment(employments.list.map(tidy), today);
  // Personio also shows no employment where the permission is missing, so an empty list does not prove that there is
  // none.
  if (primary === undefined) return {};
  const { department, team, office } = employments.names;
  return {
    employment: primary,
    ...unitOf('department', primary.org_units, department),
    ...unitOf('team', primary.org_units, team),
    ...(primary.office === undefined ? {} : { office: named(primary.office, office) }),
  };
}

function unitOf(type: string, units: unknown, names: ReadonlyMap<string, string> | undefined): Fields {
  if (units === undefined) return {};
  const unit = Array.isArray(units) ? units.find((one) => isRecord(one) && wordOf(one.type) === type) : undefined;
  return { [type]: named(unit ?? null, names) };
}

/** Returns an id with its name, where the name could be read. */
function named(unit: unknown, names: ReadonlyMap<string, string> | undefined): unknown {
  if (!isRecord(unit)) return null;
  const name = names?.get(String(unit.id));
  return { id: unit.id, ...(name === undefined ? {} : { name }) };
}

/**
 * Returns the status of the current employment, unless it contradicts the person's. Without employments it is the
 * person's own, in which people on leave and future hires are active, too.
 */
function employmentStatusOf(fields: Fields, employments: Employments, today: string): EmploymentStatus | undefined {
  if (employments.kind === 'failed') return 'unknown';
  const { status, employment } = fields;
  if (employments.kind === 'not asked') return employmentStatus({ status, hired: null, left: null }, today);
  if (!isRecord(employment)) return wordOf(status) === 'inactive' ? 'terminated' : 'unknown';
  const { termination } = employment;
  const facts = {
    status: employment.status ?? status,
    hired: employment.employment_start_date,
    left: (isRecord(termination) ? termination.termination_date : null) ?? employment.employment_end_date,
  };
  const derived = employmentStatus(facts, today);
  const isGone = wordOf(facts.status) === 'inactive';
  const contradicts = status !== undefined && (wordOf(status) === 'inactive') !== isGone;
  return contradicts ? 'unknown' : derived;
}

/** Ids as text, dates plain, and one name for the last day, because the documentation has two. */
function tidy(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name === 'last_working_date' && !Object.hasOwn(fields, 'last_working_day') ? 'last_working_day' : name,
    tidyValue(name, value),
  ]);
  return Object.fromEntries(entries);
}

function tidyValue(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => tidyValue(name, one));
  if (isRecord(value)) return tidy(value);
  if (name === 'id' && typeof value === 'number') return String(value);
  return /_date$|_day$/.test(name) ? plainDate(value) : value;
}

const name = 'GET /v2/persons/{id}/employments';

/** Highest number of persons without readable employments before the read fails. */
const maxFailures = 5;

/** Reads employments of persons. Undefined where they could not be read, which makes the read incomplete. */
export function openEmployments(
  config: V2Config,
  client: SourceClient,
): (id: string) => Promise<readonly Fields[] | undefined> {
  const headers = partnerHeaders(config);
  let failures = 0;
  const giveUp = (why: string): undefined => {
    failures += 1;
    if (failures <= maxFailures) return undefined;
    const message = `${name} failed for more than ${maxFailures} persons: ${why}`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  };
  return async (id) => {
    const url = new URL(`/v2/persons/${encodeURIComponent(id)}/employments`, config.url).href;
    try {
      // As a continuation, so that a person deleted since the list was read (404) does not fail the read for good.
      return (await readList(client, { name, url, headers, isContinuation: true })).items.filter(isRecord);
    } catch (error) {
      if (!(error instanceof RollcallError) || error.retry === 'never') throw error;
      return giveUp(error.message);
    }
  };
}

/**
 * Returns the employment that counts on a day: a current one (active or on leave), else a future one (onboarding),
 * else an ended one. Among several, the latest start counts, then Personio's order (newest first).
 */
export function primaryEmployment(employments: readonly Fields[], today: string): Fields | undefined {
  const ranked = employments.map((employment, place) => ({ employment, place, rank: rankOf(employment, today) }));
  ranked.sort(
    (a, b) => a.rank - b.rank || compareText(startOf(b.employment), startOf(a.employment)) || a.place - b.place,
  );
  return ranked[0]?.employment;
}

function rankOf(employment: Fields, today: string): number {
  const status = wordOf(employment.status);
  if (status === 'active' || status === 'leave') return startOf(employment) <= today ? 0 : 1;
  return status === 'onboarding' ? 1 : 2;
}

function startOf({ employment_start_date: start }: Fields): string {
  return typeof start === 'string' ? dayOf(start.slice(0, 10)) : '';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
