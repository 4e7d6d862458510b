import { CommanderError } from 'commander';
import { describeError, RollcallError } from '../core/run/errors.ts';
import { formatCount } from '../core/run/formats.ts';
import { Interruption } from './cli-io.ts';
import type { Style } from './terminal.ts';
import { clean, cleanLine } from './terminal.ts';

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

/** What a failure shows besides its message. */
export interface FailureOptions {
  /** `--debug`: the stack. */
  readonly isDebug: boolean;
  /** `--raw`: the text of another system that led to it. */
  readonly isRaw: boolean;
}

/** Renders an error for the operator. */
export function renderFailure(error: unknown, { colors }: Style, { isDebug, isRaw }: FailureOptions): string {
  const raw = isRaw ? rawOf(error) : undefined;
  const said = raw === undefined ? '' : `\nanswer: ${clean(raw)}`;
  const stack = `${isDebug && error instanceof Error ? `\n${stackOf(error)}${causeOf(error)}` : ''}${said}`;
  const problems = problemsOf(error);
  if (problems.length > 1) {
    const lines = clean(messageOf(error)).replace(/^/gm, '  ');
    return `${colors.red('error:')} ${formatCount(problems.length, 'problem')} in the configuration; nothing was started (CONFIG_INVALID)\n${lines}${stack}`;
  }
  if (error instanceof Interruption) return `${messageOf(error)}${stack}`;
  const hint = error instanceof RollcallError || isDebug ? '' : '\nuse --debug to see the stack';
  return `${colors.red('error:')} ${clean(messageOf(error))}${codeOf(error)}${hint}${stack}`;
}

/** Returns the code for `rollcall explain`. A message about usage needs no code. */
function codeOf(error: unknown): string {
  return error instanceof RollcallError && error.code !== 'USAGE' ? ` (${error.code})` : '';
}

/** The object of `--json` for a command that threw. */
export function failureJson(error: unknown) {
  const problems = problemsOf(error);
  const code = error instanceof RollcallError ? error.code : error instanceof CommanderError ? 'USAGE' : 'UNEXPECTED';
  const message = messageOf(error).replace(/^error: /, '');
  return { error: { code, message, ...(problems.length === 0 ? {} : { problems }) } };
}

/** Never returns the message of an unexpected error, because it may quote anything. */
function messageOf(error: unknown): string {
  if (error instanceof RollcallError || error instanceof CommanderError) return error.message;
  return `unexpected: ${cleanLine(describeError(error))}`;
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `\ncaused by ${stackOf(cause)}` : '';
}

/** Returns the stack without a message that may quote another system. */
function stackOf(error: Error): string {
  const places = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? [];
  const head = error instanceof RollcallError ? `${error.name}: ${error.message}` : error.name;
  return clean([head, ...places].join('\n'));
}

function rawOf(error: unknown): string | undefined {
  if (error instanceof RollcallError) return RollcallError.rawTextOf(error);
  return error instanceof Error && !(error instanceof CommanderError) ? error.message : undefined;
}

function problemsOf(error: unknown): readonly Problem[] {
  return error instanceof RollcallError && 'problems' in error ? (error.problems as readonly Problem[]) : [];
}
