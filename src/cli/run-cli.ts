import { type Command, CommanderError } from 'commander';
import type { CliIo } from './cli-io.ts';
import { exitCodeOf, type FailureOptions, failureJson, renderFailure } from './failure.ts';
import { createProgram } from './program.ts';
import { openShell, renderJson } from './shell.ts';
import { openStyle } from './terminal.ts';

/**
 * Runs one command line, without the program's name, and resolves to its exit code (see `exitCodeWords`). Never rejects:
 * every error is printed on stderr, and with `--json` also on stdout.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  let exitCode = 0;
  const program = createProgram(
    {
      action:
        (run) =>
        async (...given) => {
          // Commander adds the command itself.
          const command = given.at(-1) as Command;
          exitCode = await run(openShell(io, command.optsWithGlobals(), runCli), ...(given as never[]));
        },
      apiOperations: io.apiOperations,
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
