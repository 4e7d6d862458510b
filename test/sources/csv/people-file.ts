import type { Crowd } from '../../contracts/source.ts';
import type { FaultName } from '../../contracts/source-faults.ts';

/** Identifications of many people (5,000) or of few (100), and their file with a trailer, damaged as the fault says. */
export function peopleFile(
  fault?: FaultName,
  crowd?: Crowd,
): { readonly identifications: readonly string[]; readonly text: string } {
  const count = crowd === 'many' ? 5_000 : 100;
  const identifications = Array.from({ length: count }, (_, index) => `id-${index}-of-${'x'.repeat(60)}`);
  const rows = identifications.map((id) => `${id},"Last, First",${id}@example.com`);
  if (fault === 'empty') rows.length = 0;
  if (fault === 'stray quotes') {
    // Columns, line end and trailer are right for the rows that a parser sees.
    rows.splice(
      10,
      5,
      `${rows[10]?.replace('"Last, First"', '"Last')}`,
      ...rows.slice(11, 14).map(unquoted),
      `${unquoted(rows[14] ?? '').replace('First', 'First"')}`,
    );
  }
  const promised: number | string =
    { 'total too large': count + 1, 'total too small': count - 1, 'total nonsense': 'many' }[fault as string] ??
    rows.length - (fault === 'stray quotes' ? 4 : 0);
  const text = `id,name,mail\n${rows.join('\n')}\nT,${promised},\n`;
  return { identifications, text: fault === 'cut for good' ? text.slice(0, -2_000) : text };
}

function unquoted(row: string): string {
  return row.replace('"Last, First"', 'First');
}

const pages = 'a file has no pages';
const engine = 'a file has no pages between which a person could be skipped; the engine refuses two rows of one person';

/** Of files from elsewhere. */
export const onDisk = 'the complete file is copied to disk before its first row is read';

/** What cannot happen to a file, wherever it lies. */
export const impossibleForFiles = {
  'page again': pages,
  'cursor again': pages,
  'page emptied': pages,
  'person twice': engine,
  'person slipped': pages,
  'cursor expired': pages,
  'pages shrink': pages,
  'long ids': 'cells are text',
} as const satisfies Partial<Record<FaultName, string>>;
