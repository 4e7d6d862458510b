import type { SourceKind } from '../../src/ports/source.ts';
import { code, type KeyRow, renderKeyList } from './config-keys.ts';
import { kindSchema, type SchemaNode } from './config-schema.ts';

/** Returns the text of docs/sources/keys.md: the keys below `syncs.<name>.source`. Keys that kinds share appear once. */
export function renderSourceReference(kinds: readonly SourceKind[]): string {
  const found = kinds.map((kind) => ({ kind, rows: rowsOf(kindSchema(kind), []) }));
  const all = found.flatMap(({ rows }) => rows);
  const isShared = (row: KeyRow) => row.key !== 'kind' && all.filter((one) => isSame(one, row)).length > 2;
  const shared = all.filter((row, i) => isShared(row) && all.findIndex((one) => isSame(one, row)) === i);
  const chapters = found.map(({ kind, rows }) => {
    const roots = rows.filter(isShared).map(({ key }) => code(key.split('.')[0] ?? key));
    const also =
      roots.length === 0 ? '' : `\n\nIt has [shared keys](#shared-keys) too: ${[...new Set(roots)].join(', ')}.`;
    const own = rows.filter((row) => !isShared(row));
    return `## ${code(kind.kind)}: ${kind.title}\n\n${renderKeyList(own)}${also}`;
  });
  const parts = [introduction, `## Shared keys\n\n${renderKeyList(shared)}`, ...chapters];
  return `${parts.join('\n\n')}\n`;
}

const introduction = `# Source keys

<!-- Generated from the sources' own schemas by \`npm run docs\`; edit there. -->

The keys below \`syncs.<name>.source\`: \`kind\`, and the keys of that kind. [Sources](README.md) has the setup, permissions and limits of
each kind. \`rollcall init --source NAME\` writes an example with comments.`;

function isSame(one: KeyRow, other: KeyRow): boolean {
  return one.key === other.key && one.meaning === other.meaning && isAlike(one, other);
}

/** One of several forms of a section: `kind: bearer`. */
interface Variant {
  readonly properties: NonNullable<SchemaNode['properties']>;
  readonly required: readonly string[];
  readonly label: string;
}

function rowsOf(node: SchemaNode, above: readonly string[]): KeyRow[] {
  const found: { readonly row: KeyRow; readonly labels: string[] }[] = [];
  const variants = variantsOf(node);
  for (const { properties, required, label } of variants) {
    for (const [name, child] of Object.entries(properties)) {
      const below = childOf(child);
      const path = [...above, `${name}${below.suffix}`];
      const own = {
        key: path.join('.'),
        node: child,
        isRequired: required.includes(name),
        meaning: child.description ?? '',
      };
      for (const row of [own, ...rowsOf(below.node, path)]) addRow(found, row, label);
    }
  }
  return found.map(({ row, labels }) => {
    const isOfAll = labels.length === variants.length || labels.includes('') || row.node.const !== undefined;
    return isOfAll ? row : { ...row, meaning: `(${labels.join(' or ')}) ${row.meaning}`.trim() };
  });
}

/** Adds a row. A row that several variants share appears once; a key that tells them apart lists all its values. */
function addRow(found: { row: KeyRow; readonly labels: string[] }[], row: KeyRow, label: string): void {
  const known = found.find((one) => one.row.key === row.key && (isAlike(one.row, row) || isTeller(one.row, row)));
  if (known === undefined) {
    found.push({ row, labels: [label] });
    return;
  }
  known.labels.push(label);
  if (isAlike(known.row, row)) return;
  const { const: first, enum: values = [first], ...node } = known.row.node;
  known.row = { ...known.row, node: { ...node, enum: [...values, row.node.const] } };
}

function isAlike(one: KeyRow, other: KeyRow): boolean {
  return one.isRequired === other.isRequired && JSON.stringify(one.node) === JSON.stringify(other.node);
}

function isTeller(one: KeyRow, other: KeyRow): boolean {
  return (one.node.const !== undefined || one.node.enum !== undefined) && other.node.const !== undefined;
}

function variantsOf(node: SchemaNode): readonly Variant[] {
  if (node.properties !== undefined) {
    const { properties, required = [] } = node;
    const words = Object.entries(properties).flatMap(([name, child]) => {
      return child.const === undefined ? [] : [`\`${name}: ${String(child.const)}\``];
    });
    return [{ properties, required, label: words.join(', ') }];
  }
  return [...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap(variantsOf);
}

/** Returns where the keys below a key are: in itself, in list items (`columns[]`), or under operator-chosen names. */
function childOf(node: SchemaNode): { readonly node: SchemaNode; readonly suffix: string } {
  if (node.items !== undefined && variantsOf(node.items).length > 0) return { node: node.items, suffix: '[]' };
  const { additionalProperties: more } = node;
  if (typeof more === 'object' && variantsOf(more).length > 0)
    return { node: { properties: { '*': more } }, suffix: '' };
  return { node, suffix: '' };
}
