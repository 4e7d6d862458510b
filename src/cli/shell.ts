import { isAbsolute, join } from 'node:path';
import type { AppIo, WaitForStore, WatchOptions } from '../app/app-io.ts';
import type { SignedCaller } from '../app/audit.ts';
import { usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { CliIo } from './cli-io.ts';
import { openStyle, type Style } from './terminal.ts';

/** The options that mean the same in every command that has them. */
interface SharedOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  readonly raw?: boolean;
  readonly yes?: boolean;
  readonly as?: string;
  readonly reason?: string;
}

/** Environment variable with one of `server.tokens`: who uses the command line, proven as for the API. */
const tokenVariable = 'ROLLCALL_TOKEN';

/** The current command: what its file needs to answer the operator. */
export interface Shell {
  readonly io: CliIo;
  readonly signal: AbortSignal;
  readonly isJson: boolean;
  /** `--raw`: raw answers of other systems may be shown. */
  readonly isRaw: boolean;
  readonly style: Style;
  /** The configuration file: `--config`, otherwise ROLLCALL_CONFIG, otherwise rollcall.yaml. */
  readonly configPath: string;
  /** Writes a report for the operator, with a line end. Does nothing with `--json`. */
  print(text: string): void;
  /** Writes the one JSON object of `--json`. Does nothing without it. */
  printJson(value: unknown): void;
  /** Writes a whole report: the text for the operator, or the object of `--json`. Returns the exit code. */
  answer(json: unknown, text: string, exitCode?: number): number;
  /** Opens the app while `use` runs. */
  withApp<Result>(options: AppOptions, use: (app: AppIo) => Promise<Result>): Promise<Result>;
  /** Shows progress while `use` runs, and says what Ctrl-C does. */
  watching<Result>(use: (options: WatchOptions) => Promise<Result>): Promise<Result>;
  /** Asks yes or no. `--yes` confirms without asking. Throws `USAGE` when standard input is not a terminal. */
  confirm(question: string): Promise<boolean>;
  /**
   * Returns who asks, for the audit. The identity is that of `ROLLCALL_TOKEN`, otherwise the login on this machine. Throws
   * `USAGE` for a token that the configuration does not have.
   */
  caller(): Promise<SignedCaller>;
  /** Runs another command line, as a shell does, and resolves to its exit code. */
  readonly runCli: RunCli;
}

type RunCli = (argv: readonly string[], io: CliIo) => Promise<number>;

export interface AppOptions {
  readonly mayPresentSeed?: true;
  readonly mayPresentRestored?: boolean;
  readonly hasEffect?: true;
  readonly logs?: 'on';
  readonly waits?: WaitForStore;
}

export function openShell(io: CliIo, options: SharedOptions, runCli: RunCli): Shell {
  const named = options.config ?? (io.env.ROLLCALL_CONFIG || undefined);
  const isJson = options.json === true;
  const style = openStyle({ isTerminal: io.stdout.isTTY === true, env: io.env, config: options.config });
  const configPath = named ?? 'rollcall.yaml';
  const print = (text: string): void => void (isJson || io.stdout.write(`${text}\n`));
  const printJson = (value: unknown): void => void (isJson && io.stdout.write(renderJson(value, io)));
  return {
    io,
    signal: io.signal,
    isJson,
    isRaw: options.raw === true,
    style,
    configPath,
    runCli,
    print,
    printJson,
    answer(json, text, exitCode = 0) {
      if (isJson) printJson(json);
      else print(text);
      return exitCode;
    },
    async withApp({ mayPresentSeed = false, mayPresentRestored = false, hasEffect = false, logs, waits }, use) {
      const app = await io.openApp(configPath, {
        mayPresentSeed,
        mayPresentRestored,
        hasEffect,
        logs: logs ?? (options.verbose === true ? 'on' : 'off'),
        ...given({ waits }),
      });
      try {
        return await use(app);
      } finally {
        await app.close();
      }
    },
    async watching(use) {
      const { stderr: output, signal, clock } = io;
      const { openWatch } = await import('./progress.ts');
      const lines = isJson ? 'waits' : 'lines';
      const steps = options.verbose === true ? 'none' : output.isTTY === true ? 'bars' : lines;
      const watch = openWatch({ output, signal, clock, steps });
      try {
        return await use({ signal: io.signal, progress: watch.progress });
      } finally {
        watch.end();
      }
    },
    async confirm(question) {
      if (options.yes === true) return true;
      if (isJson || io.ask === undefined) {
        throw usageError('confirmation is required, but standard input is not a terminal. Use --yes to confirm.');
      }
      return /^\s*(y|yes)\s*$/i.test(await io.ask(`${question} [y/N] `));
    },
    async caller() {
      const { as, reason } = options;
      const token = io.env[tokenVariable] ?? '';
      if (token === '') return { by: io.operator, ...given({ as, reason }) };
      const known = await io.identify(configPath, token);
      if (known === undefined) throw usageError(`${tokenVariable} is not one of "server.tokens"`);
      return { by: known.name, proven: { access: known.access, groups: [] }, ...given({ as, reason }) };
    },
  };
}

/** Resolves a file name from the folder in which the command was typed. */
export function fromHere(io: Pick<CliIo, 'cwd'>, path: string): string {
  return isAbsolute(path) ? path : join(io.cwd, path);
}

/** Returns JSON: one line for machines, indented for a terminal. */
export function renderJson(value: unknown, io: Pick<CliIo, 'stdout'>): string {
  return `${JSON.stringify(value, undefined, io.stdout.isTTY === true ? 2 : undefined)}\n`;
}

export function printDeclined(shell: Shell): number {
  shell.print('nothing was changed');
  return 1;
}
