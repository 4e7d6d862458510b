import { stringify } from 'yaml';
import { durationPattern } from '../../src/core/run/formats.ts';
import type { SchemaNode } from './config-schema.ts';

/** One configuration key in the reference. */
export interface KeyRow {
  readonly key: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** Returns one list item for each key: its type, default, meaning, and an example where no default shows the form. */
export function renderKeyList(rows: readonly KeyRow[]): string {
  return merged(rows)
    .map((row) => {
      const words = [meaningOf(row), exampleOf(row)].filter((word) => word !== '');
      const head = `- ${row.names} (${factsOf(row).join(', ')})`;
      return wrap([`${head}.`, ...words].join(' ')).replaceAll('\n', '\n  ');
    })
    .join('\n');
}

/** Returns one table row for each key. */
export function renderKeyTable(rows: readonly KeyRow[]): string {
  const cells = rows.map((row) => {
    const standard = isNothing(row.node.default) ? '' : code(flow(row.node.default));
    return `| ${code(row.key)} | ${meaningOf(row)} | ${typeText(row.node).replaceAll('|', '\\|')} | ${standard} |`;
  });
  return ['| Key | Meaning | Allowed | Default |', '| --- | --- | --- | --- |', ...cells].join('\n');
}

/** Joins keys that differ only in their name: `approvals.creates`, `updates`, … */
function merged(rows: readonly KeyRow[]): readonly (KeyRow & { readonly names: string })[] {
  const found: { row: KeyRow; names: string; readonly face: string }[] = [];
  for (const row of rows) {
    const face = JSON.stringify([meaningOf(row), row.node]);
    const same = found.find((one) => one.face === face && meaningOf(row) !== '');
    if (same === undefined) found.push({ row, names: code(row.key), face });
    else same.names += `, ${code(row.key.split('.').at(-1) ?? row.key)}`;
  }
  return found.map(({ row, names }) => ({ ...row, names }));
}

function meaningOf({ meaning }: KeyRow): string {
  return meaning.replaceAll('\n', ' ').trim();
}

function factsOf({ node, isRequired }: KeyRow): readonly string[] {
  const { default: standard } = node;
  return [
    typeText(node),
    ...(isRequired ? ['required'] : isNothing(standard) ? [] : [`default ${code(flow(standard))}`]),
  ];
}

function exampleOf({ key, node, isRequired }: KeyRow): string {
  const name = key.replace(/\[\]$/, '').split('.').at(-1) ?? key;
  const [example] = node.examples ?? [];
  const showsForm = isListed(node) || node.type === 'integer' || (!isRequired && !isNothing(node.default));
  return example === undefined || showsForm ? '' : `Example: ${code(flow({ [name]: example }))}.`;
}

/** Whether the type lists every allowed value. */
function isListed(node: SchemaNode): boolean {
  return node.const !== undefined || node.enum !== undefined || node.type === 'boolean';
}

const lineWidth = 130;

/** Breaks a paragraph into lines. No line begins with a mark that Markdown would take as a list or heading. */
export function wrap(text: string): string {
  const lines: string[] = [];
  // Code with blanks stays on one line.
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const line = lines.at(-1);
    const fits = line !== undefined && (line.length + word.length < lineWidth || /^(?:[-+*#>|=]|\d+[.)])/.test(word));
    if (fits) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

function typeText(node: SchemaNode): string {
  if (node.$ref !== undefined) return `[entry](${anchor('A mapping entry')})`;
  const choices = node.anyOf ?? node.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  if (node.const !== undefined) return code(String(node.const));
  if (node.enum !== undefined)
    return node.enum.map((value) => code(value === '\t' ? '"\\t"' : String(value))).join(', ');
  if (node.pattern === durationPattern.source) return 'duration';
  if (node.type === 'array') return `list of ${node.items === undefined ? 'anything' : typeText(node.items)}`;
  if (node.type === 'integer' || node.type === 'number') return numberText(node);
  return typeNames[node.type ?? ''] ?? 'anything';
}

const typeNames: Readonly<Record<string, string>> = { string: 'text', boolean: '`true`, `false`', object: 'mapping' };

function numberText({ type, minimum, maximum }: SchemaNode): string {
  const name = type === 'integer' ? 'whole number' : 'number';
  return minimum === undefined || maximum === undefined ? name : `${name} ${minimum} to ${maximum}`;
}

function isNothing(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && JSON.stringify(value) === '{}');
}

/** Returns YAML on one line, without the braces of a single key. */
function flow(value: unknown): string {
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true }).trim();
  const isLoneKey =
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 1;
  return isLoneKey && text.startsWith('{ ') ? text.slice(2, -2) : text;
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function anchor(title: string): string {
  return `#${title.toLowerCase().replaceAll(' ', '-')}`;
}
