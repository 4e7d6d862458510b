import { readFile } from 'node:fs/promises';
import type { SourceKind } from '../../src/ports/source.ts';
import { renderJson } from '../docs/config-schema.ts';
import { chartConfigSchema, type Draft7Node } from './config-schema.ts';
import { documentedValues } from './documented-values.ts';

const chart = new URL('../../helm/rollcall/', import.meta.url);

/** The parts of the schema of the values that the generators read. */
export interface ValuesNode extends Draft7Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ValuesNode>>;
}

/**
 * Returns the text of values.schema.json: its own types and limits, the descriptions of values.yaml, and the schema of the
 * product for `config`. Throws when one of the two files has a key that the other lacks.
 */
export async function renderValuesSchema(kinds: readonly SourceKind[]): Promise<string> {
  const schema: ValuesNode = JSON.parse(await readFile(new URL('values.schema.json', chart), 'utf8'));
  const described = documentedValues(await readFile(new URL('values.yaml', chart), 'utf8'));
  const descriptions = new Map(described.map(({ path, description }) => [path.join('.'), description]));
  const { config, definitions } = chartConfigSchema(kinds);
  const bare = { ...schema, properties: { ...schema.properties, config } };
  const properties = describe(bare, '', descriptions).properties;
  if (descriptions.size > 0) {
    throw new Error(`values.schema.json lacks what values.yaml documents: ${[...descriptions.keys()].join(', ')}`);
  }
  return `${renderJson({ ...schema, properties, definitions })}\n`;
}

/** Sets the description of each property that has one, and takes it out of the map. */
function describe(node: ValuesNode, prefix: string, descriptions: Map<string, string>): ValuesNode {
  if (node.properties === undefined || prefix === 'config.') return node;
  const properties = Object.entries(node.properties).map(([name, child]) => {
    const path = `${prefix}${name}`;
    const description = descriptions.get(path);
    descriptions.delete(path);
    const { description: _, ...rest } = child;
    const below = describe(rest, `${path}.`, descriptions);
    return [name, description === undefined ? below : { description, ...below }];
  });
  return { ...node, properties: Object.fromEntries(properties) };
}
