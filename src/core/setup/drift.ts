import { type DateUse, dateUse, isEmailAddress } from '../person/cell.ts';
import type { FieldName } from '../person/fields.ts';
import { prehire, statusField } from '../person/lifecycle.ts';
import type { SourceRecord } from '../person/person.ts';
import { compileDateFormat } from '../person/plain-date.ts';
import { compileSourcePath, isKnownSourcePath } from '../person/source-path.ts';
import { foldText, readText } from '../person/text.ts';
import { countOf, outOf } from '../run/formats.ts';
import type { FieldRule, RecordValue, SyncSettings } from '../run/settings.ts';
import type { Proposal } from './proposal.ts';
import type { ProposedField } from './propose-mapping.ts';
import { ruleYaml, scalar } from './readings.ts';
import type { Survey } from './survey.ts';

/** Where the configuration of a sync and what both sides show are apart. */
export type Drift = ReturnType<typeof findDrift>;

export function findDrift(survey: Survey, proposal: Proposal, settings: SyncSettings) {
  const { mapping, lifecycle } = settings;
  const paths = survey.columns.map(({ path }) => path);
  const rules = [
    ['identification', mapping.identification] as const,
    ...Object.entries(mapping.fields),
  ] as readonly (readonly [FieldName | 'identification', FieldRule])[];
  const { hireDate, leaveDate, dateFormat, leaveDateFormat = dateFormat } = lifecycle ?? {};
  const cell = (key: string, path: RecordValue | undefined, format: string | undefined): readonly DateCell[] =>
    typeof path === 'string' ? [{ key: `lifecycle.${key}`, path, format, use: 'work' }] : [];
  const dates = [...cell('hireDate', hireDate, dateFormat), ...cell('leaveDate', leaveDate, leaveDateFormat)];
  const status = typeof lifecycle?.status === 'string' ? [{ key: 'lifecycle.status', path: lifecycle.status }] : [];
  const read = [
    ...rules.flatMap(([field, rule]) => (rule.kind === 'from' ? [{ key: `mapping.${field}`, path: rule.path }] : [])),
    ...dates,
    ...status,
  ];
  const gone = read.filter(({ path }) => survey.rows > 0 && !isKnownSourcePath(path, paths));
  const mapped = new Map(rules);
  const lines: string[] = [];
  const better = [proposal.identification, ...proposal.fields].flatMap((found) => {
    if (found === undefined) return [];
    if (found.certainty === 'off')
      return mapped.has(found.field) ? [] : [`${found.field} is left out (${found.evidence}).`];
    const note = differenceOf(
      found,
      mapped.get(found.field),
      gone.map(({ path }) => path),
    );
    if (note !== undefined) lines.push(`${found.field}: ${ruleYaml(found.rule)}`);
    return note === undefined ? [] : [note];
  });
  const datedRules = rules.flatMap(([field, rule]) =>
    rule.kind === 'from' && field !== 'identification' && dateUse(field) !== 'any'
      ? [{ key: `mapping.${field}`, path: rule.path, format: rule.format, use: dateUse(field) }]
      : [],
  );
  const unread = paths.filter((path) => !read.some((one) => one.path === path || one.path.startsWith(`${path}.`)));
  const notes = [
    ...gone.map(({ key, path }) => `${key} reads ${path}, which no record has.`),
    ...better,
    ...[...datedRules, ...dates].flatMap((one) => misfitsOf(one, survey)),
    ...newStatuses(survey, settings, lines, proposal),
    ...(['status', 'leaveDate'] as const).flatMap((key) => {
      const found = proposal.lifecycle?.[key];
      if (found === undefined || found.certainty === 'off' || lifecycle?.[key] !== undefined) return [];
      return [`lifecycle.${key} is not set; ${found.path} fits it (${found.evidence}).`];
    }),
  ];
  return {
    /** Sentences, without values of people. */
    notes,
    /** Lines to copy into the mapping or the lifecycle of the sync. */
    lines,
    /** Columns that no plain rule of the sync reads. An expression may read them. */
    unread,
  };
}

/** Returns why another rule is proposed for the field; undefined where the configured one is as good. */
function differenceOf(found: ProposedField, rule: FieldRule | undefined, gone: readonly string[]): string | undefined {
  const { field, evidence } = found;
  if (rule === undefined) return `${field} is not mapped; ${ruleYaml(found.rule)} fits it (${evidence}).`;
  if (rule.kind !== 'from' || !('from' in found.rule)) return undefined;
  const isSame = rule.path === found.rule.from;
  const isProven = found.agreement !== undefined && found.agreement.equal * 2 >= found.agreement.pairs;
  if (!isSame && (isProven || gone.includes(rule.path)))
    return `${field} is read from ${rule.path}; ${found.rule.from} fits better (${evidence}).`;
  const isDated = field !== 'identification' && dateUse(field) !== 'any' && found.certainty === 'sure';
  const [ours, theirs] = [rule.format ?? 'yyyy-MM-dd', found.rule.format ?? 'yyyy-MM-dd'];
  return isSame && isDated && ours !== theirs
    ? `${field} is read as ${ours}; the cells are ${theirs} (${evidence}).`
    : undefined;
}

interface DateCell {
  readonly key: string;
  readonly path: string;
  readonly format: string | undefined;
  readonly use: DateUse;
}

function misfitsOf({ key, path, format, use }: DateCell, { sample }: Survey): readonly string[] {
  const { parse, pattern } = compileDateFormat(format ?? 'yyyy-MM-dd', use);
  const cells = sample.flatMap((row) => row[path] ?? []);
  const misfits = cells.filter((text) => parse(text) === undefined).length;
  if (misfits === 0) return [];
  return [`${key}: ${outOf(misfits, countOf(cells.length, 'date'), 'does', 'do')} not fit ${pattern} in ${path}.`];
}

function newStatuses(
  { columns }: Survey,
  { lifecycle }: SyncSettings,
  lines: string[],
  { lifecycle: proposed }: Proposal,
): readonly string[] {
  const path = lifecycle?.status;
  const column = columns.find((one) => one.path === path);
  if (lifecycle === undefined || column?.values === undefined) return [];
  const own = path === statusField ? [prehire] : [];
  const named = new Set([...lifecycle.active, ...lifecycle.leaver, ...own].map(foldText));
  return [...column.values].flatMap(([value, people]) => {
    if (named.has(foldText(value))) return [];
    const found = proposed?.status?.path === path ? proposed?.statuses.find((one) => one.value === value) : undefined;
    if (found !== undefined && found.meaning !== 'unknown') lines.push(`${found.meaning}: [${scalar(value)}]`);
    const effect = found?.effect === undefined ? '' : `; ${found.effect}`;
    const says = found === undefined ? countOf(people, 'person', 'people') : `${found.evidence}${effect}`;
    return [`lifecycle names no status ${JSON.stringify(value)} (${says}).`];
  });
}

/** What the cells of a column should look like, by what the sync reads it for. */
interface Expected {
  /** Returns whether the text of a cell, which is not blank, looks like something else. */
  isOdd(text: string): boolean;
  readonly isLike: string;
}

const name: Expected = { isOdd: (text) => /^[\d\s.,-]+$/.test(text) || isEmailAddress(text), isLike: 'not like names' };
const email: Expected = { isOdd: (text) => !text.includes('@'), isLike: 'without @' };
const date: Expected = { isOdd: (text) => !/\d/.test(text), isLike: 'no dates' };

/** Fewer people may all have another status. */
const fewestStatuses = 10;

/**
 * Returns a sentence for each column that the sync seems to read for the wrong thing, as after a swap: names of digits,
 * e-mails without @, dates without digits, a status for each person. `records`: some of a read. Names a cell by its place
 * and shape; returns no value. Judges plain columns only, because an expression may make one thing of another.
 */
export function oddColumns(
  records: readonly SourceRecord[],
  { mapping: { fields }, lifecycle }: Pick<SyncSettings, 'mapping' | 'lifecycle'>,
): readonly string[] {
  const rule = (field: 'firstName' | 'lastName' | 'email' | 'orgEntryDate'): string | undefined => {
    const found = fields[field];
    return found?.kind === 'from' ? found.path : undefined;
  };
  const columns = [
    ['firstName', rule('firstName'), name],
    ['lastName', rule('lastName'), name],
    ['email', rule('email'), email],
    ['orgEntryDate', rule('orgEntryDate'), date],
    ['lifecycle.hireDate', lifecycle?.hireDate, date],
    ['lifecycle.leaveDate', lifecycle?.leaveDate, date],
  ] as const;
  const found = columns.flatMap(([key, path, { isOdd, isLike }]) => {
    const cells = typeof path === 'string' ? cellsOf(records, path) : [];
    const odd = cells.filter(({ text }) => isOdd(text));
    const [first] = odd;
    if (first === undefined || odd.length < 2 || odd.length * 2 <= cells.length) return [];
    return [
      `${path} (for ${key}): ${outOf(odd.length, countOf(cells.length, 'cell'))} ${isLike}, first at ${first.at}: ${shapeOf(first.text)}`,
    ];
  });
  const status = lifecycle?.status;
  const statuses = typeof status === 'string' ? cellsOf(records, status) : [];
  const [first] = statuses;
  const values = new Set(statuses.map(({ text }) => text)).size;
  if (first === undefined || values < fewestStatuses || values < statuses.length) return found;
  return [
    ...found,
    `${status} (for lifecycle.status): as many values as rows (${values}), first at ${first.at}: ${shapeOf(first.text)}`,
  ];
}

function cellsOf(records: readonly SourceRecord[], path: string): readonly { at: string; text: string }[] {
  const read = compileSourcePath(path);
  return records.flatMap(({ at, fields }) => {
    const reading = readText(read(fields));
    return reading.kind === 'text' && reading.text !== '' ? [{ at, text: reading.text }] : [];
  });
}

const longestShape = 20;

/** Returns `"xxx 99"` for `Ana 35`: what the cell looks like, and nothing of what it says. */
export function shapeOf(text: string): string {
  const shape = text.replace(/\d/g, '9').replace(/[\p{L}\p{M}]/gu, 'x');
  return `"${shape.length > longestShape ? `${shape.slice(0, longestShape)}…` : shape}"`;
}
