import { isEmailAddress } from '../person/cell.ts';
import type { SourceRecord } from '../person/person.ts';
import { compileSourcePath } from '../person/source-path.ts';
import { readText } from '../person/text.ts';
import { countOf } from '../run/formats.ts';
import type { SyncSettings } from '../run/settings.ts';

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
      `${path} (for ${key}): ${odd.length} of ${countOf(cells.length, 'cell')} are ${isLike}, first at ${first.at}: ${shapeOf(first.text)}`,
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
function shapeOf(text: string): string {
  const shape = text.replace(/\d/g, '9').replace(/[\p{L}\p{M}]/gu, 'x');
  return `"${shape.length > longestShape ? `${shape.slice(0, longestShape)}…` : shape}"`;
}
