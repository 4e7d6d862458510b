import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { codeOnly } from './code-only.ts';

/** One source file as the rules look at it. */
export interface SourceFile {
  /** From the root of the repository, with `/`: `src/core/plan/plan.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text with comments and the insides of strings blanked, at the same places. */
  readonly code: string;
  readonly lineCount: number;
  readonly imports: readonly Import[];
}

export interface Import {
  /** A path like `SourceFile.path` for our own files, else the specifier: `node:crypto`, `zod`. */
  readonly target: string;
  readonly isOwn: boolean;
  /** Nothing of it is left at run time. */
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly what: string;
}

/** The source files below `folders` (from `root`), sorted by path. */
export function readSourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  const patterns = folders.map((folder) => `${folder}/**/*.{ts,tsx}`);
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  return paths.sort().map((path) => toSourceFile(path, readFileSync(join(root, path), 'utf8')));
}

/** A source file from its text. */
export function toSourceFile(path: string, text: string): SourceFile {
  const code = codeOnly(text);
  const lineCount = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { path, text, code, lineCount, imports: findImports(path, text, code) };
}

const importForms: readonly RegExp[] = [
  // import x from '…', import type { x } from '…', export * from '…', over several lines
  /(?<=^|[\n;])[ \t]*(?:import|export)\b(?<clause>[^;'"()=]*?)\bfrom\s*(?<quote>['"])/g,
  /(?<=^|[\n;])[ \t]*import\s*(?<clause>)(?<quote>['"])/g,
  /\bimport\s*\(\s*(?<clause>)(?<quote>['"])/g,
];

function findImports(path: string, text: string, code: string): Import[] {
  return importForms
    .flatMap((form) => [...code.matchAll(form)])
    .map((match) => {
      const from = match.index + match[0].length;
      const specifier = text.slice(from, code.indexOf(match.groups?.quote ?? '', from));
      const isOwn = specifier.startsWith('.');
      return {
        target: isOwn ? posix.join(posix.dirname(path), specifier) : specifier,
        isOwn,
        isTypeOnly: isTypeClause(match.groups?.clause ?? '') || isTypeQuery(code, match.index),
        line: lineAt(code, match.index + match[0].search(/\S/)),
      };
    });
}

function isTypeClause(clause: string): boolean {
  if (/^\s*type\b/.test(clause)) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(clause)?.groups?.names;
  if (names === undefined) return false;
  const each = names.split(',').filter((name) => name.trim() !== '');
  return each.length > 0 && each.every((name) => /^\s*type\s/.test(name));
}

/** `type X = import('…').Y` and the like: an import expression that nothing awaits, calls or keeps at run time. */
function isTypeQuery(code: string, at: number): boolean {
  return code.startsWith('import(', at) && /(?::|\btype\s+\w+\s*=|<|typeof)\s*$/.test(code.slice(0, at));
}

/** 1-based line of a place in a text. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i !== -1 && i < index; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
