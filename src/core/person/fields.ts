/**
 * The platform's user fields and the capabilities of each. Source: contract, "User record", "User write payload" and
 * "POST admin/userFiles" (CSV header).
 */

export type PlainFieldName =
  | 'email'
  | 'firstName'
  | 'lastName'
  | 'area'
  | 'orgEntryDate'
  | 'job'
  | 'phoneNumber'
  | 'seniority'
  | 'project'
  | 'account'
  | 'birthDate'
  | 'office';

/** A person's leaders: relations that have calls of their own, beside the user record. See `leaders.ts`. */
export type LeaderField = 'mainLeader' | 'secondaryLeaders';

export type FieldName = PlainFieldName | `customField${number}` | LeaderField;

/**
 * Values by field. An absent key means no statement about the field; `''` means the field is empty. Dates are
 * `YYYY-MM-DD`.
 */
export type FieldValues = Readonly<Partial<Record<FieldName, string>>>;

export interface FieldTraits {
  readonly name: FieldName;
  /** Returned by read and search. All other fields are write-only and compared with the ledger. */
  readonly isReadable: boolean;
  /** Accepted by POST and PUT. All other fields are sent by CSV only. */
  readonly isDirect: boolean;
  readonly isDate: boolean;
}

const trait = (name: FieldName, also: { writeOnly?: true; csvOnly?: true; date?: true } = {}): FieldTraits => ({
  name,
  isReadable: also.writeOnly !== true,
  isDirect: also.csvOnly !== true,
  isDate: also.date === true,
});

export const maxCsvCustomField = 60;
export const maxDirectCustomField = 30;

/** All fields of the user record in the order of the contract's CSV header, without `identification`. */
export const fieldTable: readonly FieldTraits[] = [
  trait('email'),
  trait('firstName'),
  trait('lastName'),
  trait('area'),
  trait('orgEntryDate', { date: true }),
  trait('job', { writeOnly: true }),
  trait('phoneNumber', { writeOnly: true }),
  trait('seniority', { writeOnly: true }),
  trait('project'),
  trait('account'),
  trait('birthDate', { date: true }),
  trait('office', { csvOnly: true }),
  ...Array.from({ length: maxCsvCustomField }, (_, i) =>
    trait(`customField${i + 1}`, i >= maxDirectCustomField ? { csvOnly: true } : {}),
  ),
];

const byName = new Map<string, FieldTraits>(fieldTable.map((entry) => [entry.name, entry]));

/** Read by the list of leaders, and never part of a file or of a user's payload. */
const leaderTraits: Readonly<Record<LeaderField, FieldTraits>> = {
  mainLeader: trait('mainLeader', { csvOnly: true }),
  secondaryLeaders: trait('secondaryLeaders', { csvOnly: true }),
};

const allTraits: ReadonlyMap<string, FieldTraits> = new Map([...byName, ...Object.entries(leaderTraits)]);

export const leaderFields: readonly LeaderField[] = ['mainLeader', 'secondaryLeaders'];

/** Returns the traits of a field of the user record; undefined for a name that the platform does not have. */
export function findField(name: string): FieldTraits | undefined {
  return byName.get(name);
}

/** Returns the traits of a field that exists. */
export function fieldTraits(name: FieldName): FieldTraits {
  const traits = allTraits.get(name);
  if (traits === undefined) throw new RangeError(`no platform field is called ${name}`);
  return traits;
}

/** Returns the number of a custom field: 7 for `customField7`, 0 for any other field. */
export function customFieldNumber(name: FieldName): number {
  return name.startsWith('customField') ? Number(name.slice('customField'.length)) : 0;
}

/** All fields in the order of the field table. Stored texts rely on it: see `packed.ts`. */
export const fieldOrder: readonly FieldName[] = [...fieldTable.map(({ name }) => name), ...leaderFields];

const places: ReadonlyMap<FieldName, number> = new Map(fieldOrder.map((name, place) => [name, place]));

/** Returns the place of a field in `fieldOrder`. */
export function placeOfField(name: FieldName): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`no platform field is called ${name}`);
  return place;
}

/** Returns the field names of `values` in the order of the field table. */
export function fieldNames(values: Readonly<Partial<Record<FieldName, unknown>>>): FieldName[] {
  const names = (Object.keys(values) as FieldName[]).filter((name) => values[name] !== undefined);
  let last = -1;
  for (const name of names) {
    const place = placeOfField(name);
    if (place < last) return names.sort((a, b) => placeOfField(a) - placeOfField(b));
    last = place;
  }
  // Nearly all values are made in this order.
  return names;
}

/** One account on the platform, as read or search returns it. `identification` is its key. */
export interface User {
  /** The platform's own number, as text, because it can exceed the precision of a double. */
  readonly id: string;
  readonly uid?: string;
  /** NFC and trimmed. */
  readonly identification: string;
  /**
   * The identification as the platform writes it, if that is not NFC and trimmed. Paths and rows must use this form.
   */
  readonly rawIdentification?: string;
  readonly enabled: boolean;
  /**
   * The readable fields: text in NFC and trimmed, dates as `YYYY-MM-DD`. An absent key is an empty field. A date in an
   * unknown format is left out here and listed in `unreadable`.
   */
  readonly fields: FieldValues;
  /** Readable fields with a value in an unknown format. They are unobservable and never a difference. */
  readonly unreadable: readonly string[];
  /** As the platform writes it (`YYYY-MM-DDThh:mm:ss`, zone not shown). Only compared to detect a modification. */
  readonly lastUpdate?: string;
}

/**
 * An account whose record cannot be read: `fault` continues "the account", such as "has no identification". With an
 * identification it is a person of whom nothing else is known; without one it is no person's.
 */
export interface UnreadUser extends Pick<User, 'fields'>, Partial<Pick<User, 'id' | 'identification' | 'enabled'>> {
  readonly fault: string;
}

/** The payload of create and update. `fields` holds only the fields to write; `''` clears a field. */
export interface UserWrite {
  readonly identification: string;
  readonly fields: FieldValues;
}

/** The leaders of one user, as identifications in NFC and trimmed. */
export interface Leaders {
  readonly main: string | undefined;
  /** In order of text. The platform may list the main leader here too. */
  readonly secondary: readonly string[];
}
