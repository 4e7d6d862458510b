import { parse } from 'csv-parse/sync';
import { type FieldName, type FieldValues, findField } from '../../core/person/fields.ts';
import { readDate } from '../dates.ts';
import type { SandboxQuirks } from '../quirks.ts';

export type RowCommand = 'I' | 'U' | 'D';

/** One row of a provisioning file. */
export interface FileRow {
  /** The line on which the row ends; the header is line 1. */
  readonly line: number;
  readonly identification: string;
  /** Absent in a full file. */
  readonly command: RowCommand | undefined;
  /** Fields of the file's columns; `''` is an empty cell. */
  readonly fields: FieldValues;
  /** Why the row is invalid, regardless of the user that it names. */
  readonly problem: string | undefined;
}

export interface UserFile {
  /** `partial`: the first column is `command`; `full`: the file names every user who stays. */
  readonly kind: 'full' | 'partial';
  readonly rows: readonly FileRow[];
}

/** The file cannot be read as a whole, so no row counts. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

type CsvSettings = Pick<SandboxQuirks, 'csvDelimiter' | 'csvDateFormat' | 'fieldMapping'>;

/** Reads a provisioning file: columns by name, any subset, in any order. Throws `UnreadableFile`. */
export function readUserFile(text: string, preprocessing: boolean, settings: CsvSettings): UserFile {
  const [header, ...records] = readRecords(text, settings.csvDelimiter);
  if (header === undefined) throw new UnreadableFile('the file is empty');
  const mapping = preprocessing ? settings.fieldMapping : {};
  const columns = header.record.map((name) => mapping[name] ?? name);
  checkColumns(columns);
  const kind = columns[0] === 'command' ? 'partial' : 'full';
  return { kind, rows: records.map((record) => readRow(record, columns, settings)) };
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

function readRow({ record, info }: CsvRecord, columns: readonly string[], settings: CsvSettings): FileRow {
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
    line: info.lines,
    identification,
    command: isCommand(command) ? command : undefined,
    fields,
    problem: problems.length === 0 ? undefined : problems.join('; '),
  };
}

function isCommand(text: string | undefined): text is RowCommand {
  return text === 'I' || text === 'U' || text === 'D';
}
