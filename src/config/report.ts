import type { ConfigProblem } from './config-error.ts';
import { type KeyPath, keyOf, renderKeyPath } from './key-path.ts';
import { maskSecrets } from './secret.ts';
import type { Position, YamlTree } from './yaml-tree.ts';

/** Collects the problems of one file, each once, and finds their positions. */
export interface Report {
  add(path: KeyPath, message: string, allowed?: readonly string[]): void;
  /** Adds a problem of the key itself, not of its value. */
  addKey(path: KeyPath, message: string, allowed?: readonly string[]): void;
  /** Adds a problem with a known position. */
  addAt(path: KeyPath, at: Position, message: string): void;
  /** Suppresses further problems of this path, because they follow from a reported one. */
  mute(path: KeyPath): void;
  /** Returns the problems in order of line. None contains one of `secrets`. */
  problems(secrets: Iterable<string>): readonly ConfigProblem[];
}

export function openReport(file: string, tree: Pick<YamlTree, 'locate' | 'locateKey'>): Report {
  const found = new Map<string, ConfigProblem>();
  const muted = new Set<string>();
  const put = (path: KeyPath, at: Position, message: string, allowed?: readonly string[]): void => {
    if (isMuted(path)) return;
    const { line, column } = at;
    const rendered = renderKeyPath(path);
    const problem = { file, line, column, path: rendered, message, ...(allowed === undefined ? {} : { allowed }) };
    found.set(`${keyOf(path)} ${message}`, problem);
  };
  const isMuted = (path: KeyPath): boolean => path.some((_, i) => muted.has(keyOf(path.slice(0, i + 1))));
  return {
    add: (path, message, allowed) => put(path, tree.locate(path), message, allowed),
    addKey: (path, message, allowed) => put(path, tree.locateKey(path), message, allowed),
    addAt: put,
    mute: (path) => void muted.add(keyOf(path)),
    problems: (secrets) => {
      const values = [...secrets];
      return [...found.values()]
        .map((problem) => ({
          ...problem,
          path: maskSecrets(problem.path, values),
          message: maskSecrets(problem.message, values),
        }))
        .sort((a, b) => a.line - b.line || a.column - b.column);
    },
  };
}
