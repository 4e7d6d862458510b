import { z } from 'zod';
import { document } from './schema/document.ts';

/** What we read of a JSON Schema node when we write the reference. */
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
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** The configuration file as JSON Schema (draft 2020-12), from the schema that checks it. */
export function configJsonSchema(): SchemaNode {
  const schema = z.toJSONSchema(document, {
    io: 'input',
    // zod leaves out examples of what it transforms; ours are of what is written.
    override: ({ zodSchema, jsonSchema }) => {
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
  return { title: 'Rollcall configuration', ...schema } as SchemaNode;
}

/** Text of `schema/rollcall.schema.json`. */
export function renderJsonSchema(): string {
  return `${renderJson(configJsonSchema(), '', 0)}\n`;
}

const lineWidth = 120;

/** JSON as the project's formatter leaves it: a list stands in one line where it fits, a mapping never does. */
function renderJson(value: unknown, indent: string, taken: number): string {
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
