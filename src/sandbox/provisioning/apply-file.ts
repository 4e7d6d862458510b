import { parse } from 'csv-parse/sync';
import { type FieldName, type FieldValues, findField } from '../../core/person/fields.ts';
import { countOf, outOf } from '../../core/run/formats.ts';
import { readDate } from '../dates.ts';
import type { StruckFaults } from '../faults/fault-book.ts';
import { type Account, filled } from '../people/account.ts';
import type { UserDirectory } from '../people/user-directory.ts';
import type { Origin, UserWrites } from '../people/user-writes.ts';
import type { SandboxQuirks } from '../quirks.ts';

export type RowResult = ReturnType<typeof resultOf>;

export interface FileToApply {
  readonly text: string;
  readonly preprocessing: boolean;
  readonly faults: StruckFaults;
  readonly origin: Origin;
}

interface DecidedRow {
  readonly row: FileRow;
  readonly effect: RowEffect;
}

/** Applies a provisioning file: checks every row first, then applies the good ones as the quirk defines. */
export function applyFile(
  file: FileToApply,
  people: { readonly directory: UserDirectory; readonly writes: UserWrites },
  quirks: SandboxQuirks,
) {
  let content: UserFile;
  try {
    content = readUserFile(file.text, file.preprocessing, quirks);
  } catch (error) {
    if (error instanceof UnreadableFile) return { isSuccess: false, reason: error.message, rows: [] };
    throw error;
  }
  const decided = decideRows(content.rows, people.directory, file.faults, quirks);
  const failure = fileFailure(file.faults, content.rows.length);
  const badRows = decided.filter(({ effect }) => effect.kind === 'bad').length;
  if (failure !== undefined || (badRows > 0 && quirks.fileFailure === 'none-applied')) {
    const reason = failure ?? `${outOf(badRows, countOf(decided.length, 'row'))} bad`;
    return { isSuccess: false, reason, rows: decided.map((entry) => resultOf(entry, false)) };
  }
  const beyond = decided.slice(file.faults.number('first-rows') ?? decided.length);
  const dropped = new Set([...file.faults.texts('drop-row'), ...beyond.map(({ row }) => row.identification)]);
  for (const { row, effect } of decided) {
    if (!dropped.has(row.identification)) applyRow(row, effect, people.writes, file.origin);
  }
  if (content.kind === 'full') disableAbsent(content.rows, people, file.origin);
  const isSuccess = badRows === 0 || quirks.fileFailure === 'says-done';
  return { isSuccess, rows: decided.map((entry) => resultOf(entry, !dropped.has(entry.row.identification))) };
}

function decideRows(
  rows: readonly FileRow[],
  directory: UserDirectory,
  faults: StruckFaults,
  quirks: SandboxQuirks,
): DecidedRow[] {
  const badOnPurpose = new Set(faults.texts('fail-if'));
  const seen = new Set<string>();
  return rows.map((row) => {
    const { identification } = row;
    const isRepeated = seen.has(identification);
    seen.add(identification);
    if (isRepeated) return { row, effect: { kind: 'bad', reason: 'the identification appears twice' } };
    if (badOnPurpose.has(identification)) return { row, effect: { kind: 'bad', reason: 'the row was refused' } };
    const account = directory.get(identification);
    const isBlacklisted = directory.blacklist.has(identification);
    const effect = decideRow(row, { account, isBlacklisted, quirks });
    const email = 'fields' in effect ? (effect.fields.email ?? '') : '';
    if (quirks.uniqueEmail && email !== '' && directory.withEmail(email, account) !== undefined)
      return { row, effect: { kind: 'bad', reason: 'another user has this e-mail' } };
    return { row, effect };
  });
}

function fileFailure(faults: StruckFaults, rows: number): string | undefined {
  if (faults.has('fail')) return 'the file was refused';
  const limit = faults.number('fail-over');
  return limit !== undefined && rows > limit ? `the file has ${countOf(rows, 'row')}, ${limit} are allowed` : undefined;
}

function applyRow(row: FileRow, effect: RowEffect, writes: UserWrites, origin: Origin): void {
  switch (effect.kind) {
    case 'create':
      writes.create(row.identification, effect.fields, origin);
      return;
    case 'update':
      writes.update(effect.account, { fields: effect.fields }, 'updated', origin);
      return;
    case 'enable':
      writes.update(effect.account, { fields: effect.fields, enabled: true }, 'enabled', origin);
      return;
    case 'disable':
      writes.update(effect.account, { enabled: false }, 'disabled', origin);
      return;
    case 'bad':
  }
}

/** Contract, "Full provisioning": users absent from the file are disabled. */
function disableAbsent(
  rows: readonly FileRow[],
  { directory, writes }: { readonly directory: UserDirectory; readonly writes: UserWrites },
  origin: Origin,
): void {
  const present = new Set(rows.map(({ identification }) => identification));
  for (const account of [...directory.all.values()]) {
    if (account.enabled && !present.has(account.identification)) {
      writes.update(account, { enabled: false }, 'disabled', origin);
    }
  }
}

function resultOf({ row: { line, identification }, effect }: DecidedRow, isApplied: boolean) {
  if (effect.kind === 'bad') return { line, identification, result: 'bad', reason: effect.reason };
  return { line, identification, result: isApplied ? 'applied' : 'not-applied' };
}

/** The effect of a row on its user. */
type RowEffect =
  | { readonly kind: 'create'; readonly fields: FieldValues }
  | { readonly kind: 'update' | 'enable'; readonly account: Account; readonly fields: FieldValues }
  | { readonly kind: 'disable'; readonly account: Account }
  | { readonly kind: 'bad'; readonly reason: string };

interface RowSurroundings {
  readonly account: Account | undefined;
  readonly isBlacklisted: boolean;
  readonly quirks: Pick<SandboxQuirks, 'emptyCell' | 'enableBy'>;
}

/**
 * Decides one row (contract, "States and transitions"): I creates, U updates, D disables. A row of a full file creates or
 * updates. A quirk defines whether I or U enables a disabled user.
 */
function decideRow(row: FileRow, { account, isBlacklisted, quirks }: RowSurroundings): RowEffect {
  if (row.problem !== undefined) return bad(row.problem);
  if (row.command === 'D') return account === undefined ? bad('there is no such user') : { kind: 'disable', account };
  if (account === undefined) {
    if (row.command === 'U') return bad('there is no such user');
    return decideCreate(row, isBlacklisted);
  }
  const enables = !account.enabled && quirks.enableBy === (row.command ?? 'U');
  if (row.command === 'I' && !enables) return bad('the user already exists');
  const fields = quirks.emptyCell === 'clears' ? row.fields : filled(row.fields);
  if (fields.firstName?.trim() === '' || fields.lastName?.trim() === '')
    return bad('firstName and lastName cannot be cleared');
  return { kind: enables ? 'enable' : 'update', account, fields };
}

function decideCreate(row: FileRow, isBlacklisted: boolean): RowEffect {
  if (isBlacklisted) return bad('the user is blacklisted');
  const { firstName = '', lastName = '' } = row.fields;
  if (firstName.trim() === '' || lastName.trim() === '') return bad('firstName and lastName are required');
  return { kind: 'create', fields: filled(row.fields) };
}

function bad(reason: string): RowEffect {
  return { kind: 'bad', reason };
}

type RowCommand = 'I' | 'U' | 'D';

type FileRow = ReturnType<typeof readRow>;

type UserFile = ReturnType<typeof readUserFile>;

/** The file cannot be read as a whole, so no row counts. */
class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

type CsvSettings = Pick<SandboxQuirks, 'csvDelimiter' | 'csvDateFormat' | 'fieldMapping'>;

/** Reads a provisioning file: columns by name, any subset, in any order. Throws `UnreadableFile`. */
function readUserFile(text: string, preprocessing: boolean, settings: CsvSettings) {
  const [header, ...records] = readRecords(text, settings.csvDelimiter);
  if (header === undefined) throw new UnreadableFile('the file is empty');
  const mapping = preprocessing ? settings.fieldMapping : {};
  const columns = header.record.map((name) => mapping[name] ?? name);
  checkColumns(columns);
  const kind = columns[0] === 'command' ? 'partial' : 'full';
  return {
    /** `partial`: the first column is `command`; `full`: the file names every user who stays. */
    kind,
    rows: records.map((record) => readRow(record, columns, settings)),
  };
}

function readRecords(text: string, delimiter: string): CsvRecord[] {
  const options = { bom: true, delimiter, info: true, relax_column_count: true, skip_empty_lines: true };
  try {
    // The library's types do not describe the effect of `info` on the records.
    return parse(text, options) as unknown as CsvRecord[];
  } catch (error) {
    throw new UnreadableFile(error instanceof Error ? error.message : 'the file is not CSV');
  }
}

function checkColumns(columns: readonly string[]): void {
  const [first, ...others] = columns;
  const fields = first === 'command' ? others : columns;
  const unknown = fields.filter((name) => name !== 'identification' && findField(name) === undefined);
  if (unknown.length > 0) throw new UnreadableFile(`no column is called ${unknown.join(', ')}`);
  if (!fields.includes('identification')) throw new UnreadableFile('the column identification is missing');
  if (new Set(columns).size < columns.length) throw new UnreadableFile('a column appears twice');
}

function readRow({ record, info }: CsvRecord, columns: readonly string[], settings: CsvSettings) {
  const cells = new Map(columns.map((name, i) => [name, record[i] ?? '']));
  const fields: Partial<Record<FieldName, string>> = {};
  const problems: string[] = [];
  if (record.length !== columns.length) problems.push(`${record.length} cells where the header has ${columns.length}`);
  for (const [name, cell] of cells) {
    const traits = findField(name);
    if (traits === undefined) continue;
    const value = traits.isDate && cell !== '' ? readDate(cell, settings.csvDateFormat) : cell;
    if (value === undefined) problems.push(`${name} is not a date`);
    else fields[traits.name] = value;
  }
  const identification = cells.get('identification') ?? '';
  if (identification.trim() === '') problems.push('identification is empty');
  const command = cells.get('command');
  if (command !== undefined && !isCommand(command)) problems.push('command is none of I, U, D');
  return {
    /** The line on which the row ends; the header is line 1. */
    line: info.lines,
    identification,
    /** Absent in a full file. */
    command: isCommand(command) ? command : undefined,
    /** Fields of the file's columns; `''` is an empty cell. */
    fields,
    /** Why the row is invalid, regardless of the user that it names. */
    problem: problems.length === 0 ? undefined : problems.join('; '),
  };
}

function isCommand(text: string | undefined): text is RowCommand {
  return text === 'I' || text === 'U' || text === 'D';
}
