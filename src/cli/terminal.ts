import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { shellWord } from '../core/run/formats.ts';

export type Colors = ReturnType<typeof pc.createColors>;

/** Colors and commands for the renderers. */
export interface Style {
  readonly colors: Colors;
  /** Returns a command as the operator would type it: `rollcall apply people --config other.yaml`. */
  readonly command: (words: string) => string;
}

interface StyleFacts {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The configuration file, if the command line named one. */
  readonly config: string | undefined;
}

/** Returns colors for a terminal only, and none where `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function openStyle({ isTerminal, env, config }: StyleFacts): Style {
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  const suffix = config === undefined ? '' : ` --config ${shellWord(config)}`;
  return {
    colors: pc.createColors(isTerminal && !isPlain),
    command: (words) => `rollcall ${words}${suffix}`,
  };
}

// C0 without tab and line end, DEL, C1, the Unicode line ends, and the marks that change the writing direction: a name
// or an error text from outside must not move the cursor, color the screen or reorder text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Escapes outside text for a terminal: control characters become `\u001b` and the like. */
export function clean(text: string): string {
  return text.replace(unsafe, escapeCode);
}

/** Does the same and joins the lines. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s*[\t\n]\s*/g, ' ');
}

/** Quotes a value, so that blanks at its ends are visible: `"Sales "`. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(unsafe, escapeCode);
}

function escapeCode(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}

/** Renders rows in columns, two blanks apart. Colors do not count. The last column is not padded. */
export function renderTable(rows: readonly (readonly string[])[], indent = ''): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, width(cell));
  }
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - width(cell))))
      .join('  ');
  return rows.map((row) => `${indent}${line(row)}`.trimEnd()).join('\n');
}

function width(cell: string): number {
  return [...stripVTControlCharacters(cell)].length;
}
