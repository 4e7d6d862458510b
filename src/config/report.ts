import { RollcallError } from '../core/run/errors.ts';
import { maskSecrets } from './secret.ts';
import { type KeyPath, keyOf, type Position, renderKeyPath, type YamlTree } from './yaml-tree.ts';

/** One problem in a configuration. Contains no value that came through `${…}`, and no token of the file. */
export interface ConfigProblem {
  /** The file as the caller named it. */
  readonly file: string;
  /** From 1; 0 when the problem is the file itself. */
  readonly line: number;
  readonly column: number;
  /** Key path: `syncs.people.schedule.cron`, `syncs.people.protected[2]`; empty for the file itself. */
  readonly path: string;
  /** A sentence that continues the path: `must be one of sync, upsert-only, create-only`. */
  readonly message: string;
  /** The accepted keys or values, where they can be listed. */
  readonly allowed?: readonly string[];
}

/** All problems of a configuration (code `CONFIG_INVALID`), in order of line. Nothing was started. */
export class ConfigError extends RollcallError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(renderProblem).join('\n'), { code: 'CONFIG_INVALID' });
    this.problems = problems;
  }
}

/** Returns one line: `rollcall.yaml:12 syncs.people.policy: is required …`. */
export function renderProblem(problem: ConfigProblem): string {
  const where = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}`;
  return problem.path === '' ? `${where}: ${problem.message}` : `${where} ${problem.path}: ${problem.message}`;
}

/** Collects the problems of one file, each once, and finds their positions. */
export interface Report {
  add(path: KeyPath, message: string, allowed?: readonly string[]): void;
  /** Adds a problem of the key itself, not of its value. */
  addKey(path: KeyPath, message: string, allowed?: readonly string[]): void;
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
