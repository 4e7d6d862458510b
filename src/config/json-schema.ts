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
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}
