import { CommanderError } from 'commander';
import { RollcallError } from '../core/errors.ts';
import { formatCount } from './amounts.ts';
import { Interruption } from './interruption.ts';
import type { Style } from './style.ts';
import { clean, cleanLine } from './terminal-text.ts';

/** What the errors of a configuration carry. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** The exit code of a command that threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof CommanderError) return 2;
  return error instanceof RollcallError && (error.code === 'USAGE' || error.code === 'CONFIG_INVALID') ? 2 : 1;
}

/** An error for a person: what is wrong, and with `--debug` where in the program it came from. */
export function renderFailure(error: unknown, { colors }: Style, isDebug: boolean): string {
  const stack = isDebug && error instanceof Error ? `\n${clean(error.stack ?? '')}${causeOf(error)}` : '';
  const problems = problemsOf(error);
  if (problems.length > 1) {
    const lines = clean(messageOf(error)).replace(/^/gm, '  ');
    return `${colors.red('error:')} ${formatCount(problems.length, 'problem')} in the configuration; nothing was started\n${lines}${stack}`;
  }
  if (error instanceof Interruption) return `${messageOf(error)}${stack}`;
  const hint = error instanceof RollcallError || isDebug ? '' : '\nadd --debug to see where it came from';
  return `${colors.red('error:')} ${clean(messageOf(error))}${hint}${stack}`;
}

/** The object of `--json` for a command that threw. */
export function failureJson(error: unknown) {
  const problems = problemsOf(error);
  const code = error instanceof RollcallError ? error.code : error instanceof CommanderError ? 'USAGE' : 'UNEXPECTED';
  const message = messageOf(error).replace(/^error: /, '');
  return { error: { code, message, ...(problems.length === 0 ? {} : { problems }) } };
}

/** Of what nobody foresaw, the first line only: the rest may be anything. */
function messageOf(error: unknown): string {
  if (error instanceof RollcallError || error instanceof CommanderError) return error.message;
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `unexpected: ${cleanLine(line).slice(0, 300)}`;
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `\ncaused by ${clean(cause.stack ?? cause.message)}` : '';
}

function problemsOf(error: unknown): readonly Problem[] {
  return error instanceof RollcallError && 'problems' in error ? (error.problems as readonly Problem[]) : [];
}
