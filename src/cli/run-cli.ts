import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { describeError, PlatformError, RollcallError } from '../core/run/errors.ts';
import { formatCount } from '../core/run/formats.ts';
import { given } from '../core/run/given.ts';
import { nearest } from '../core/run/problem-words.ts';
import { type CliIo, Interruption } from './cli-io.ts';
import { addGroup, type CommandHost } from './command.ts';
import { decide } from './groups/decide.ts';
import { develop } from './groups/develop.ts';
import { everyDay } from './groups/every-day.ts';
import { operate } from './groups/operate.ts';
import { rare } from './groups/rare.ts';
import { openShell, renderJson } from './shell.ts';
import { clean, cleanLine, openStyle, type Style } from './terminal.ts';

/** The meaning of the exit codes (design, section 8). */
export const exitCodeWords: readonly (readonly [number, string])[] = [
  [0, 'done, or nothing to do'],
  [1, 'failed'],
  [2, 'wrong usage or configuration; nothing was started'],
  [3, 'held: some changes wait for approval, the rest is done'],
  [4, 'partial: some changes failed, or the source was not read completely'],
  [130, 'stopped by Ctrl-C (143: by SIGTERM); the next run continues where this one stopped'],
];

/** Creates the command line. It throws `CommanderError` where commander would end the process. */
export function createProgram(
  host: CommandHost,
  { version, output }: { readonly version: string; readonly output: OutputConfiguration },
): Command {
  const program = new Command('rollcall')
    .description("Keeps a platform's users equal to the HR system's employees.")
    .version(version, '--version', 'show the version')
    .helpOption('--help', 'show help')
    .option('--config <file>', 'configuration file (default: $ROLLCALL_CONFIG, or ./rollcall.yaml)')
    .option('--json', 'print one JSON object instead of text')
    .option('--verbose', 'write logs to stderr')
    .option('--debug', 'show the stack of an error')
    .option('--raw', 'also show the answer of the platform or HR system to a failed call; may contain personal data')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput(output)
    .showHelpAfterError('All commands: rollcall --help')
    .exitOverride();
  // In the order of the help.
  for (const group of [everyDay, decide, operate, rare, develop]) addGroup(program, group, host.action);
  addGroup(program, { ...develop, rows: host.apiRows }, host.action);
  program.helpCommand('help [command]', 'show the help of a command');
  program.addHelpText('beforeAll', ({ command }) => refuseUnknown(command));
  const codes = exitCodeWords.map(([code, words]) => `  ${String(code).padEnd(4)} ${words}`);
  return program.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
}

/** Refuses the help of a command that does not exist. Commander would print the help of its group, and exit with 0. */
function refuseUnknown(command: Command): string {
  const names = command.commands.map((below) => below.name());
  const word = command.args.find((argument) => argument !== 'help');
  if (word === undefined || word.startsWith('-') || names.length === 0 || names.includes(word)) return '';
  const guess = nearest(word, names);
  const hint = guess === undefined ? '' : `\n(Did you mean ${guess}?)`;
  return command.error(`error: unknown command '${word}'${hint}`, { code: 'commander.unknownCommand' });
}

/**
 * Runs one command line, without the program's name, and resolves to its exit code (see `exitCodeWords`). Never rejects:
 * every error is printed on stderr, and with `--json` also on stdout.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode = 0;
  // Their options are made from the schemas of the API.
  const apiRows = argv.includes('api')
    ? (await import('./commands/api.ts')).operationRows(await io.apiOperations())
    : [];
  const program = createProgram(
    {
      action:
        (body) =>
        async (...given) => {
          // Commander adds the command itself.
          const command = given.at(-1) as Command;
          const answer = await body();
          exitCode = await answer(openShell(io, command.optsWithGlobals(), runCli), ...(given as never[]));
        },
      apiRows,
    },
    { version: io.version, output: outputOf(io) },
  );
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    // An error that follows from the interruption is reported as the interruption.
    const reported = io.signal.aborted ? io.signal.reason : error;
    const flags = flagsOf(argv);
    // Commander has printed its own errors on stderr already.
    if (!(reported instanceof CommanderError)) {
      const style = openStyle({ isTerminal: io.stderr.isTTY === true, env: io.env, config: undefined });
      io.stderr.write(`${renderFailure(reported, style, flags)}\n`);
    }
    if (flags.isJson) io.stdout.write(renderJson(failureJson(reported), io));
    return exitCodeOf(reported);
  }
}

/** Reads the flags from the arguments: when the command line is wrong, there are no parsed options. */
function flagsOf(argv: readonly string[]): FailureOptions & { readonly isJson: boolean } {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  return { isJson: words.includes('--json'), isDebug: words.includes('--debug'), isRaw: words.includes('--raw') };
}

const widestHelp = 120;

function outputOf({ stdout, stderr, env }: CliIo) {
  const hasColors = (isTerminal: boolean) => openStyle({ isTerminal, env, config: undefined }).colors.isColorSupported;
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    getOutHelpWidth: () => Math.min(stdout.columns ?? widestHelp, widestHelp),
    getErrHelpWidth: () => Math.min(stderr.columns ?? widestHelp, widestHelp),
    getOutHasColors: () => hasColors(stdout.isTTY === true),
    getErrHasColors: () => hasColors(stderr.isTTY === true),
  };
}

/** The shape of a configuration problem in an error. */
interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Interruption) return error.exitCode;
  if (error instanceof CommanderError) return 2;
  return error instanceof RollcallError && (error.code === 'USAGE' || error.code === 'CONFIG_INVALID') ? 2 : 1;
}

/** What a failure shows besides its message. */
interface FailureOptions {
  /** `--debug`: the stack. */
  readonly isDebug: boolean;
  /** `--raw`: the text of another system that led to it. */
  readonly isRaw: boolean;
}

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
  // The code is for `rollcall explain`. A message about usage needs none.
  const code = error instanceof RollcallError && error.code !== 'USAGE' ? ` (${error.code})` : '';
  return `${colors.red('error:')} ${clean(messageOf(error))}${code}${hint}${stack}`;
}

/** The object of `--json` for a command that threw. */
export function failureJson(error: unknown) {
  const problems = problemsOf(error);
  const code = error instanceof RollcallError ? error.code : error instanceof CommanderError ? 'USAGE' : 'UNEXPECTED';
  const message = messageOf(error).replace(/^error: /, '');
  // Only a command that calls the platform for an operator throws one: see `rollcall api`.
  const answer = error instanceof PlatformError ? error.answer : undefined;
  return { error: { code, message, ...(problems.length === 0 ? {} : { problems }), ...given({ answer }) } };
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
