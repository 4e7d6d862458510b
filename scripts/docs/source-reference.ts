import type { SourceKind } from '../../src/ports/source.ts';
import { anchor, code, type KeyRow, renderKeyList, wrap } from './config-keys.ts';
import { kindSchema, type SchemaNode } from './config-schema.ts';

/** Returns the chapters of the source kinds: the keys below `syncs.<name>.source`. */
export function renderSourceReference(kinds: readonly SourceKind[]): string {
  const list = kinds.map(({ kind, title }) => `- [${code(kind)}](${anchor(titleOf(kind))}): ${title}`);
  const introduction =
    'Below `syncs.<name>.source`: `kind`, and the keys of that kind. Setup, permissions and limits of each kind are in ' +
    '[sources](sources/README.md); `rollcall init --source NAME` writes a commented example.';
  const chapters = kinds.map((kind) => `### ${titleOf(kind.kind)}\n\n${renderKeyList(rowsOf(kindSchema(kind), []))}`);
  return ['## The kinds of source', wrap(introduction), list.join('\n'), ...chapters].join('\n\n');
}

const titleOf = (kind: string): string => `Source ${kind}`;

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
