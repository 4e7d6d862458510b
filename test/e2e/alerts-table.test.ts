import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { failures, type Played, play, renderTable } from '../watch/alerts/played-failures.ts';

const file = new URL('../../docs/alerts-table.md', import.meta.url);
const played = new Map<string, Played>();

it.each(failures.map((failure) => [failure.name, failure] as const))(
  '%s: is told as it is',
  async (name, failure) => {
    played.set(name, await play(failure));
  },
  120_000,
);

it('docs/alerts-table.md tells what was told; run `npm run alerts:table` when it does not', async () => {
  const table = renderTable(failures.flatMap(({ name }) => played.get(name) ?? []));
  if (process.env.ALERTS_TABLE === 'write') await writeFile(file, table);
  expect(await readFile(file, 'utf8')).toBe(table);
});
