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

/** Returns one section for each key: its meaning, type, default and an example. */
export function renderKeys(rows: readonly KeyRow[]): string {
  const sections = rows.map((row) => {
    const text = row.meaning.replaceAll('\n', ' ').trim();
    const facts = factsOf(row).map((fact) => `- ${fact}`);
    return [`### ${code(row.key)}`, ...(text === '' ? [] : [wrap(text)]), facts.join('\n')].join('\n\n');
  });
  return sections.join('\n\n');
}

/** Returns one list item for each key, for keys that are many and short. */
export function renderKeyList(rows: readonly KeyRow[]): string {
  const items = rows.map((row) => {
    const meaning = row.meaning.replaceAll('\n', ' ').trim();
    const words = [`- ${code(row.key)}:`, ...(meaning === '' ? [] : [meaning]), `${factsOf(row).join('. ')}.`];
    return wrap(words.join(' ')).replaceAll('\n', '\n  ');
  });
  return items.join('\n');
}

function factsOf({ key, node, isRequired }: KeyRow): readonly string[] {
  const name = key.replace(/\[\]$/, '').split('.').at(-1) ?? key;
  const { default: standard, examples } = node;
  return [
    `${isListed(node) ? 'Allowed' : 'Type'}: ${typeText(node)}`,
    ...(isRequired ? ['Required'] : isNothing(standard) ? [] : [`Default: ${code(flow(standard))}`]),
    ...(examples?.[0] === undefined ? [] : [`Example: ${code(flow({ [name]: examples[0] }))}`]),
  ];
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
