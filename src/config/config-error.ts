import { RollcallError } from '../core/run/errors.ts';

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
