import { type FieldName, type FieldValues, fieldNames, fieldTraits, type User } from '../person/fields.ts';
import { compileTransforms } from '../person/text.ts';
import type { MappingSettings, SyncSettings, WriteRule } from '../run/settings.ts';
import { beforeOf, type ChangeClass, type ChangeDraft } from './change.ts';
import { type LedgerEntry, maxSends, type Quirk } from './ledger.ts';

/** What decides whether a field that differs, or that is not known, is written. */
export interface DiffRules extends Pick<SyncSettings, 'firstSight'> {
  readonly mapping: Pick<MappingSettings, 'fields'>;
}

export type KeptFields = Readonly<Partial<Record<FieldName, WriteRule>>>;

export interface Difference {
  /** Fields to write, in the order of the field table. */
  readonly changed: readonly FieldName[];
  /** The fields of `changed` that are written only because the value on the platform is not known. */
  readonly firstSight: readonly FieldName[];
  /**
   * Readable fields that the platform ignored `maxSends` times. They differ, and are not sent again until their value
   * changes.
   */
  readonly givenUp?: readonly FieldName[];
  /**
   * What the ledger learns without a write: unobservable fields that are taken as equal (`firstSight: assume`, or sent
   * often enough), and the source's value of fields with `keepLocalEdits`.
   */
  readonly assumed: FieldValues;
  /** Fields whose value on the platform stays, although the source has another one. */
  readonly kept?: KeptFields;
  /** The ledger's values of changed fields that the platform does not show. */
  readonly known?: FieldValues;
  /**
   * The fields that a write carries: `wanted`. With `firstSight: assume`, unchanged unobservable fields are left out, and
   * unchanged fields with a write rule always.
   */
  readonly written: FieldValues;
}

/**
 * Computes the three-way diff of one user: wanted values, values that the platform shows, values in the ledger.
 *
 * | field                          | equal when                                                                         |
 * |--------------------------------|------------------------------------------------------------------------------------|
 * | readable, understood           | shown = wanted (e-mails without case), or the ledger knows that wanted is shown so |
 * | write-only, or not understood  | the ledger has wanted as written and believed                                      |
 * | the same, no ledger value      | never at first sight, unless `firstSight` is `assume`                              |
 *
 * A field with a write rule keeps a value that differs:
 *
 * | rule           | shown                                                     | not shown                            |
 * |----------------|-----------------------------------------------------------|--------------------------------------|
 * | onCreate       | always                                                    | always                               |
 * | ifEmpty        | it has a value                                            | the ledger knows a value             |
 * | keepLocalEdits | the ledger has the source's value, or nothing and it has  | the ledger has the source's value,   |
 * |                | a value                                                   | or nothing                           |
 */
export function diffFields(
  wanted: FieldValues,
  user: User,
  ledger: LedgerEntry | undefined,
  { firstSight, mapping: { fields: rules } }: DiffRules,
): Difference {
  const changed: FieldName[] = [];
  const unknown: FieldName[] = [];
  const givenUp: FieldName[] = [];
  const assumed: Partial<Record<FieldName, string>> = {};
  const unchanged: FieldName[] = [];
  const hidden: Partial<Record<FieldName, string>> = {};
  const kept: Partial<Record<FieldName, WriteRule>> = {};
  for (const name of fieldNames(wanted)) {
    const value = wanted[name] as string;
    const { isReadable } = fieldTraits(name);
    const write = rules[name]?.write;
    const known = ledger?.hidden[name];
    if (isReadable && !user.unreadable.includes(name)) {
      const shown = user.fields[name] ?? '';
      const isSame = isSameValue(name, shown, value);
      const quirk = standing(value, shown, ledger?.quirks[name]);
      const isKept =
        !isSame && stays(name, write, { value, shown, known }) && (quirk === undefined || write === 'onCreate');
      if (write === 'keepLocalEdits' && known !== value && (isSame || isKept)) assumed[name] = value;
      if (isKept && write !== undefined) kept[name] = write;
      if (isSame || isKept) continue;
      if (quirk?.ignored === undefined) {
        if (quirk === undefined) changed.push(name);
      } else if (quirk.ignored < maxSends) changed.push(name);
      else givenUp.push(name);
      continue;
    }
    const shown = isReadable || write === 'keepLocalEdits' ? unreadable : known;
    if ((known !== value || write === 'onCreate') && stays(name, write, { value, shown, known })) {
      if (write === 'keepLocalEdits') assumed[name] = value;
      else if (write !== undefined && known !== value) kept[name] = write;
      continue;
    }
    if (known === undefined) {
      if (firstSight === 'assume') {
        assumed[name] = value;
        unchanged.push(name);
      } else {
        changed.push(name);
        unknown.push(name);
      }
    } else if (known !== value) {
      changed.push(name);
      hidden[name] = known;
    } else if (ledger !== undefined && ledger.unverified > 0 && ledger.unverified < maxSends) changed.push(name);
    else {
      unchanged.push(name);
      if (ledger !== undefined && ledger.unverified > 0) assumed[name] = value;
    }
  }
  // The platform can hold another value than the assumed one. Sending the assumed value would overwrite it unseen.
  const isLeft = (name: FieldName): boolean =>
    (firstSight === 'assume' && unchanged.includes(name)) ||
    (rules[name]?.write !== undefined && !changed.includes(name));
  const left = (Object.keys(wanted) as FieldName[]).filter(isLeft);
  const written = left.length > 0 ? without(wanted, left) : wanted;
  return {
    changed,
    firstSight: unknown,
    assumed,
    ...(Object.keys(hidden).length === 0 ? {} : { known: hidden }),
    written,
    ...(givenUp.length === 0 ? {} : { givenUp }),
    ...(Object.keys(kept).length === 0 ? {} : { kept }),
  };
}

/** A value in a form that is not understood. */
const unreadable = '?';

/** Returns whether a value stays that is not the wanted one. `shown`: undefined where the ledger knows none either. */
function stays(
  name: FieldName,
  write: WriteRule | undefined,
  { value, shown = '', known }: Readonly<Record<'shown' | 'known', string | undefined>> & { readonly value: string },
): boolean {
  if (write === 'keepLocalEdits') return known === undefined ? shown !== '' : isSameValue(name, known, value);
  return write === 'onCreate' || (write === 'ifEmpty' && shown !== '');
}

/** Says of each field why its value stays. */
export function keptDetails(kept: KeptFields = {}): { readonly name: string; readonly value: string }[] {
  return (Object.entries(kept) as [FieldName, WriteRule][]).map(([name, write]) => ({ name, value: keptWords[write] }));
}

const keptWords: Readonly<Record<WriteRule, string>> = {
  onCreate: 'stays as it is on the platform: only a create writes it (write: onCreate)',
  ifEmpty: 'stays as it is on the platform: it has a value there (write: ifEmpty)',
  keepLocalEdits: "stays as it is on the platform until HR's value changes: a respected edit (keepLocalEdits)",
};

/**
 * Adds the ledger's values of fields that the platform does not show and the source does not give. Needed where a write
 * clears every field that it does not carry. `fields`: the mapped fields.
 */
export function withKnown(
  wanted: FieldValues,
  { unreadable }: Pick<User, 'unreadable'>,
  ledger: Pick<LedgerEntry, 'hidden'> | undefined,
  fields: readonly FieldName[],
): FieldValues {
  const kept = fields.filter((name) => {
    const isUnseen = !fieldTraits(name).isReadable || unreadable.includes(name);
    return isUnseen && wanted[name] === undefined && ledger?.hidden[name] !== undefined;
  });
  // Copying all values takes longer than the search for these.
  if (kept.length === 0) return wanted;
  return { ...wanted, ...Object.fromEntries(kept.map((name) => [name, ledger?.hidden[name]])) };
}

function without(values: FieldValues, names: readonly FieldName[]): FieldValues {
  const kept = (Object.keys(values) as FieldName[]).filter((name) => !names.includes(name));
  return Object.fromEntries(kept.map((name) => [name, values[name]]));
}

/** Returns the quirk in the ledger while both the sent value and the shown value are unchanged. */
function standing(wanted: string, shown: string, quirk: Quirk | undefined): Quirk | undefined {
  return quirk !== undefined && quirk.sent === wanted && quirk.observed === shown ? quirk : undefined;
}

/** Returns whether the platform and Rollcall treat two values of a field as equal. E-mails compare without case. */
export function isSameValue(name: FieldName, one: string, other: string): boolean {
  return one === other || (name === 'email' && one.toLowerCase() === other.toLowerCase());
}

/**
 * Returns whether the platform can have stored `sent` as `shown`: truncated, or with different case, white space,
 * accents, number format or date format. Any other value is an edit by another writer. An empty value is not a
 * truncation.
 */
export function isAlteration(name: FieldName, sent: string, shown: string): boolean {
  if (shown === '' || sent === '') return false;
  if (fieldTraits(name).isDate) return false;
  return (
    isCutOrRecased(sent, shown) ||
    haveCommon(numbersIn(sent), numbersIn(shown)) ||
    haveCommon(datesIn(sent), datesIn(shown))
  );
}

function isCutOrRecased(sent: string, shown: string): boolean {
  const kept = folded(shown);
  return kept !== '' && spellings(sent).some((spelling) => spelling.startsWith(kept));
}

const asciiOf = compileTransforms(['ascii']) ?? ((text: string) => text);

/**
 * Returns the text without what platforms change: `Große Straße` gives `großestraße`, and also `grossestrasse` for
 * platforms that rewrite letters.
 */
function spellings(text: string): string[] {
  return [folded(text), folded(asciiOf(text))];
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\s]+/gu, '')
    .toLowerCase();
}

function haveCommon(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.includes(one));
}

/**
 * Returns the numbers that a text can mean: `1.234` is 1234 in Berlin and 1.234 in London. Empty when it is not a
 * number.
 */
function numbersIn(text: string): string[] {
  const [, sign = '', digits = ''] = /^([+-]?)([\d.,'’\s]+)$/.exec(text) ?? [];
  if (!/\d/.test(digits)) return [];
  const numbers: string[] = [];
  const add = (whole: string, fraction: string): void => {
    const value = `${whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '')}.${fraction.replace(/0+$/, '')}`;
    numbers.push(sign === '-' ? `-${value}` : value);
  };
  if (wholeNumber.test(digits)) add(digits, '');
  const [, whole, fraction] = /^(.*)[.,](\d+)$/.exec(digits) ?? [];
  if (whole !== undefined && fraction !== undefined && wholeNumber.test(whole)) add(whole, fraction);
  return numbers;
}

const wholeNumber = /^(?:\d+|\d{1,3}(?:[.,'’\s]\d{3})+)$/;

const monthNames = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'.split('|');

/**
 * Returns the days that a text can mean, as year-month-day: `05/01/2021` is in January or in May. Empty when it is not
 * a date.
 */
function datesIn(text: string): string[] {
  const parts = text
    .toLowerCase()
    .replace(/[a-z]{3,}/g, (word) => {
      const month = monthNames.indexOf(word.slice(0, 3)) + 1;
      return month === 0 ? word : `${month}`;
    })
    .match(/^(\d{1,4})[-/., ]+(\d{1,2})[-/., ]+(\d{1,4})(?:[t ,].*)?$/);
  if (parts === null) return [];
  const [first, middle, last] = parts.slice(1).map(Number) as [number, number, number];
  const isYearFirst = parts[1]?.length === 4;
  const [year, day] = isYearFirst ? [first, last] : [last, first];
  return [`${year}-${middle}-${day}`, `${year}-${day}-${middle}`];
}

/** The changes that the truth table proposes. */

/** `removed`: the removal of an account that the person had. */
export function create(
  identification: string,
  wanted: FieldValues,
  removed: LedgerEntry['removed'] = undefined,
): ChangeDraft {
  const changed = namesOf(wanted);
  return {
    identification,
    kind: 'create',
    before: undefined,
    after: wanted,
    changed,
    classes: ['creates'],
    reason: removed === undefined ? 'new employee' : 'returned employee, whose account is gone',
    ...(removed === undefined ? {} : { returns: true }),
  };
}

export function update(user: User, identification: string, difference: Difference): ChangeDraft {
  const { changed, firstSight, assumed, known, written } = difference;
  const classes: ChangeClass[] = [];
  if (changed.length > firstSight.length) classes.push('updates');
  if (changed.includes('email')) classes.push('emailChanges');
  if (firstSight.length > 0) classes.push('firstSight');
  const reason =
    changed.length === firstSight.length
      ? `${changed.join(', ')} sent for the first time`
      : `differs in ${changed.join(', ')}`;
  return {
    identification,
    kind: 'update',
    before: beforeOf(user, assumed, known),
    after: written,
    changed,
    classes,
    reason,
  };
}

export function enable(user: User, identification: string, difference: Difference, reason: string): ChangeDraft {
  const { changed, assumed, known, written } = difference;
  const classes: ChangeClass[] = changed.includes('email') ? ['enables', 'emailChanges'] : ['enables'];
  return {
    identification,
    kind: 'enable',
    before: beforeOf(user, assumed, known),
    after: written,
    changed,
    classes,
    reason,
  };
}

export function disable(user: User, identification: string, reason: string): ChangeDraft {
  return takeAway('disable', user, { identification, reason });
}

export function remove(user: User, identification: string, reason: string): ChangeDraft {
  return takeAway('remove', user, { identification, reason });
}

function takeAway(
  kind: 'disable' | 'remove',
  user: User,
  rest: Pick<ChangeDraft, 'identification' | 'reason'>,
): ChangeDraft {
  return { ...rest, kind, before: beforeOf(user), after: {}, changed: [], classes: [`${kind}s`] };
}

function namesOf(values: FieldValues): (keyof FieldValues)[] {
  return (Object.keys(values) as (keyof FieldValues)[]).filter((name) => values[name] !== '');
}
