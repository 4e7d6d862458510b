import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePlanFile } from '../../src/cli/commands/plan-file.ts';
import type { ChangeQuery, PlannedChange } from '../../src/ports/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sampleChange } from './samples.ts';

const quiet = new AbortController().signal;

/** Answers like the app: in order of identification, so many after one. */
function planOf(changes: readonly PlannedChange[]) {
  const page = async (_: string, { limit, after = '' }: ChangeQuery) =>
    changes.filter(({ identification }) => identification > after).slice(0, limit);
  return { engine: { store: { plans: { page } } } };
}

const many = Array.from({ length: 2500 }, (_, i) => sampleChange({ identification: String(i).padStart(6, '0') }));

test.each([
  [
    'plan.jsonl',
    (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  ],
  [
    'plan.txt',
    (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  ],
  ['plan.json', (text: string) => JSON.parse(text)],
  ['PLAN.JSON', (text: string) => JSON.parse(text)],
])('%s holds every change once, in order', async (name, read) => {
  const path = join(await temporaryFolder(), name);

  expect(await writePlanFile(path, 'plan_1', planOf(many), quiet)).toBe(2500);
  const ids = read(await readFile(path, 'utf8')).map(({ identification }: PlannedChange) => identification);
  expect(ids).toEqual(many.map(({ identification }) => identification));
});

test('an empty plan is an empty JSON list', async () => {
  const path = join(await temporaryFolder(), 'plan.json');
  await writePlanFile(path, 'plan_1', planOf([]), quiet);

  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([]);
});

test('a CSV has a row per field, and no cell that a spreadsheet would run', async () => {
  const path = join(await temporaryFolder(), 'plan.csv');
  const changes = [
    sampleChange({ after: { area: '=1+1', job: 'Clerk, senior' }, changed: ['area', 'job'] }),
    sampleChange({ identification: '1004', kind: 'disable', after: {}, changed: [], reason: 'left' }),
  ];
  await writePlanFile(path, 'plan_1', planOf(changes), quiet);

  expect(await readFile(path, 'utf8')).toMatchInlineSnapshot(`
    "identification,change,state,reason,field,before,after
    1003,update,planned,differs in area,area,Sales,'=1+1
    1003,update,planned,differs in area,job,(not shown),"Clerk, senior"
    1004,disable,planned,left,,,
    "
  `);
});

test('the file is for its owner only, even if it was there and open to all', async () => {
  const path = join(await temporaryFolder(), 'plan.csv');
  await writeFile(path, 'old', { mode: 0o644 });
  await writePlanFile(path, 'plan_1', planOf([sampleChange()]), quiet);

  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a plan that was not written whole leaves the old file, and nothing beside it', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'plan.json');
  await writeFile(path, 'old');
  const stopped = AbortSignal.abort(new Error('stopped'));

  await expect(writePlanFile(path, 'plan_1', planOf(many), stopped)).rejects.toThrow('stopped');
  expect(await readFile(path, 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['plan.json']);
});

test('a place that cannot be written to is wrong usage', async () => {
  const path = join(await temporaryFolder(), 'no', 'such', 'plan.json');

  await expect(writePlanFile(path, 'plan_1', planOf([]), quiet)).rejects.toMatchObject({ code: 'USAGE' });
});
