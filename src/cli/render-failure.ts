import { CommanderError } from 'commander';
import { RollcallError } from '../core/errors.ts';
import { formatCount } from './amounts.ts';
import { Interruption } from './interruption.ts';
import type { Style } from './style.ts';
import { clean, cleanLine } from './terminal-text.ts';

/** The shape of a configuration problem in an error. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** Returns the exit code of a command that threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof CommanderError) return 2;
  return error instanceof RollcallError && (error.code === 'USAGE' || error.code === 'CONFIG_INVALID') ? 2 : 1;
}

/** Renders an error for the operator, with its stack for `--debug`. */
export function renderFailure(error: unknown, { colors }: Style, isDebug: boolean): string {
  const stack = isDebug && error instanceof Error ? `\n${clean(error.stack ?? '')}${causeOf(error)}` : '';
  const problems = problemsOf(error);
  if (problems.length > 1) {
    const lines = clean(messageOf(error)).replace(/^/gm, '  ');
    return `${colors.red('error:')} ${formatCount(problems.length, 'problem')} in the configuration; nothing was started\n${lines}${stack}`;
  }
  if (error instanceof Interruption) return `${messageOf(error)}${stack}`;
  const hint = error instanceof RollcallError || isDebug ? '' : '\nuse --debug to see the stack';
  return `${colors.red('error:')} ${clean(messageOf(error))}${hint}${stack}`;
}

/** The object of `--json` for a command that threw. */
export function failureJson(error: unknown) {
  const problems = problemsOf(error);
  const code = error instanceof RollcallError ? error.code : error instanceof CommanderError ? 'USAGE' : 'UNEXPECTED';
  const message = messageOf(error).replace(/^error: /, '');
  return { error: { code, message, ...(problems.length === 0 ? {} : { problems }) } };
}

/** Returns only the first line of an unexpected error, because the rest may contain anything. */
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
