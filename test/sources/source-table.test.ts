import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sourceKinds } from '../../src/sources/registry.ts';
import { faultNames } from '../contracts/source-faults.ts';
import { collectCases, renderSourceTables, withSourceTables } from './source-table.ts';

const docs = new URL('../../docs/sources/', import.meta.url);
const cases = await collectCases();

test('the tables of docs/sources/README.md are what kinds and tests say; run `npm run docs`', async () => {
  const page = await readFile(new URL('README.md', docs), 'utf8');

  expect(withSourceTables(page, renderSourceTables(sourceKinds, cases))).toBe(page);
});

test('every kind is put to the contract suite, and has a page for operators', () => {
  const tested = new Set(cases.map(({ name }) => name.split(' ')[0]));

  expect(sourceKinds.map(({ kind }) => kind).filter((kind) => !tested.has(kind))).toEqual([]);
  expect(sourceKinds.map(({ kind }) => kind).filter((kind) => !existsSync(new URL(`${kind}.md`, docs)))).toEqual([]);
});

test.each(cases)('$name says of what cannot happen why', ({ impossible }) => {
  for (const [fault, why] of Object.entries(impossible)) {
    expect(faultNames).toContain(fault);
    expect(why).toMatch(/\w+ \w+/);
  }
});

test('no cell of the table of kinds has more than twenty words', () => {
  const [table = ''] = renderSourceTables(sourceKinds, cases).split('## Faults and their results');
  const cells = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|'));

  expect(cells.filter((cell) => cell.trim().split(/\s+/).length > 20)).toEqual([]);
});
