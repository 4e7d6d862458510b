import { type FieldName, fieldTable, fieldTraits, maxDirectCustomField } from '../person/fields.ts';
import type { User } from '../person/user.ts';
import { countOf } from '../run/formats.ts';
import { type Column, otherOrderOf } from './column.ts';
import type { KnownNames } from './known-names.ts';
import {
  type Agreement,
  agreementOf,
  isMostly,
  type ProposedRule,
  type Reading,
  readingsOf,
  shownFields,
} from './readings.ts';
import type { SampleRow, Survey } from './survey.ts';

/** One line of a proposed mapping. */
export interface ProposedField {
  readonly field: FieldName | 'identification';
  readonly rule: ProposedRule;
  /** `off`: the evidence is against it, so the line is written as a comment. */
  readonly certainty: 'sure' | 'unsure' | 'off';
  /** Why, in a sentence without values of people. */
  readonly evidence: string;
  /** Records of the sample with a value that the platform shows too, and how many are equal. Absent without such people. */
  readonly agreement?: Pick<Agreement, 'pairs' | 'equal'>;
}

/** A record and the user of the same person. */
export interface Joined {
  readonly row: SampleRow;
  readonly user: User;
}

/** How the people of both sides were put together. */
export interface Key {
  readonly field: ProposedField | undefined;
  /** The column by which people are found on the platform, and by what. Undefined where too few are found. */
  readonly join:
    | { readonly path: string; readonly by: 'identification' | 'e-mail'; readonly found: number }
    | undefined;
}

/** So many equal values are no accident. */
const severalPairs = 5;

/** Chooses the column that names people: by the identifications of the platform, else by name and uniqueness. */
export function chooseKey({ columns, rows, platform }: Survey, names: KnownNames): Key {
  const users = platform?.users.length ?? 0;
  const found = (column: Column): number => platform?.named.get(column.path)?.size ?? 0;
  const shareOf = (column: Column): number => found(column) / Math.max(1, Math.min(users, column.filled));
  const isName = (column: Column): boolean => column.repeated !== undefined && column.filled * 10 >= rows * 9;
  const score = (column: Column): number => {
    const isDate = column.dates !== undefined && !column.dates.formats.includes('yyyyMMdd');
    const agrees = found(column) >= 3 && shareOf(column) >= 0.05 ? 10 * (1 + shareOf(column)) : 0;
    const like = names.like('identification', column.path);
    if (isDate || (agrees === 0 && (!isName(column) || isMostly(column.emails, column)))) return 0;
    return agrees + like + (isName(column) && column.repeated === 0 ? 0.5 : 0);
  };
  const column = best(columns, score);
  const byMail = best(columns, ({ path }) => platform?.mailed.get(path)?.size ?? 0);
  const mails = byMail === undefined ? 0 : (platform?.mailed.get(byMail.path)?.size ?? 0);
  const mailJoin =
    mails >= 3 && byMail !== undefined ? { path: byMail.path, by: 'e-mail' as const, found: mails } : undefined;
  if (column === undefined) return { field: undefined, join: mailJoin };
  const isFound = found(column) >= 3;
  const unique =
    column.repeated === undefined
      ? 'most values occur several times'
      : column.repeated === 0
        ? `${countOf(column.filled, 'row')}, no value twice`
        : `${countOf(column.repeated, 'row repeats', 'rows repeat')} a value: see prefer in docs/configuration.md`;
  const agrees = users === 0 ? '' : `; ${found(column)} of the ${countOf(users, 'identification')} on the platform`;
  const isSure =
    column.repeated === 0 && (users === 0 ? names.like('identification', column.path) > 1.9 : shareOf(column) >= 0.5);
  const blank = column.filled === rows ? '' : `; ${countOf(rows - column.filled, 'row')} without a value`;
  const field: ProposedField = {
    field: 'identification',
    rule: { from: column.path },
    certainty: isSure && blank === '' ? 'sure' : 'unsure',
    evidence: `${unique}${blank}${agrees}`,
    ...(isFound ? { agreement: { pairs: column.filled, equal: found(column) } } : {}),
  };
  const keyJoin = { path: column.path, by: 'identification' as const, found: found(column) };
  return { field, join: isFound && found(column) * 5 >= mails ? keyJoin : mailJoin };
}

function best<T>(items: readonly T[], score: (item: T) => number): T | undefined {
  return items.reduce<{ item: T | undefined; score: number }>(
    (so, item) => (score(item) > so.score ? { item, score: score(item) } : so),
    { item: undefined, score: 0 },
  ).item;
}

/** Puts the records of the sample beside their users. */
export function joinSample({ sample, platform }: Survey, { join }: Key): readonly Joined[] {
  if (platform === undefined || join === undefined) return [];
  const { users, byName, byEmail } = platform;
  return sample.flatMap((row) => {
    const text = row[join.path] ?? '';
    const user = users[(join.by === 'e-mail' ? byEmail.get(text.toLowerCase()) : byName.get(text)) ?? -1];
    return user === undefined ? [] : [{ row, user }];
  });
}

interface Candidate {
  readonly field: FieldName;
  readonly reading: Reading;
  readonly agreement: Agreement;
  readonly like: number;
  readonly score: number;
}

/** Proposes a rule for each field that a column can fill. Agreement of values outranks names. */
export function proposeFields(
  survey: Survey,
  key: Key,
  joined: readonly Joined[],
  names: KnownNames,
): readonly ProposedField[] {
  const keyPath = key.field !== undefined && 'from' in key.field.rule ? key.field.rule.from : undefined;
  const readings = readingsOf(survey.columns, names).filter(
    ({ columns: [column] }) => column?.path !== keyPath || isMostly(column?.emails ?? 0, column ?? { filled: 0 }),
  );
  const shown = new Set(shownFields(joined.map(({ user }) => user)));
  const candidates = fieldTable
    .filter(({ name }) => !name.startsWith('customField') || shown.has(name))
    .flatMap(({ name }) => readings.flatMap((reading) => candidateOf(name, reading, joined, shown)))
    .sort((a, b) => b.score - a.score || order(a, b));
  const taken = new Set<string>();
  const chosen = new Map<FieldName, Candidate>();
  for (const candidate of candidates) {
    const { field, reading } = candidate;
    if (chosen.has(field) || reading.uses.some((use) => taken.has(use))) continue;
    chosen.set(field, candidate);
    for (const use of reading.uses) taken.add(use);
  }
  const proven = new Set(
    [...survey.columns].flatMap(({ dates }) => (dates?.formats.length === 1 && dates.proofs > 0 ? dates.formats : [])),
  );
  return fieldTable.flatMap(({ name }) => {
    const one = chosen.get(name);
    if (one === undefined) return [];
    const rivals = candidates.filter(
      (other) =>
        other.field === name &&
        other !== one &&
        other.reading.columns[0] !== one.reading.columns[0] &&
        isRival(one, other),
    );
    return [describe(one, rivals, proven)];
  });
}

/** Columns may come in any order: equal scores are decided by name. */
function order(a: Candidate, b: Candidate): number {
  const [one = '', other = ''] = [a.reading.columns[0]?.path, b.reading.columns[0]?.path];
  return one < other ? -1 : one > other ? 1 : 0;
}

function candidateOf(
  field: FieldName,
  reading: Reading,
  joined: readonly Joined[],
  shown: ReadonlySet<FieldName>,
): readonly Candidate[] {
  const isEmpty = reading.columns.every(({ filled }) => filled === 0);
  // A column without values is the last choice.
  const like = reading.like(field) * (isEmpty ? 0.3 : 1);
  if (like === 0 && !shown.has(field)) return [];
  if (!isEmpty && !reading.suits(field)) return [];
  const agreement = agreementOf(reading, field, shown.has(field) ? joined : []);
  const share = agreement.pairs === 0 ? 0 : agreement.like / agreement.pairs;
  const isCustom = field.startsWith('customField');
  const isProven = agreement.like >= severalPairs && share >= (isCustom ? 0.8 : 0.5) && agreement.distinct > 1;
  if (!isProven && (like === 0 || isCustom)) return [];
  // With several spellings of one value, the one that is equal as it is counts.
  const score = isProven
    ? 10 + share + agreement.equal / agreement.pairs / 10 + like / 100
    : like - (isAgainst(agreement) ? 0.9 : 0);
  return [{ field, reading, agreement, like, score }];
}

/** The values of many people differ from the platform, where they should mostly be equal. */
function isAgainst({ pairs, like }: Agreement): boolean {
  return pairs >= 20 && like * 5 < pairs;
}

/** Another column could be meant as well. */
function isRival(one: Candidate, other: Candidate): boolean {
  if (one.score >= 10)
    return other.score >= 10 && one.agreement.like - other.agreement.like <= one.agreement.pairs / 50;
  return one.field === 'email' || other.like > 1.9 || (one.like < 1.9 && other.like > 0);
}

function describe(one: Candidate, rivals: readonly Candidate[], proven: ReadonlySet<string>): ProposedField {
  const { field, reading, agreement, like } = one;
  const { pairs, equal, capital } = agreement;
  const isProven = one.score >= 10;
  const [column] = reading.columns;
  const isEmpty = reading.columns.every(({ filled }) => filled === 0);
  const isCapital =
    isProven &&
    'from' in reading.rule &&
    !fieldTraits(field).isDate &&
    field !== 'email' &&
    capital > equal &&
    capital * 5 >= pairs * 4;
  const dates = column?.dates;
  const order =
    dates === undefined || !fieldTraits(field).isDate ? undefined : orderOf(reading, dates, isProven, proven);
  const names = [...new Set(rivals.map(({ reading: other }) => other.columns[0]?.path))].slice(0, 3);
  const says = [
    isEmpty
      ? 'no cell has a value'
      : like > 0 && !isProven
        ? like > 1.2
          ? 'by its name'
          : 'by a part of its name'
        : undefined,
    pairs === 0 ? undefined : `equal for ${isCapital ? capital : equal} of ${pairs} people on both sides`,
    isCapital
      ? 'once the words begin with capitals'
      : pairs > 0 && agreement.like > equal
        ? `${agreement.like} without case and accents`
        : undefined,
    order?.says,
    'expression' in reading.rule ? `made of ${reading.columns.map(({ path }) => path).join(' and ')}` : undefined,
    names.length === 0 ? undefined : `could also be ${names.join(' or ')}`,
    fieldTraits(field).isReadable ? undefined : 'the platform never shows this field',
  ].filter((text) => text !== undefined);
  const isSure = isProven || (like > 1.2 && !isAgainst(agreement));
  const isGuess = isEmpty || names.length > 0 || order?.isOpen === true || ('expression' in reading.rule && !isProven);
  return {
    field,
    rule: order?.rule ?? (isCapital ? { ...reading.rule, transform: ['capitalize'] } : reading.rule),
    certainty: isAgainst(agreement) && !isProven ? 'off' : isSure && !isGuess ? 'sure' : 'unsure',
    evidence: says.join('; '),
    ...(pairs > 0 ? { agreement: { pairs, equal: isCapital ? capital : equal } } : {}),
  };
}

/** Says what shows the order of day and month. `isOpen`: nothing does. */
function orderOf(
  { rule }: Reading,
  { formats, proofs, others }: NonNullable<Column['dates']>,
  isProven: boolean,
  proven: ReadonlySet<string>,
): { readonly says: string; readonly isOpen: boolean; readonly rule?: ProposedRule } {
  const misfits = others === 0 ? 'every date fits' : `${countOf(others, 'cell is', 'cells are')} no such date`;
  if (proofs > 0) return { says: `${misfits}; ${countOf(proofs, 'day')} above 12`, isOpen: others > 0 };
  if (formats.length === 1 || isProven) return { says: misfits, isOpen: others > 0 };
  const known = formats.find((format) => proven.has(format) && !proven.has(otherOrderOf(format)));
  if (known !== undefined && 'from' in rule) {
    return {
      says: `${misfits}; other columns show this order`,
      isOpen: false,
      rule: { from: rule.from, format: known },
    };
  }
  return { says: `no day is above 12, so it can also be ${formats[1]}`, isOpen: true };
}

/** The fields that hold the platform's values and that no column fills. */
export function unfilledFields(users: readonly User[], fields: readonly ProposedField[]): readonly FieldName[] {
  const filled = new Set(fields.filter(({ certainty }) => certainty !== 'off').map(({ field }) => field));
  return shownFields(users).filter((name) => !filled.has(name) && !isBeyondDirect(name));
}

function isBeyondDirect(name: FieldName): boolean {
  return name.startsWith('customField') && Number(name.slice('customField'.length)) > maxDirectCustomField;
}
