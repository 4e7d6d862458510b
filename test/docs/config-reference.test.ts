import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { renderConfigReference } from '../../scripts/docs/config-reference.ts';
import { configJsonSchema, renderJsonSchema, type SchemaNode } from '../../scripts/docs/config-schema.ts';
import { renderSourceReference } from '../../scripts/docs/source-reference.ts';
import { defaultDialect, defaultGuards, defaultLimits } from '../../src/core/run/settings.ts';
import { sourceKinds } from '../../src/sources/registry.ts';
import { key32, load } from '../config/support.ts';

const root = new URL('../../', import.meta.url);

interface Key {
  readonly path: string;
  readonly node: SchemaNode;
}

function keysOf(node: SchemaNode, path = ''): readonly Key[] {
  const own = Object.entries(node.properties ?? {}).map(([name, child]) => ({ path: `${path}.${name}`, node: child }));
  const below = [
    ...own.map((key) => [key.node, key.path] as const),
    ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].map((branch) => [branch, path] as const),
    ...(node.items === undefined ? [] : [[node.items, `${path}[]`] as const]),
    ...Object.entries(node.$defs ?? {}).map(([name, child]) => [child, `${path}.${name}`] as const),
    ...(typeof node.additionalProperties === 'object' ? [[node.additionalProperties, `${path}.*`] as const] : []),
  ];
  return [...own, ...below.flatMap(([child, at]) => keysOf(child, at))];
}

const keys = keysOf(configJsonSchema(sourceKinds));

const isOfSource = ({ path }: Key) => path.startsWith('.syncs.*.source.');

test('every key of the schema has a meaning and an example', () => {
  const own = keys.filter((key) => !isOfSource(key));
  const bare = own.filter(({ node }) => (node.description ?? '') === '' || node.examples?.[0] === undefined);

  expect(bare.map(({ path }) => path)).toEqual([]);
  expect(keys.length).toBeGreaterThan(110);
});

test('every key of every kind of source has a meaning', () => {
  // What is deeper may be explained by the key that holds it.
  const isNear = ({ path }: Key) => path.split('.').length <= 5;
  const bare = keys.filter(
    (key) => isOfSource(key) && isNear(key) && key.node.const === undefined && (key.node.description ?? '') === '',
  );

  expect(bare.map(({ path }) => path)).toEqual([]);
  expect(keys.filter(isOfSource).length).toBeGreaterThan(sourceKinds.length * 3);
});

test('editors complete a source by its kind, and refuse keys of another', () => {
  const { oneOf = [] } = keys.find(({ path }) => path === '.syncs.*.source')?.node ?? {};

  expect(oneOf).toHaveLength(sourceKinds.length);
  const source = z.fromJSONSchema({ oneOf } as Parameters<typeof z.fromJSONSchema>[0]);
  expect(source.safeParse({ kind: 'csv', path: 'a.csv' }).success).toBe(true);
  expect(source.safeParse({ kind: 'csv', path: 'a.csv', baseUrl: 'x' }).success).toBe(false);
  expect(source.safeParse({ kind: 'fax', path: 'a.csv' }).success).toBe(false);
});

test('every key is in one of the two references', () => {
  const text = `${renderConfigReference(sourceKinds)}${renderSourceReference(sourceKinds)}`;

  // A list item or a table row begins with its keys.
  const heads = [...text.matchAll(/^(?:- |\| )(`[^`]+`(?:,\s+`[^`]+`)*)/gm)].map(([, head = '']) => head);
  const named = heads.flatMap((head) => [...head.matchAll(/`([^`]+)`/g)]).map(([, key = '']) => key);
  const names = new Set(named.flatMap((key) => key.replaceAll('[]', '').split('.')));
  const missing = keys.filter(({ path }) => !names.has(path.split('.').at(-1) ?? ''));

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

    const [, section = 'no section'] = text.split(`### \`${setting}\`\n`);
    const cell = /^- Default: ((?:.|\n {2})*)/m.exec(section)?.[1]?.replaceAll('\n  ', ' ');
    expect(cell).toBe(Array.isArray(standard) && standard.length > 0 ? standard.map(code).join(', ') : code(standard));
  },
);

function code(value: unknown): string {
  return `\`${Array.isArray(value) ? '[]' : value}\``;
}

/** design.md, section 6, without the keys that this version refuses. */
const written = `
store: sqlite:./.rollcall/rollcall.db
encryptionKey: "\${env:ROLLCALL_KEY}"
connections:
  acme:
    baseUrl: https://platform.example.com
    applicationToken: "\${env:ACME_APPLICATION_TOKEN}"
    refreshToken: "\${file:secrets/acme-refresh}"
    limits: { requestsPerSecond: 10, concurrency: 4 }
    dialect: {}
syncs:
  people:
    connection: acme
    schedule: { cron: "*/15 * * * *", timezone: America/Montevideo }
    source: { kind: csv, path: ./employees.csv, complete: stable }
    policy: sync
    delivery: auto
    batchRows: 1000
    mapping:
      identification: employee_id
      firstName: first_name
      lastName: last_name
      email: { from: work_email, transform: [trim, lowercase] }
      orgEntryDate: { from: hire_date, format: dd/MM/yyyy }
      seniority: { expression: "$number(level) > 5 ? 'Senior' : 'Junior'" }
      account: { value: Acme UY }
      phoneNumber: { from: phone, whenEmpty: clear }
      customFields: { 1: cost_center, 2: manager_email }
    scope: "country = 'UY' and type != 'contractor'"
    match: [identification, email]
    lifecycle: { status: status, active: [active, leave], leaver: [terminated], hireDate: hire_date, leaveDate: end_date, timezone: tz }
    missing: { afterReads: 2, minAge: 24h }
    outOfScope: ignore
    firstSight: write
    foreignDisable: report
    protected: [admin@acme]
    remove: never
    parkEmail: "{identification}@parked.example"
    settle: { every: 5s, deadline: 30m, visibleWithin: 2m, unknownAfter: 30m, maxSplits: 12 }
    guards: {}
`;

test('editors with the JSON Schema take what the loader takes, and refuse a key that it refuses', async () => {
  const schema = z.fromJSONSchema(JSON.parse(renderJsonSchema(sourceKinds)));
  const around = {
    env: { ROLLCALL_KEY: key32, ACME_APPLICATION_TOKEN: 'a' },
    files: { 'secrets/acme-refresh': 'r' },
  };

  await expect(load(written.replace(', complete: stable', ''), around)).resolves.toBeDefined();
  expect(schema.safeParse(parse(written)).error).toBeUndefined();
  expect(schema.safeParse(parse(written.replace('outOfScope', 'outOfScop'))).success).toBe(false);
  expect(schema.safeParse(parse(written.replace('policy: sync', 'policy: all'))).success).toBe(false);
});
