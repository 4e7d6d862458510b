import { countOf, percent } from '../run/formats.ts';

/**
 * The columns that decide who works here. They have few values, so that a damaged one looks like people who come and go:
 * its values became others, one value stands in every row, or the values stand in other rows than before.
 */
export type DecidingColumns = Readonly<Record<string, DecidingColumn>>;

/** What a column looked like. Values are hashes. */
export interface DecidingColumn {
  readonly isScope: boolean;
  readonly rows: number;
  readonly filled: number;
  /** How many rows have each value; undefined where there are more values than such a column has. */
  readonly values: Readonly<Record<string, number>> | undefined;
  /** Sums over the people and the values: rows in another order have the same sums. */
  readonly people: number;
  readonly sum: number;
  /** Sums over both together, one for each share of the people: they show how many people have another value. */
  readonly pairs: readonly number[];
  /** A sum over the people who work here, and how many rows are out of scope: a change that decides nothing is none. */
  readonly working: number;
  readonly outside: number;
}

/** What a row decides. */
export interface DecidedRow {
  readonly works: boolean;
  readonly isOutside: boolean;
}

const mostValues = 40;
const shares = 16;

/** FNV-1a, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export function openDecidingColumn(isScope: boolean) {
  const values = new Map<number, number>();
  const pairs = Array.from({ length: shares }, () => 0);
  let [rows, filled, people, sum, working, outside, isMany] = [0, 0, 0, 0, 0, 0, false];
  return {
    /** Counts a cell. `person`: the hash of the identification. */
    see(cell: unknown, person: number, { works, isOutside }: DecidedRow): void {
      rows += 1;
      if (works) working = (working + person) >>> 0;
      if (isOutside) outside += 1;
      people = (people + person) >>> 0;
      if (cell === undefined || cell === null || cell === '') return;
      filled += 1;
      const hash = hashOf(typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
      sum = (sum + hash) >>> 0;
      const share = person % shares;
      pairs[share] = ((pairs[share] ?? 0) + Math.imul(hash ^ person, 0x85ebca6b)) >>> 0;
      if (isMany) return;
      values.set(hash, (values.get(hash) ?? 0) + 1);
      isMany = values.size > mostValues;
    },
    result: (): DecidingColumn => {
      const shown = isMany ? undefined : Object.fromEntries(values);
      return { isScope, rows, filled, people, working, outside, values: shown, sum, pairs };
    },
  };
}

/** So many rows with new values are no new kind of people. */
const newShare = 0.2;
const fewest = 2;
/** On one day, one may leave and another one come back. */
const mostExchanged = 2;
/** In fewer rows, all people may really have one value. */
const enoughRows = 10;

/** Returns what happened to a column since the last accepted read, as a sentence; undefined for most. */
export function doubtDeciding(
  path: string,
  now: DecidingColumn,
  before: DecidingColumn | undefined,
  mayFall: number,
): string | undefined {
  if (before === undefined || now.rows === 0 || before.rows === 0) return undefined;
  const [share, was] = [now.filled / now.rows, before.filled / before.rows];
  if (now.isScope && (was - share) * 100 > mayFall + 1e-9) {
    return `${path} is filled for ${percent(share)} of the rows, down from ${percent(was)}. Check whether a permission or a column was removed in the HR system`;
  }
  const isSame = now.rows === before.rows && now.people === before.people && now.sum === before.sum;
  const moved = now.pairs.filter((pair, share) => pair !== before.pairs[share]).length;
  if (isSame && moved > (now.isScope ? 0 : mostExchanged) && now.working !== before.working) {
    return `${path} has the same values as before, but for other people: rows of the export may be shifted or partly sorted`;
  }
  if (!now.isScope || now.outside === before.outside) return undefined;
  if (now.values === undefined || before.values === undefined) return undefined;
  const known = before.values;
  const others = Object.entries(now.values).filter(([value]) => known[value] === undefined);
  const many = others.reduce((rows, [, count]) => rows + count, 0);
  if (many > fewest && many > newShare * now.rows) {
    return `${path} has values in ${countOf(many, 'row')} that it never had before. Check the export, and scope`;
  }
  const isOne = Object.keys(now.values).length === 1 && Object.keys(known).length > 1;
  return isOne && now.rows >= enoughRows && now.rows > before.rows * (1 - newShare)
    ? `${path} has one value in every row now. Check the export, and scope`
    : undefined;
}
