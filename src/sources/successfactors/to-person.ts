import { statusField } from '../../core/person/lifecycle.ts';
import type { Fields } from '../kit/pages.ts';
import type { EmploymentStatus } from '../kit/status.ts';
import type { SuccessFactorsConfig } from './config.ts';
import { listAt, tidy, valueAt } from './odata.ts';

type Rules = Pick<SuccessFactorsConfig, 'statusCodes' | 'workEmailTypes'>;

/**
 * Builds a record from one PerPerson entity, with the employment chosen by `chooseEmployment`. Fields of a missing
 * navigation or property are absent. `today` is a plain date.
 */
export function toPerson(entity: Fields, rules: Rules, today: string): Fields {
  const person = tidy(entity);
  const personal = inEffect(listAt(person, 'personalInfoNav') ?? [], today);
  const employments = listAt(person, 'employmentNav') ?? [];
  const employment = chooseEmployment(employments, today);
  const user = listAt(employment, 'userNav')?.[0];
  const job = inEffect(listAt(employment, 'jobInfoNav') ?? [], today);
  const termination = listAt(person, 'personEmpTerminationInfoNav')?.[0];
  const code = statusCode(job, rules);
  const fields: Record<string, unknown> = {
    personIdExternal: valueAt(person, 'personIdExternal'),
    userId: valueAt(employment, 'userId'),
    username: valueAt(user, 'username'),
    firstName: valueAt(personal, 'firstName'),
    lastName: valueAt(personal, 'lastName'),
    preferredName: valueAt(personal, 'preferredName'),
    displayName: valueAt(user, 'defaultFullName'),
    workEmail: workEmail(listAt(person, 'emailNav'), rules),
    phone: phone(listAt(person, 'phoneNav')),
    jobTitle: valueAt(job, 'jobTitle'),
    jobCode: valueAt(job, 'jobCode'),
    department: named(job, 'department'),
    division: named(job, 'division'),
    location: named(job, 'location'),
    company: named(job, 'company'),
    costCenter: named(job, 'costCenter'),
    managerId: manager(valueAt(job, 'managerId')),
    emplStatus: code,
    isContingentWorker: valueAt(employment, 'isContingentWorker'),
    assignmentClass: valueAt(employment, 'assignmentClass'),
    hireDate: valueAt(employment, 'startDate'),
    originalHireDate: valueAt(employment, 'originalStartDate'),
    endDate: valueAt(employment, 'endDate'),
    activeEmploymentsCount: valueAt(termination, 'activeEmploymentsCount'),
    latestTerminationDate: valueAt(termination, 'latestTerminationDate'),
    // Custom fields of the company: `jobInfo.customString5`.
    jobInfo: scalarsOf(job),
    employment: scalarsOf(employment),
    [statusField]: employmentStatus(
      {
        code,
        activeEmployments: termination?.activeEmploymentsCount,
        startDate: employment?.startDate,
        endDate: employment?.endDate,
        isHome: isHome(employment),
        hasBegun: employments.some((one) => isHome(one) && start(one) <= today),
      },
      today,
    ),
  };
  for (const [name, value] of Object.entries(fields)) if (value === undefined) delete fields[name];
  return fields;
}

/** Fields of the record that the status is derived from. */
export const personStatusInputs = ['emplStatus', 'activeEmploymentsCount', 'hireDate', 'endDate', 'assignmentClass'];

/** Fields that every tenant has and grants, if the navigations that hold them are granted. */
export const personFields = [
  'personIdExternal',
  'userId',
  'firstName',
  'lastName',
  'workEmail',
  'jobTitle',
  'emplStatus',
];

/**
 * Returns the code of a picklist id: by its navigation, else by the configuration, else the value itself, if it is no id.
 * Without a code the field is not visible: an id alone says nothing, and a right to the navigation may be withdrawn.
 */
function statusCode(job: Fields | undefined, { statusCodes = {} }: Rules): unknown {
  const id = valueAt(job, 'emplStatus');
  const code = valueAt(listAt(job, 'emplStatusNav')?.[0], 'externalCode');
  return code ?? statusCodes[String(id)] ?? (/^\d+$/.test(String(id)) ? undefined : id);
}

/** Returns the name of a foundation object (`departmentNav`), else its code. */
function named(job: Fields | undefined, name: string): unknown {
  const object = listAt(job, `${name}Nav`)?.[0];
  return valueAt(object, 'name') ?? valueAt(object, 'name_defaultValue') ?? valueAt(job, name);
}

function manager(id: unknown): unknown {
  return id === 'NO_MANAGER' ? null : id;
}

/** Returns the primary work address. Where types are not visible, the primary one of all. */
function workEmail(emails: readonly Fields[] | undefined, { workEmailTypes }: Rules): unknown {
  if (emails === undefined) return undefined;
  const typeOf = (email: Fields): unknown => valueAt(listAt(email, 'emailTypeNav')?.[0], 'externalCode');
  const isWork = (email: Fields): boolean =>
    [typeOf(email), email.emailType].some((type) => workEmailTypes.includes(String(type)));
  const areTypesKnown = emails.some((email) => typeOf(email) !== undefined || isWork(email));
  const meant = areTypesKnown ? emails.filter(isWork) : emails.filter(({ isPrimary }) => isPrimary === true);
  const chosen = meant.find(({ isPrimary }) => isPrimary === true) ?? meant[0];
  return chosen === undefined ? null : valueAt(chosen, 'emailAddress');
}

function phone(phones: readonly Fields[] | undefined): unknown {
  if (phones === undefined) return undefined;
  const chosen = phones.find(({ isPrimary }) => isPrimary === true);
  if (chosen === undefined) return null;
  const country = valueAt(chosen, 'countryCode');
  const parts = [country ? `+${String(country).replace(/^\+/, '')}` : null, chosen.areaCode, chosen.phoneNumber];
  const text = parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  return text === '' ? null : text;
}

function scalarsOf(entity: Fields | undefined): Fields | undefined {
  if (entity === undefined) return undefined;
  return Object.fromEntries(Object.entries(entity).filter(([, value]) => typeof value !== 'object' || value === null));
}

export const userFields = [
  'userId',
  'username',
  'firstName',
  'lastName',
  'defaultFullName',
  'email',
  'status',
  'title',
  'department',
  'division',
  'location',
  'hireDate',
] as const;

/** Fields of the record that the status is derived from. */
export const userStatusInputs = ['status', 'hireDate'];

/** Builds a record from one User entity, for companies without Employee Central. `today` is a plain date. */
export function toUser(entity: Fields, today: string): Fields {
  const user = tidy(entity);
  const fields: Record<string, unknown> = {};
  for (const name of userFields) {
    const value = valueAt(user, name);
    if (value !== undefined) fields[name] = value;
  }
  const managers = listAt(user, 'manager');
  if (managers !== undefined) fields.managerId = manager(valueAt(managers[0], 'userId') ?? null);
  fields[statusField] = userStatus(fields.status, fields.hireDate, today);
  return fields;
}

export interface EmploymentFacts {
  /** Code of the picklist emplStatus: A, D, U, P, S, F, O, R, T. */
  readonly code: unknown;
  /** Text of a whole number, as OData writes Int64. */
  readonly activeEmployments: unknown;
  /** Plain dates of the chosen employment. */
  readonly startDate: unknown;
  readonly endDate: unknown;
  /** The chosen employment is not a global assignment. */
  readonly isHome: boolean;
  /** The person has an employment at home that has begun. */
  readonly hasBegun: boolean;
}

/**
 * Returns the status of a person. The first row that matches:
 *
 * | start       | emplStatus | employment                         | status     |
 * |-------------|------------|------------------------------------|------------|
 * | after today | any        | an earlier one at home has ended   | terminated |
 * | after today | any        | any                                | prehire    |
 * | any         | U, P, D    | any                                | leave      |
 * | any         | S, F       | any                                | suspended  |
 * | any         | any        | activeEmploymentsCount is 0        | terminated |
 * | any         | T, R, O    | at home, and its end date is past  | terminated |
 * | any         | A          | any                                | active     |
 *
 * Everything else is unknown. `latestTerminationDate` plays no part: it is also set for a person whose assignment
 * abroad has ended and who works on.
 */
export function employmentStatus(facts: EmploymentFacts, today: string): EmploymentStatus {
  const { code, activeEmployments, startDate, endDate, isHome, hasBegun } = facts;
  // None is current, or that one would be the chosen one.
  if (typeof startDate === 'string' && startDate > today) return hasBegun ? 'terminated' : 'prehire';
  const letter = String(code ?? '').toUpperCase();
  if (['U', 'P', 'D'].includes(letter)) return 'leave';
  if (['S', 'F'].includes(letter)) return 'suspended';
  if (String(activeEmployments ?? '') === '0') return 'terminated';
  const hasEnded = typeof endDate === 'string' && endDate < today;
  if (isHome && hasEnded && ['T', 'R', 'O'].includes(letter)) return 'terminated';
  return letter === 'A' ? 'active' : 'unknown';
}

/**
 * Status of the entity User: t and T are active, f and F are not. An inactive user with a later start is a future
 * hire.
 */
export function userStatus(status: unknown, hireDate: unknown, today: string): EmploymentStatus {
  switch (String(status ?? '').toLowerCase()) {
    case 't':
    case 'active':
      return 'active';
    case 'f':
    case 'inactive':
      return typeof hireDate === 'string' && hireDate > today ? 'prehire' : 'terminated';
    default:
      return 'unknown';
  }
}

/**
 * Returns the employment that counts, of several (rehire, conversion, global assignment). Global assignments (GA)
 * count only where there is nothing else. Then a current one counts, the latest started; else the next to start; else
 * the latest started.
 */
export function chooseEmployment(employments: readonly Fields[], today: string): Fields | undefined {
  const home = employments.filter(({ assignmentClass }) => assignmentClass !== 'GA');
  return inEffect(home.length > 0 ? home : employments, today);
}

/** Returns whether the employment is at home: the end of a global assignment does not end the employment. */
function isHome(employment: Fields | undefined): boolean {
  return employment !== undefined && employment.assignmentClass !== 'GA';
}

/** Returns of rows with `startDate` and `endDate` the current one, else the next one, else the last one. */
export function inEffect(rows: readonly Fields[], today: string): Fields | undefined {
  const current = rows.filter((row) => start(row) <= today && (end(row) === '' || end(row) >= today));
  if (current.length > 0) return latest(current);
  const later = rows.filter((row) => start(row) > today);
  if (later.length > 0) return later.reduce((first, row) => (start(row) < start(first) ? row : first));
  return rows.length > 0 ? latest(rows) : undefined;
}

/** Several changes of one day have sequence numbers; the highest one is valid. */
function latest(rows: readonly Fields[]): Fields {
  return rows.reduce((last, row) => {
    if (start(row) !== start(last)) return start(row) > start(last) ? row : last;
    return Number(row.seqNumber ?? 0) > Number(last.seqNumber ?? 0) ? row : last;
  });
}

function start(row: Fields): string {
  return typeof row.startDate === 'string' ? row.startDate : '';
}

function end(row: Fields): string {
  return typeof row.endDate === 'string' ? row.endDate : '';
}
