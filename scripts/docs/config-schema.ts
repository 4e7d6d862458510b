import { z } from 'zod';
import { document } from '../../src/config/sections/root.ts';
import { syncShape } from '../../src/config/sections/sync.ts';
import type { SourceKind } from '../../src/ports/source.ts';

/** The parts of a JSON Schema node that the reference uses. */
export interface SchemaNode {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** Returns the JSON Schema (draft 2020-12) of the configuration file, from the schemas that check it. */
export function configJsonSchema(kinds: readonly SourceKind[]): SchemaNode {
  const sources = kinds.map(kindSchema);
  const schema = z.toJSONSchema(document, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      // zod omits examples of transformed values. Ours are examples of the written form.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (zodSchema !== syncShape.source) return;
      const { description } = jsonSchema;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, { description, examples, oneOf: sources });
    },
  });
  return { title: 'Rollcall configuration', ...schema } as SchemaNode;
}

/** Returns the `source:` section of one kind as a self-contained schema, with its definitions inlined. */
export function kindSchema({ kind, schema }: SourceKind): SchemaNode {
  const { $schema: _, $defs = {}, ...rest } = schema as SchemaNode & { readonly $schema?: string };
  const whole = withoutReferences(rest, $defs, kind, 0) as SchemaNode;
  return nameKind(whole, kind);
}

/** Adds the description of `kind`, which the kinds' own schemas lack. */
function nameKind(node: SchemaNode, kind: string): SchemaNode {
  const { properties, anyOf, oneOf } = node;
  if (properties !== undefined) {
    const named = { description: 'The kind of source.', examples: [kind], ...properties.kind };
    return { ...node, properties: { ...properties, kind: named } };
  }
  return {
    ...node,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((branch) => nameKind(branch, kind)) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((branch) => nameKind(branch, kind)) }),
  };
}

const deepestSchema = 40;

function withoutReferences(
  node: unknown,
  defs: NonNullable<SchemaNode['$defs']>,
  kind: string,
  depth: number,
): unknown {
  if (depth > deepestSchema)
    throw new RangeError(`the schema of source ${kind} refers to itself, which editors cannot show`);
  if (Array.isArray(node)) return node.map((item) => withoutReferences(item, defs, kind, depth + 1));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref, ...own } = node as SchemaNode;
  const meant = $ref === undefined ? own : { ...defs[$ref.replace('#/$defs/', '')], ...own };
  return Object.fromEntries(
    Object.entries(meant).map(([key, value]) => [key, withoutReferences(value, defs, kind, depth + 1)]),
  );
}

/** Returns the text of `schema/rollcall.schema.json`. */
export function renderJsonSchema(kinds: readonly SourceKind[]): string {
  return `${renderJson(configJsonSchema(kinds))}\n`;
}

const lineWidth = 120;

/** Returns JSON as the project's formatter writes it: a list on one line where it fits, a mapping never. */
export function renderJson(value: unknown, indent = '', taken = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inside = `${indent}  `;
  if (Array.isArray(value)) {
    const line = oneLine(value);
    if (indent.length + taken + line.length + 1 <= lineWidth) return line;
    return `[\n${value.map((item) => `${inside}${renderJson(item, inside, 0)}`).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([key, item]) => {
    const start = `${JSON.stringify(key)}: `;
    return `${inside}${start}${renderJson(item, inside, start.length)}`;
  });
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
