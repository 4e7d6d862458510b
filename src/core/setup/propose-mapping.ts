import { type FieldName, fieldTable, fieldTraits, maxDirectCustomField, type User } from '../person/fields.ts';
import { countOf } from '../run/formats.ts';
import { given } from '../run/given.ts';
import type { Column, ColumnDates } from './column.ts';
import { chooseForm } from './forms.ts';
import { likeName, type Meaning } from './known-names.ts';
import {
  type Agreement,
  agreementOf,
  firstFilled,
  isMostly,
  type ProposedRule,
  type Reading,
  readingsOf,
  ruleYaml,
  shownFields,
} from './readings.ts';
import type { SampleRow, Survey } from './survey.ts';

/** What the operator answered to questions of a proposal, by what they are about: the key of a choice. */
export type Answers = Readonly<Record<string, string>>;

/** One answer to a question, and what it means for people today. */
export interface Choice {
  readonly key: string;
  readonly effect: string;
}

/** The key of the choice that a field or column is not used. No column has it: `-` alone is quoted in YAML. */
export const leftOut = '-';
/** What an answer adds to the evidence. */
export const asYouSaid = 'as you said';
/** How many columns are offered for one field, and for one that nothing speaks for. */
const mostChoices = 4;
const mostFree = 8;
/** Without these, no account can be made. */
export const required: readonly string[] = ['identification', 'firstName', 'lastName'];

/** One line of a proposed mapping. */
export interface ProposedField {
  readonly field: FieldName | 'identification';
  readonly rule: ProposedRule;
  /** `off`: the evidence is against it, so the line is written as a comment. */
  readonly certainty: 'sure' | 'unsure' | 'off';
  /** Why, in a sentence without values of people. */
  readonly evidence: string;
  /** What the open question means for people. Absent where nothing is open. */
  readonly effect?: string;
  /** Records of the sample with a value that the platform shows too, and how many are equal. Absent without such people. */
  readonly agreement?: Pick<Agreement, 'pairs' | 'equal'>;
  /** The columns that it is made of. */
  readonly columns: readonly string[];
  /** Every answer that the evidence allows, the proposed one first. */
  readonly choices: readonly Choice[];
}

/** A field that no column fits. `columns`: those that no other field uses, which are offered. */
export type UnfilledField = Pick<ProposedField, 'field' | 'evidence' | 'effect' | 'columns' | 'choices'>;

/** A record and the user of the same person. */
export interface Joined {
  readonly row: SampleRow;
  readonly user: User;
}

/** How the people of both sides were put together. */
export interface Key {
  readonly field: ProposedField | undefined;
  /** The column that names people, whatever its form. */
  readonly column: Column | undefined;
  /** The column by which people are found on the platform, and by what. Undefined where too few are found. */
  readonly join:
    | { readonly path: string; readonly by: 'identification' | 'e-mail'; readonly found: number }
    | undefined;
}

/** So many people, or equal values, are no accident. */
export const several = 3;
const severalPairs = 5;

/** Chooses the column that names people: by the identifications of the platform, else by name and uniqueness. */
export function chooseKey(survey: Survey, answers: Answers = {}): Key {
  const { columns, rows, platform } = survey;
  const users = platform?.users.length ?? 0;
  const found = (column: Column): number => platform?.named.get(column.path)?.size ?? 0;
  const shareOf = (column: Column): number => found(column) / Math.max(1, Math.min(users, column.filled));
  const isName = (column: Column): boolean => column.repeated !== undefined && column.filled * 10 >= rows * 9;
  const score = (column: Column): number => {
    const isDate = column.dates?.isNumeric === false;
    const agrees = found(column) >= several && shareOf(column) >= 0.05 ? 10 * (1 + shareOf(column)) : 0;
    const like = likeName('identification', column.path);
    if (isDate || (agrees === 0 && (!isName(column) || isMostly(column.emails, column)))) return 0;
    return agrees + like + (isName(column) && column.repeated === 0 ? 0.5 : 0);
  };
  const named = columns.filter((one) => score(one) > 0).toSorted((a, b) => score(b) - score(a));
  const column = columns.find(({ path }) => path === answers.identification) ?? named[0];
  const mailed = ({ path }: Column): number => platform?.mailed.get(path)?.size ?? 0;
  const byMail = best(
    columns.filter((one) => mailed(one) >= several),
    mailed,
  );
  const mails = byMail === undefined ? 0 : mailed(byMail);
  const mailJoin = byMail && { path: byMail.path, by: 'e-mail' as const, found: mails };
  if (column === undefined) return { field: undefined, column, join: mailJoin };
  const isFound = found(column) >= several;
  const form = formOf(survey, column);
  const unique =
    column.repeated === undefined
      ? 'most values occur several times'
      : column.repeated === 0
        ? `${countOf(column.filled, 'row')}, no value twice`
        : `${countOf(column.repeated, 'row repeats', 'rows repeat')} a value: see prefer in docs/configuration.md`;
  const agrees =
    users === 0 ? '' : `; ${found(column)} of the ${countOf(users, 'identification')} on the platform${form.says}`;
  const isSure =
    column.repeated === 0 &&
    !form.isOpen &&
    (users === 0 ? likeName('identification', column.path) > 1.9 : shareOf(column) >= 0.5);
  const blank = column.filled === rows ? '' : `; ${countOf(rows - column.filled, 'row')} without a value`;
  const isOpen = !isSure || blank !== '';
  const field: ProposedField = {
    field: 'identification',
    rule: form.rule,
    certainty: isOpen && answers.identification === undefined ? 'unsure' : 'sure',
    evidence: `${unique}${blank}${agrees}`,
    ...(isOpen && answers.identification === undefined
      ? { effect: `if ${column.path} does not name people: all accounts are found wrongly or not at all` }
      : {}),
    ...(isFound ? { agreement: { pairs: column.filled, equal: found(column) } } : {}),
    columns: [column.path],
    choices: [column, ...named.filter((one) => one !== column)].slice(0, mostChoices).map((one) => ({
      key: one.path,
      effect: users === 0 ? 'no account to compare with' : `${found(one)} of ${countOf(users, 'account')} found`,
    })),
  };
  const keyJoin = { path: column.path, by: 'identification' as const, found: found(column) };
  return { field, column, join: isFound && found(column) * 5 >= mails ? keyJoin : mailJoin };
}

/** Finds how the identifications of a column become those of the platform. `isOpen`: not for all, or two would be one. */
function formOf({ sample, platform }: Survey, { path, term }: Column) {
  const rows = sample.flatMap((row) => row[path] ?? []);
  const pairs = rows.flatMap((ours) => {
    const user = platform?.users[platform.find(ours) ?? -1];
    return user === undefined ? [] : [{ ours, theirs: user.identification }];
  });
  const { form, equal } = chooseForm(pairs);
  const isMerging = new Set(rows.map(form.apply)).size < new Set(rows).size;
  const rule: ProposedRule = form.says === '' ? { from: path } : { expression: form.wrap(term) };
  const part = equal === pairs.length ? '' : `; ${equal} of ${pairs.length} equal`;
  const says = `${part}${form.says === '' ? '' : `, ${form.says}`}`;
  return { rule, says, isOpen: isMerging || equal * 10 < pairs.length * 9 };
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
  const { users, find, byEmail } = platform;
  return sample.flatMap((row) => {
    const text = row[join.path] ?? '';
    const user = users[(join.by === 'e-mail' ? byEmail.get(text.toLowerCase()) : find(text)) ?? -1];
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

/** Proposes a rule for each field that a column can fill. An answer outranks agreement of values, which outranks names. */
export function proposeFields(survey: Survey, key: Key, joined: readonly Joined[], answers: Answers = {}) {
  const readings = readingsOf(survey.columns).filter(
    ({ columns: [column] }) => column !== key.column || isMostly(column?.emails ?? 0, column ?? { filled: 0 }),
  );
  const facts = { survey, joined, answers, shown: new Set(shownFields(joined.map(({ user }) => user))) };
  const candidates = fieldTable
    .filter(({ name }) => !isCustom(name) || facts.shown.has(name))
    .flatMap(({ name }) => {
      const single = readings.flatMap((reading) => candidateOf(name, reading, facts));
      return [...single, ...filledOf(single, facts)];
    })
    .sort((a, b) => asked(b, answers) - asked(a, answers) || b.score - a.score || order(a, b));
  const taken = new Set<string>();
  const chosen = new Map<FieldName, Candidate>();
  for (const candidate of candidates) {
    const { field, reading } = candidate;
    if (chosen.has(field) || reading.uses.some((use) => taken.has(use))) continue;
    chosen.set(field, candidate);
    if (answers[field] !== leftOut) for (const use of reading.uses) taken.add(use);
  }
  const free = readings
    .filter(({ columns: [column, second], uses }) => column?.filled && !second && !uses.some((use) => taken.has(use)))
    .toSorted((a, b) => coverageOf(b, survey) - coverageOf(a, survey));
  const freeFor = (name: FieldName) => free.filter((reading) => reading.suits(name)).slice(0, mostFree);
  const offers = (some: readonly Reading[]) => some.map((one) => [ruleYaml(one.rule), filledFor(one, survey)] as const);
  const fields = fieldTable.flatMap(({ name }) => {
    const one = chosen.get(name);
    if (one === undefined) return droppedOf(name, survey.columns);
    const rivals = candidates.filter(
      (other) =>
        other.field === name &&
        other !== one &&
        !other.reading.columns.some((column) => one.reading.columns.includes(column)) &&
        isRival(one, other),
    );
    const found = describe(one, rivals, survey);
    const others = candidates
      .filter((other) => other.field === name && !isFarFrom(other.agreement))
      .map((other) => describe(other, [], survey));
    const choices = new Map([found, ...others].map((each) => [ruleYaml(each.rule), changesOf(each)]));
    const isSaid = answers[name] === leftOut || asked(one, answers) > 0;
    const more = one.like === 0 && one.agreement.like === 0 ? offers(freeFor(name)) : [];
    return [answered(found, [...[...choices].slice(0, mostChoices), ...more], isSaid ? answers[name] : undefined)];
  });
  const isAsked = ({ name }: { readonly name: FieldName }): boolean =>
    !fields.some(({ field }) => field === name) && (facts.shown.has(name) ? !isBeyondDirect(name) : !isCustom(name));
  const all = key.field === undefined ? [{ name: 'identification' as const, some: free.slice(0, mostFree) }] : [];
  const unfilled = [...all, ...fieldTable.filter(isAsked).map(({ name }) => ({ name, some: freeFor(name) }))].map(
    ({ name: field, some }): UnfilledField => ({
      ...{ field, evidence: noneFits, columns: some.flatMap(({ columns }) => columns.map(({ path }) => path)) },
      choices: choicesOf(field, offers(some)),
      ...(required.includes(field) && answers[field] === undefined ? { effect: noAccount } : {}),
    }),
  );
  const filled = new Set(fields.filter(({ certainty }) => certainty !== 'off').map(({ field }) => field));
  return {
    fields,
    unfilled: unfilled.filter(({ columns, effect }) => columns.length > 0 || effect !== undefined),
    /** What the platform shows, and no column fills. */
    bare: [...facts.shown].filter((name) => !filled.has(name) && !isBeyondDirect(name)),
  };
}

export const noneFits = 'no column fits';
const noAccount = 'no new person gets an account';
const isCustom = (name: FieldName): boolean => name.startsWith('customField');

/** What a person chose comes before all evidence. A column alone names its first reading. */
function asked({ field, reading }: Pick<Candidate, 'field' | 'reading'>, answers: Answers): number {
  const answer = answers[field];
  const [column, second] = reading.columns;
  if (answer === undefined) return 0;
  return ruleYaml(reading.rule) === answer ? 2 : second === undefined && column?.path === answer ? 1 : 0;
}

function answered(
  { effect, ...found }: ProposedField,
  choices: readonly (readonly [string, string])[],
  answer: string | undefined,
): ProposedField {
  const offered = choicesOf(found.field, choices);
  if (answer === undefined) return { ...found, ...given({ effect }), choices: offered };
  const isOut = answer === leftOut;
  return { ...found, certainty: isOut ? 'off' : 'sure', evidence: `${found.evidence}; ${asYouSaid}`, choices: offered };
}

function choicesOf(field: string, choices: readonly (readonly [string, string])[]): readonly Choice[] {
  const out = { key: leftOut, effect: required.includes(field) ? noAccount : neverSent };
  return [...choices.map(([key, effect]) => ({ key, effect })), out];
}

function changesOf({ agreement }: ProposedField): string {
  if (agreement === undefined) return 'no value to compare with';
  const { pairs, equal } = agreement;
  return `${pairs - equal} of ${countOf(pairs, 'account')} would change`;
}

export const unreadDates = 'its cells are dates in no format that Rollcall reads: export years of four digits';

/** A column of dates that Rollcall cannot read leaves a line too. */
function droppedOf(field: FieldName, columns: readonly Column[]): readonly ProposedField[] {
  const column = fieldTraits(field).isDate
    ? columns.find(({ path }) => likeName(field as Meaning, path) > 1)
    : undefined;
  if (column === undefined) return [];
  const unread = { evidence: unreadDates, effect: `as written: ${neverSent}`, columns: [column.path], choices: [] };
  return [{ field, rule: { from: column.path }, certainty: 'off', ...unread }];
}

/** Columns may come in any order: equal scores are decided by name. */
function order(a: Candidate, b: Candidate): number {
  const [one = '', other = ''] = [a.reading.columns[0]?.path, b.reading.columns[0]?.path];
  return one < other ? -1 : one > other ? 1 : 0;
}

interface Facts {
  readonly survey: Survey;
  readonly joined: readonly Joined[];
  readonly answers: Answers;
  readonly shown: ReadonlySet<FieldName>;
}

function candidateOf(field: FieldName, reading: Reading, facts: Facts): readonly Candidate[] {
  const { survey, joined, answers, shown } = facts;
  const isAsked = asked({ field, reading }, answers) > 0;
  const isEmpty = reading.columns.every(({ filled }) => filled === 0);
  const like = reading.like(field);
  if (like === 0 && !isAsked && !shown.has(field)) return [];
  if (!isEmpty && !reading.suits(field)) return [];
  const agreement = agreementOf(reading, field, shown.has(field) ? joined : []);
  const share = agreement.pairs === 0 ? 0 : agreement.like / agreement.pairs;
  const isProven = agreement.like >= severalPairs && share >= (isCustom(field) ? 0.8 : 0.5) && agreement.distinct > 1;
  if (!isProven && !isAsked && (like === 0 || isCustom(field))) return [];
  // Over all people, so that a column with few values does not beat one that is filled. With several spellings of one
  // value, the one that is equal as it is counts.
  const score = isProven
    ? 10 + (agreement.like + agreement.equal / 10) / agreement.known + like / 100
    : like * (0.3 + 0.7 * coverageOf(reading, survey)) - (isAgainst(agreement) ? 0.9 : 0);
  return [{ field, reading, agreement, like, score }];
}

/** The share of the rows that have a value: of several columns, in the sample. */
function coverageOf({ columns: [column, second], read }: Reading, { rows, sample }: Survey): number {
  if (second === undefined) return (column?.filled ?? 0) / Math.max(1, rows);
  return sample.filter((row) => read(row) !== undefined).length / Math.max(1, sample.length);
}

function filledFor(reading: Reading, survey: Survey): string {
  return `filled for ${Math.round(coverageOf(reading, survey) * survey.rows)} of ${countOf(survey.rows, 'row')}`;
}

/** Proposes the first filled of two columns, where a column with fewer values is right for the people who have one. */
function filledOf(candidates: readonly Candidate[], facts: Facts): readonly Candidate[] {
  const proven = candidates.filter(({ score }) => score >= 10);
  const usual = best(proven, ({ score }) => score);
  if (usual === undefined) return [];
  const more = proven.flatMap(({ field, reading, agreement }) =>
    agreement.pairs < usual.agreement.known && agreement.like * 10 >= agreement.pairs * 9
      ? firstFilled(reading, usual.reading).flatMap((both) => candidateOf(field, both, facts))
      : [],
  );
  const found = best(more, ({ score }) => score);
  return found !== undefined && found.agreement.like - usual.agreement.like >= several ? [found] : [];
}

/** Hardly any value is that of the platform, so the column is not offered. */
function isFarFrom({ pairs, like }: Agreement): boolean {
  return pairs >= several && like * 5 < pairs;
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

function describe(one: Candidate, rivals: readonly Candidate[], survey: Survey): ProposedField {
  const { field, reading, agreement, like } = one;
  const { pairs, equal, capital } = agreement;
  const isProven = one.score >= 10;
  const [column] = reading.columns;
  const coverage = coverageOf(reading, survey);
  const isCapital =
    isProven && !fieldTraits(field).isDate && field !== 'email' && capital > equal && capital * 5 >= pairs * 4;
  const dates = column?.dates;
  const order =
    dates === undefined || !fieldTraits(field).isDate ? undefined : orderOf(reading.rule, dates, { survey, isProven });
  const names = [...new Set(rivals.map(({ reading: other }) => other.columns[0]?.path))].slice(0, 3);
  const agreeing = isCapital ? capital : equal;
  const says = [
    coverage === 0 && 'no cell has a value',
    coverage > 0 && like > 0 && !isProven && (like > 1.2 ? 'chosen by name' : 'chosen by part of its name'),
    pairs > 0 && `equal for ${agreeing} of ${pairs} people on both sides`,
    isCapital && 'once the words begin with capitals',
    !isCapital && agreement.like > equal && `${agreement.like} without case and accents`,
    coverage > 0 && filledFor(reading, survey),
    order?.says ?? false,
    'expression' in reading.rule && `made of ${reading.columns.map(({ path }) => path).join(' and ')}`,
    names.length > 0 && `could also be ${names.join(' or ')}`,
    !fieldTraits(field).isReadable && 'the platform cannot confirm it',
  ].filter((text) => text !== false);
  const isSure = isProven || (like > 1.2 && !isAgainst(agreement));
  const isPartial = (field === 'firstName' || field === 'lastName') && coverage < mostlyFilled;
  const isGuess = coverage === 0 || isPartial || names.length > 0 || (!isProven && 'expression' in reading.rule);
  const certainty =
    isAgainst(agreement) && !isProven ? 'off' : isSure && !isGuess && order?.isOpen !== true ? 'sure' : 'unsure';
  const found: ProposedField = {
    field,
    rule: order?.rule ?? (isCapital ? { ...reading.rule, transform: ['capitalize'] } : reading.rule),
    certainty,
    evidence: says.join('; '),
    ...(pairs > 0 ? { agreement: { pairs, equal: agreeing } } : {}),
    columns: reading.columns.map(({ path }) => path),
    choices: [],
  };
  const sent = `as written: ${changesOf(found)}${isPartial ? '; a new person without it gets no account' : ''}`;
  return certainty === 'sure' ? found : { ...found, effect: certainty === 'off' ? `as written: ${neverSent}` : sent };
}

/** A required field with a value for fewer people needs another column. */
const mostlyFilled = 0.9;
const neverSent = 'it is never sent';

/** Says what shows the order of day and month. `isOpen`: nothing does. `known`: the order of another date of the row. */
export function orderOf(
  rule: ProposedRule,
  { formats, proofs, others }: ColumnDates,
  { survey: { columns }, isProven = false, known = '' }: { survey: Survey; isProven?: boolean; known?: string },
) {
  const misfits = others === 0 ? 'every date fits' : `${countOf(others, 'cell is', 'cells are')} no such date`;
  const [format = '', other] = formats;
  const isRead = isProven || format === 'yyyy-MM-dd' ? rule : { ...rule, format };
  if (proofs > 0) return { says: `${misfits}; ${countOf(proofs, 'day')} above 12`, isOpen: others > 0, rule: isRead };
  if (format === 'sheet-days' && !isProven)
    return { says: `${misfits}; days of a spreadsheet, which a few count from 1904`, isOpen: true, rule: isRead };
  if (other === undefined || isProven) return { says: misfits, isOpen: others > 0, rule: isRead };
  const orders = new Set(
    [known, ...columns.map(({ dates }) => (dates?.proofs ? dates.formats[0] : ''))].map((one) => one?.[0]),
  );
  const told = formats.filter((one) => orders.has(one[0]));
  if (told.length !== 1) return { says: `no day is above 12, so it can also be ${other}`, isOpen: true, rule: isRead };
  return {
    says: `${misfits}; other columns show this order`,
    isOpen: false,
    rule: { ...rule, format: told[0] ?? format },
  };
}

function isBeyondDirect(name: FieldName): boolean {
  return isCustom(name) && Number(name.slice('customField'.length)) > maxDirectCustomField;
}
