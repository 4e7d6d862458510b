import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { initTemplate, renderConfigReference, renderJsonSchema } from '../../src/config/index.ts';
import { configJsonSchema, type SchemaNode } from '../../src/config/json-schema.ts';
import { defaultDialect, defaultGuards, defaultLimits } from '../../src/core/settings.ts';
import { load } from './support.ts';

const root = new URL('../../', import.meta.url);

test.each([
  ['docs/configuration.md', renderConfigReference],
  ['schema/rollcall.schema.json', renderJsonSchema],
])('%s is what the schema generates; run `npm run docs` when it is not', async (path, render) => {
  expect(await readFile(new URL(path, root), 'utf8')).toBe(render());
});

interface Key {
  readonly path: string;
  readonly node: SchemaNode;
}

function keysOf(node: SchemaNode, path = ''): readonly Key[] {
  const own = Object.entries(node.properties ?? {}).map(([name, child]) => ({ path: `${path}.${name}`, node: child }));
  const below = [
    ...own.map((key) => [key.node, key.path] as const),
    ...(node.anyOf ?? []).map((branch) => [branch, path] as const),
    ...Object.entries(node.$defs ?? {}).map(([name, child]) => [child, `${path}.${name}`] as const),
    ...(typeof node.additionalProperties === 'object' ? [[node.additionalProperties, `${path}.*`] as const] : []),
  ];
  return [...own, ...below.flatMap(([child, at]) => keysOf(child, at))];
}

const keys = keysOf(configJsonSchema());

test('every key of the schema has a meaning and an example', () => {
  const bare = keys.filter(({ node }) => (node.description ?? '') === '' || node.examples?.[0] === undefined);

  expect(bare.map(({ path }) => path)).toEqual([]);
  expect(keys.length).toBeGreaterThan(110);
});

test('every key is in the reference', () => {
  const text = renderConfigReference();

  const missing = keys.filter(({ path }) => !text.includes(`${path.split('.').at(-1)}\` |`));

  expect(missing.map(({ path }) => path)).toEqual([]);
});

test('what the reference calls a default is what core has as default', () => {
  const at = (path: string) => keys.find((key) => key.path === path)?.node.default;
  const dialect = '.connections.*.dialect';

  expect(at(`${dialect}.search.pageSize`)).toBe(defaultDialect.search.pageSize);
  expect(at(`${dialect}.status.done`)).toEqual(defaultDialect.status.done);
  expect(at(`${dialect}.mayClear`)).toEqual([]);
  expect(at('.connections.*.limits.timeout')).toBe(`${defaultLimits.timeoutMs / 1000}s`);
  expect(at('.syncs.*.guards.removes.cap')).toBe(defaultGuards.removes.cap);
  expect(at('.syncs.*.guards.creates.cap')).toBe('none');
  expect(at('.syncs.*.remove')).toBe('never');
});

const dialectPath = '.connections.*.dialect.';
const dialectKeys = keys.filter(({ path }) => path.startsWith(dialectPath));
const dialectLeaves = dialectKeys.filter(({ node }) => node.properties === undefined);

test.each(dialectLeaves.map(({ path, node }) => [path.slice(dialectPath.length), node.default] as const))(
  'the assumption behind %s is explained to operators with its default',
  async (setting, standard) => {
    const text = await readFile(new URL('docs/platform-assumptions.md', root), 'utf8');

    const row = text.split('\n').find((line) => line.startsWith(`| \`${setting}\` |`));

    const cell = row?.split(' | ')[1] ?? 'no row';
    expect(cell).toBe(Array.isArray(standard) && standard.length > 0 ? standard.map(code).join(', ') : code(standard));
  },
);

function code(value: unknown): string {
  return `\`${Array.isArray(value) ? '[]' : value}\``;
}

test('the starter configuration loads, and its sample has the columns that it maps', async () => {
  const { config, samples, instructions } = initTemplate({ sourceKind: 'csv' });
  const [sample] = samples;

  const { connections, syncs } = await load(config.replace('complete: stable', '').replace('.csv,', '.csv'), {
    env: { ROLLCALL_ACCESS_TOKEN: 'abc' },
  });

  expect(connections.acme?.accessToken?.reveal()).toBe('abc');
  const { mapping, policy, lifecycle } = syncs.people ?? expect.unreachable();
  expect(policy).toBe('upsert-only');
  const columns = sample?.text.split('\n')[0]?.split(',') ?? [];
  const mapped = [mapping.identification, ...Object.values(mapping.fields)].map((rule) =>
    rule?.kind === 'from' ? rule.path : rule,
  );
  expect(columns).toEqual(expect.arrayContaining(mapped));
  expect(columns).toEqual(expect.arrayContaining([lifecycle?.status, lifecycle?.leaveDate]));
  expect(sample?.path).toBe('employees.csv');
  expect(instructions).toContain('rollcall plan people');
});

test('what the starter configuration has as comments loads too', async () => {
  const { config } = initTemplate({ sourceKind: 'csv' });
  const uncommented = config
    .replace('complete: stable', '')
    .replace('.csv,', '.csv')
    .replace('accessToken:', '# accessToken:')
    .replace('policy: upsert-only', 'policy: sync')
    .replace(
      /^(\s*)# (store|applicationToken|refreshToken|limits|dialect|schedule|job|account|seniority|customFields|scope|protected|missing|remove|guards):/gm,
      '$1$2:',
    );

  const { syncs } = await load(`encryptionKey: ${Buffer.alloc(32).toString('base64')}\n${uncommented}`, {
    env: { ROLLCALL_APPLICATION_TOKEN: 'abc' },
    files: { 'secrets/acme-refresh': 'def\n' },
  });

  expect(syncs.people?.mapping.fields.customField1).toBeDefined();
  expect(syncs.people?.remove).toMatchObject({ blacklist: false });
});

test('a source kind without a starter configuration says which has one', () => {
  expect(() => initTemplate({ sourceKind: 'sftp' })).toThrow('rollcall init --source csv');
});
