import { stringify } from 'yaml';
import { durationPattern } from '../core/duration.ts';
import type { SchemaNode } from './json-schema.ts';

/** One configuration key in the reference. */
export interface KeyRow {
  readonly key: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
  readonly meaning: string;
}

const columns = ['Key', 'Type', 'Default', 'Meaning', 'Example'];

/** Returns a Markdown table of keys. */
export function renderKeys(rows: readonly KeyRow[]): string {
  return renderTable([columns, ...rows.map(renderRow)]);
}

function renderRow({ key, node, isRequired, meaning }: KeyRow): string[] {
  const standard = isRequired ? '**required**' : defaultText(node.default);
  const name = key.replace(/\[\]$/, '').split('.').at(-1) ?? key;
  const example = node.examples?.[0] === undefined ? '' : code(flow({ [name]: node.examples[0] }));
  return [code(key), typeText(node), standard, meaning, example].map(cell);
}

/** Returns a Markdown table as the project's formatter writes it: cells padded to the widest of their column. */
function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = columns.map((_, i) => Math.max(3, ...rows.map((row) => [...(row[i] ?? '')].length)));
  const lines = rows.map((row) => row.map((text, i) => text + ' '.repeat((widths[i] ?? 0) - [...text].length)));
  const [head, ...body] = lines;
  return [head ?? [], widths.map((width) => '-'.repeat(width)), ...body]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
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

function defaultText(value: unknown): string {
  const isNothing = value === undefined || (typeof value === 'object' && JSON.stringify(value) === '{}');
  return isNothing ? '–' : code(flow(value));
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

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function anchor(title: string): string {
  return `#${title.toLowerCase().replaceAll(' ', '-')}`;
}
