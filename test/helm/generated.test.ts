import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { documentedValues } from '../../scripts/chart/documented-values.ts';
import type { ValuesNode } from '../../scripts/chart/values-schema.ts';
import { chart } from './helm-tool.ts';

const read = (file: string) => readFile(join(chart, file), 'utf8');

/** The keys of a map, down to where the schema leaves the form to Kubernetes or to the product. */
function keysOf(value: unknown, node: ValuesNode | undefined, prefix = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || node?.properties === undefined || prefix === 'config.') return [];
  return Object.entries(value).flatMap(([key, child]) => [
    `${prefix}${key}`,
    ...keysOf(child, node.properties?.[key], `${prefix}${key}.`),
  ]);
}

it('explains every value, and knows every value that it explains', async () => {
  const text = await read('values.yaml');
  const schema: ValuesNode = JSON.parse(await read('values.schema.json'));
  const explained = documentedValues(text).map(({ path }) => path.join('.'));
  // A value whose parts are what Kubernetes knows is explained as a whole.
  const isWhole = (key: string) => explained.includes(key) && !explained.some((other) => other.startsWith(`${key}.`));
  const isExplained = (key: string) => explained.includes(key) || isWhole(key.split('.').slice(0, -1).join('.'));
  const keys = keysOf(parse(text), schema);
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => !isExplained(key))).toEqual([]);
  expect(explained.filter((key) => !keys.includes(key))).toEqual([]);
});

it('would notice a value without an explanation', () => {
  const text = '# -- The first,\n# in two lines.\na:\n  # -- Below.\n  b: 1\n  c: 2\n\n# A remark.\nd: 3\n';
  expect(documentedValues(text)).toEqual([
    { path: ['a'], description: 'The first, in two lines.' },
    { path: ['a', 'b'], description: 'Below.' },
  ]);
});

it('has an icon that is the picture of icon.svg, and the license of the product', async () => {
  const { icon, annotations } = parse(await read('Chart.yaml'));
  const [kind, data = ''] = icon.split(';base64,');
  expect(kind).toBe('data:image/svg+xml');
  expect(Buffer.from(data, 'base64').toString()).toBe((await read('icon.svg')).trim());
  const { license } = JSON.parse(await read('../../package.json'));
  expect(annotations).toMatchObject({ 'artifacthub.io/license': license });
});
