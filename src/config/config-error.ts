import { RollcallError } from '../core/errors.ts';

/** One thing that is wrong in a configuration. Shows no value that came through `${…}`, and no token of the file. */
export interface ConfigProblem {
  /** The file as it was named by the caller. */
  readonly file: string;
  /** From 1; 0 when the problem is the file itself. */
  readonly line: number;
  readonly column: number;
  /** Key path: `syncs.people.schedule.cron`, `syncs.people.protected[2]`; empty for the file itself. */
  readonly path: string;
  /** A sentence that goes on from the path: `must be one of sync, upsert-only, create-only`. */
  readonly message: string;
  /** The keys or values that would be taken, where they can be listed. */
  readonly allowed?: readonly string[];
}

/** Everything that is wrong with a configuration (code `CONFIG_INVALID`), in order of line. Nothing was started. */
export class ConfigError extends RollcallError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(renderProblem).join('\n'), { code: 'CONFIG_INVALID' });
    this.problems = problems;
  }
}

/** `rollcall.yaml:12 syncs.people.policy: is required …`. */
export function renderProblem(problem: ConfigProblem): string {
  const where = problem.line === 0 ? problem.file : `${problem.file}:${problem.line}`;
  return problem.path === '' ? `${where}: ${problem.message}` : `${where} ${problem.path}: ${problem.message}`;
}
