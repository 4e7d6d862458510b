import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sourceKinds } from '../../../src/sources/registry.ts';
import { makeClientKeys } from '../../fakes/hris/successfactors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { loadBlock, readPageBlocks, type Section } from './blocks.ts';

/** Advice that stands in a sentence: a key and its value, below `source` or a key of it, or (`sync`) beside it. */
interface Advice {
  readonly page: string;
  /** The text between the backticks. */
  readonly text: string;
  /** The block, or the starter of a kind or preset, into which a reader would write it. */
  readonly into: string;
  /** The key of `source` that it belongs to; `sync`: it stands beside `source`. */
  readonly below?: string;
  /** What it needs beside it. */
  readonly also?: Section;
}

const advice: readonly Advice[] = [
  { page: 'csv', text: 'encoding: windows-1252', into: 'csv.md 1' },
  { page: 'csv', text: 'newest: time', into: 'csv.md 1', also: { path: './drop/employees-*.csv' } },
  { page: 'csv', text: 'complete: marker', into: 'csv.md 1' },
  { page: 'csv', text: 'complete: trailer', into: 'csv.md 1' },
  { page: 'hibob', text: 'statuses: { garden leave: terminated }', into: 'hibob.md 1' },
  { page: 'personio', text: 'total: ignore', into: 'personio-v1' },
  { page: 'personio', text: 'customFields: { 1: Personnel no. }', into: 'personio', below: 'mapping' },
  {
    page: 'rest',
    text: 'fields: { site: { from: site_code, table: { L1: Montevideo, L2: Madrid } } }',
    into: 'rest.md 1',
  },
  { page: 'rest', text: 'query: { sort: id }', into: 'rest.md 1' },
  { page: 'rest', text: 'lastPage: total', into: 'rest.md 1', below: 'paging' },
  { page: 'rest', text: 'overlap: 1', into: 'rest.md 1', below: 'paging' },
  { page: 'rest', text: 'title: { from: jobs, latest: start, take: title }', into: 'rest.md 1', below: 'fields' },
  { page: 'rest', text: 'prefer: "rollcallStatus = \'active\'"', into: 'rippling', below: 'sync' },
  { page: 'rest', text: 'total: page.total_rows', into: 'deel' },
  { page: 'rest', text: 'status: { map: { R: terminated } }', into: 'ukg' },
  { page: 'rest', text: 'join: { by: employeeID, key: employeeId }', into: 'ukg' },
  { page: 'scim', text: 'total: exact', into: 'scim.md 1' },
  { page: 'scim', text: 'total: ignored', into: 'scim.md 1' },
  { page: 'scim', text: 'sortBy: false', into: 'scim.md 1' },
  { page: 'successfactors', text: 'statusCodes: { "4606": A, "4610": T }', into: 'successfactors.md 1' },
  { page: 'successfactors', text: 'future: shown', into: 'successfactors.md 1' },
  { page: 'successfactors', text: 'entity: PerPerson', into: 'successfactors.md 1' },
  { page: 'successfactors', text: 'paging: snapshot', into: 'successfactors.md 1' },
  { page: 'workday', text: 'workers: all', into: 'workday.md 2' },
];

const blocks = await readPageBlocks();
const starters = sourceKinds.flatMap((kind) => kind.starters);

/** References have values, which only the loader sees. */
const env = new Proxy({}, { get: () => 'a-value', has: () => true }) as Readonly<Record<string, string>>;
const { privateKey } = makeClientKeys();
const files = new Proxy({}, { get: (_, path) => (String(path).endsWith('.pem') ? privateKey : 'a-value') }) as Readonly<
  Record<string, string>
>;

test.each(advice)('the page of $page: $text', async ({ page, text, into, below, also = {} }) => {
  expect(await readFile(new URL(`../../../docs/sources/${page}.md`, import.meta.url), 'utf8')).toContain(`\`${text}\``);
  const starter = starters.find(({ name }) => name === into);
  const begun =
    starter === undefined ? blocks.find(({ name }) => name === into)?.text : `${starter.source}\n${starter.mapping}`;
  const sections = parse(begun ?? '') as { readonly source: Section; readonly mapping?: Section };
  const said = parse(text) as Section;
  const written =
    below === 'sync' || below === 'mapping'
      ? {}
      : below === undefined
        ? said
        : { [below]: { ...(sections.source[below] as Section), ...said } };
  const block = {
    name: into,
    text: JSON.stringify({
      ...sections,
      source: { ...sections.source, ...also, ...written },
      ...(below === 'mapping' ? { mapping: { ...sections.mapping, ...said } } : {}),
    }),
  };

  const given = { folder: await temporaryFolder(), env, files, ...(below === 'sync' ? { sync: said } : {}) };

  await expect(loadBlock(block, given)).resolves.toMatchObject({ name: 'people' });
});
