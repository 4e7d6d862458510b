import type { SourceKind } from '../../src/ports/source.ts';
import { configJsonSchema, type SchemaNode } from '../docs/config-schema.ts';

/** A node of a JSON Schema of draft 7, the newest draft that every version of Helm reads. */
export type Draft7Node = Readonly<Record<string, unknown>>;

export interface ChartConfigSchema {
  /** The schema of `config` in the values of the chart. */
  readonly config: Draft7Node;
  readonly definitions: Readonly<Record<string, Draft7Node>>;
}

/**
 * Returns the schema of the configuration file as the values of the chart need it. Where text is limited, a reference
 * (`${env:NAME}`) and a template (`{{ … }}`) are accepted too, because their values are not known yet. A key that is not
 * required may be null: the chart leaves it out, so that values can remove what other values set. Nothing is required at the
 * top, because the chart has its own message for that.
 */
export function chartConfigSchema(kinds: readonly SourceKind[]): ChartConfigSchema {
  const { properties = {}, $defs = {} } = configJsonSchema(kinds);
  const { server = {}, ...others } = properties;
  const top = { type: 'object', properties: { ...others, server: onFixedPort(server) }, additionalProperties: false };
  return { config: convert(top, true), definitions: mapValues($defs, (node) => convert(node, true)) };
}

/** Kubernetes must know the port, so 0 (any free port) is refused. */
function onFixedPort(server: SchemaNode): SchemaNode {
  const { properties = {} } = server;
  return { ...server, properties: { ...properties, port: { ...properties.port, minimum: 1 } } };
}

const lists = new Set(['anyOf', 'oneOf', 'allOf']);
const single = new Set(['items', 'additionalProperties', 'propertyNames', 'not']);
const limits = ['pattern', 'enum', 'const', 'format'] as const;

/** `isOpen`: a key that is not required may be null. Below a source it may not, because there null may have a meaning. */
function convert(node: SchemaNode, isOpen: boolean): Draft7Node {
  const { oneOf, ...others } = node;
  const kinds = oneOf?.map(kindOf) ?? [];
  if (oneOf !== undefined && kinds.length > 1 && !kinds.includes(undefined) && new Set(kinds).size === kinds.length) {
    return { ...convert(others, isOpen), ...chosenByKind(oneOf, kinds) };
  }
  const converted = Object.fromEntries(
    Object.entries(node).flatMap(([key, value]) =>
      key === 'examples' ? [] : [[key, convertPart({ node, key, isOpen }, value)]],
    ),
  );
  return isLimitedText(node) ? unlessUnresolved(converted) : converted;
}

interface Place {
  readonly node: SchemaNode;
  readonly key: string;
  readonly isOpen: boolean;
}

function convertPart({ node, key, isOpen }: Place, value: unknown): unknown {
  if (key === '$ref') return String(value).replace('#/$defs/', '#/definitions/');
  if (key === 'properties') {
    return mapValues(value as Readonly<Record<string, SchemaNode>>, (property, name) => {
      const converted = convertProperty(property, name, isOpen);
      return isOpen && node.required?.includes(name) !== true ? orNull(converted) : converted;
    });
  }
  if (lists.has(key)) return (value as readonly SchemaNode[]).map((part) => convert(part, isOpen));
  if (typeof value !== 'object') return value;
  if (key === 'additionalProperties' && isOpen) return orNull(convert(value as SchemaNode, isOpen));
  return single.has(key) ? convert(value as SchemaNode, isOpen) : value;
}

function orNull({ description, ...node }: Draft7Node): Draft7Node {
  // `if` and `else` instead of `anyOf`: a message then names the key that is wrong, and no alternatives.
  return { ...(description === undefined ? {} : { description }), if: { type: 'null' }, else: node };
}

/** `kind` chooses the rest of a section, so it is written as it is. */
function convertProperty(node: SchemaNode, name: string, isOpen: boolean): Draft7Node {
  const { examples: _, ...rest } = node;
  return name === 'kind' ? rest : convert(node, isOpen);
}

function kindOf({ properties, oneOf }: SchemaNode): unknown {
  return properties?.kind?.const ?? (oneOf?.[0] === undefined ? undefined : kindOf(oneOf[0]));
}

/** One alternative for each kind, so that a message is about that kind and not about all. */
function chosenByKind(branches: readonly SchemaNode[], kinds: readonly unknown[]): Draft7Node {
  return {
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: kinds } },
    allOf: branches.map((branch, i) => ({
      if: { properties: { kind: { const: kinds[i] } } },
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
      then: convert(branch, false),
    })),
  };
}

function isLimitedText({ type, ...node }: SchemaNode & { readonly format?: unknown }): boolean {
  return type === 'string' && limits.some((limit) => node[limit] !== undefined);
}

function unlessUnresolved({ description, default: byDefault, ...limited }: Draft7Node): Draft7Node {
  return {
    ...(description === undefined ? {} : { description }),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    if: { type: 'string', pattern: String.raw`\$\{|\{\{` },
    else: limited,
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
