import { type FieldName, fieldTable, fieldTraits, type User } from '../person/fields.ts';
import { compileDateFormat } from '../person/plain-date.ts';
import { compileTransforms, foldText } from '../person/text.ts';
import { given } from '../run/given.ts';
import type { Transform } from '../run/settings.ts';
import type { Column } from './column.ts';
import { likeName, type Meaning } from './known-names.ts';
import type { SampleRow } from './survey.ts';

/** The rule of a mapping, as the configuration has it. */
export type ProposedRule = ({ readonly from: string } | { readonly expression: string }) & {
  readonly format?: string;
  readonly transform?: readonly Transform[];
};

export function ruleYaml(rule: ProposedRule): string {
  const { format, transform } = rule;
  if ('from' in rule && format === undefined && transform === undefined) return scalar(rule.from);
  const keys = [
    'from' in rule ? `from: ${scalar(rule.from)}` : `expression: ${JSON.stringify(rule.expression)}`,
    ...(format === undefined ? [] : [`format: ${scalar(format)}`]),
    ...(transform === undefined ? [] : [`transform: [${transform.join(', ')}]`]),
  ];
  return `{ ${keys.join(', ')} }`;
}

/** Writes a text as a YAML scalar: plain where no reader can take it for something else. */
export function scalar(text: string): string {
  const isPlain = /^[A-Za-z_ÁÉÍÓÚÑÜáéíóúñüçãõâêô][\wÁÉÍÓÚÑÜáéíóúñüçãõâêô./-]*(?: [\wÁÉÍÓÚÑÜáéíóúñüçãõâêô./-]+)*$/.test(
    text,
  );
  const isWord = /^(?:true|false|yes|no|on|off|null|y|n|~)$/i.test(text);
  return isPlain && !isWord ? text : JSON.stringify(text);
}

/** One way to read a field from a record: a column as it is or as a date, a part of one, or two together. */
export interface Reading {
  readonly rule: ProposedRule;
  /** Column names, for messages. */
  readonly columns: readonly Column[];
  /** What is used up: two readings with a common use are not proposed together. */
  readonly uses: readonly string[];
  /** How well the name fits the field: 0 (not at all) to 2. */
  readonly like: (field: FieldName) => number;
  /** Whether the cells can be values of the field. */
  readonly suits: (field: FieldName) => boolean;
  /** A whole name that is divided at a space, which is where not every name divides. */
  readonly isGuess?: true;
  /** Returns the value, dates as `YYYY-MM-DD`; undefined where the record has none. */
  readonly read: (row: SampleRow) => string | undefined;
}

export function isMostly(part: number, { filled }: Pick<Column, 'filled'>): boolean {
  return filled > 0 && part * 2 > filled;
}

/** Returns every way to read a field from these columns. */
export function readingsOf(columns: readonly Column[]): readonly Reading[] {
  return columns.flatMap((column) => [
    ...plainReadings(column),
    ...splitReadings(column),
    ...joinedReadings(column, columns),
  ]);
}

function plainReadings(column: Column): readonly Reading[] {
  const { path, dates } = column;
  const isMail = isMostly(column.emails, column);
  // A code beside its text is rarely what the platform should show.
  const isCode = isMostly(column.digits, column);
  const like = (field: FieldName): number => {
    if (field.startsWith('customField')) return 0;
    const name = likeName(field as Meaning, path);
    if (field === 'email') return likeName('privateEmail', path) > 0 ? 0 : Math.max(name, isMail ? 0.8 : 0);
    // A name beside a first name is a last name.
    const isOneName = field === 'lastName' && likeName('fullName', path) > 1 && !isMostly(column.several, column);
    if (name === 0 && isOneName) return 1;
    return name > 1 && isCode && field !== 'phoneNumber' ? 1 : name;
  };
  const common = { columns: [column], uses: [path], like };
  const dated = (dates?.formats ?? []).map((format): Reading => {
    const { parse } = compileDateFormat(format);
    return {
      ...common,
      rule: format === 'yyyy-MM-dd' ? { from: path } : { from: path, format },
      suits: (field) => fieldTraits(field).isDate,
      read: (row) => parse(row[path] ?? '') || undefined,
    };
  });
  if (dates?.isNumeric === false) return dated;
  return [
    ...dated,
    {
      ...common,
      rule: isMail ? { from: path, transform: ['trim', 'lowercase'] } : { from: path },
      suits: (field) => suitsText(field, column),
      read: isMail ? (row) => row[path]?.toLowerCase() : (row) => row[path],
    },
  ];
}

function suitsText(field: FieldName, column: Column): boolean {
  if (field === 'email') return isMostly(column.emails, column);
  if (fieldTraits(field).isDate || isMostly(column.emails, column)) return false;
  if (field === 'firstName' || field === 'lastName') return isMostly(column.words, column);
  if (field === 'phoneNumber') return !isMostly(column.words, column) && !isMostly(column.shortYears, column);
  return true;
}

/** `Álvarez, Ana`; or `Ana Álvarez` in a column that is called like a full name, where agreement finds order and space. */
function splitReadings(column: Column): readonly Reading[] {
  const { path } = column;
  const hasCommas = isMostly(column.commas, column) && isMostly(column.words, column);
  const isFull = likeName('fullName', path) >= 1 || likeName('firstName', path) >= 1;
  if (!hasCommas && !(isFull && isMostly(column.several, column) && isMostly(column.words, column))) return [];
  const mark = hasCommas ? ',' : ' ';
  const cell = `$trim(${column.term})`;
  const at = {
    pattern: hasCommas ? /^(.+?),(.+)$/ : /^(.+?) (.+)$/,
    parts: [`$trim($substringBefore(${cell}, '${mark}'))`, `$trim($substringAfter(${cell}, '${mark}'))`],
  };
  const atLast = {
    pattern: /^(.+) (.+)$/,
    parts: [`$replace(${cell}, / [^ ]+$/, '')`, `$replace(${cell}, /^.* /, '')`],
  };
  const usual = hasCommas ? ['lastName', 'firstName'] : ['firstName', 'lastName'];
  return (hasCommas ? [at] : [at, atLast]).flatMap((cut) =>
    (['firstName', 'lastName'] as const).flatMap((field) =>
      cut.parts.map(
        (expression, side): Reading => ({
          rule: { expression },
          columns: [column],
          uses: [`${path} ${field}`],
          like: (asked) => (asked === field && isFull && cut === at && usual[side] === field ? 1.5 : 0),
          suits: (asked) => asked === field,
          ...(hasCommas ? {} : { isGuess: true }),
          read: (row) => cut.pattern.exec(row[path] ?? '')?.[side + 1]?.trim() || undefined,
        }),
      ),
    ),
  );
}

/** Two last names in two columns, as in Spain and Latin America. */
function joinedReadings(column: Column, columns: readonly Column[]): readonly Reading[] {
  if (likeName('lastName', column.path) < 1) return [];
  const second = columns.find(({ path, filled }) => filled > 0 && likeName('secondLastName', path) >= 1);
  if (second === undefined || second === column) return [];
  return [
    {
      ...both([column, second], `$trim(${column.term} & ' ' & ${second.term})`),
      like: (field) => (field === 'lastName' ? 1.4 : 0),
      suits: (field) => field === 'lastName' && isMostly(column.words, column),
      read: (row) => `${row[column.path] ?? ''} ${row[second.path] ?? ''}`.trim() || undefined,
    },
  ];
}

/** The first reading that has a value: a preferred name, or else the legal one. */
export function firstFilled(one: Reading, other: Reading): readonly Reading[] {
  const [[first], [second]] = [one.columns, other.columns];
  const isPlain = 'from' in one.rule && 'from' in other.rule && one.rule.format === other.rule.format;
  if (first === undefined || second === undefined || !isPlain) return [];
  const { rule, ...common } = both([first, second], `${first.term} ? ${first.term} : ${second.term}`);
  const { format, transform } = other.rule;
  const read: Reading['read'] = (row) => one.read(row) ?? other.read(row);
  return [{ ...other, ...common, rule: { ...rule, ...given({ format, transform }) }, read }];
}

function both(columns: readonly Column[], expression: string) {
  return { rule: { expression }, columns, uses: columns.map(({ path }) => path) };
}

/** How often a reading has the value that the platform shows, for people found on both sides. */
export type Agreement = ReturnType<typeof agreementOf>;

/** The fields that the platform shows for at least one user. */
export function shownFields(users: readonly User[]): readonly FieldName[] {
  const shown = new Set(users.flatMap(({ fields }) => Object.keys(fields)));
  return fieldTable.map(({ name }) => name).filter((name) => shown.has(name));
}

const capitalize = compileTransforms(['capitalize']) ?? String;

/** Compares a reading with a field over the joined records. */
export function agreementOf(
  { read }: Pick<Reading, 'read'>,
  field: FieldName,
  joined: readonly { readonly row: SampleRow; readonly user: User }[],
) {
  let [known, pairs, equal, like, capital] = [0, 0, 0, 0, 0];
  const found = new Set<string>();
  for (const { row, user } of joined) {
    const theirs = user.fields[field] ?? '';
    if (theirs === '') continue;
    known += 1;
    const ours = read(row);
    if (ours === undefined) continue;
    pairs += 1;
    const isEqual = ours === theirs;
    if (isEqual) equal += 1;
    // Case and accents change no length. Most values differ already there.
    if (!isEqual && (ours.length !== theirs.length || foldText(ours) !== foldText(theirs))) continue;
    like += 1;
    if (found.size < 2) found.add(theirs);
    if (capitalize(ours) === theirs) capital += 1;
  }
  return {
    /** People with a value on the platform: what a column that is filled for all has a value for. */
    known,
    /** People with a value on both sides. */
    pairs,
    equal,
    /** Equal but for case and accents. */
    like,
    /** Equal once the words of the source begin with capitals. */
    capital,
    /** Distinct values that are equal, two at most: one value that all people share proves nothing. */
    distinct: found.size,
  };
}
