import { isAbsolute, join } from 'node:path';
import type { App, WatchOptions } from '../app/app.ts';
import { RollcallError } from '../core/errors.ts';
import type { CliIo } from './cli-io.ts';
import { openStyle, type Style } from './style.ts';
import { openWatch } from './watch.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
}

/** One command under way: what its file needs to answer the person who typed it. */
export interface Shell {
  readonly io: CliIo;
  readonly signal: AbortSignal;
  readonly isJson: boolean;
  readonly style: Style;
  /** The configuration file as it was named: `--config`, else ROLLCALL_CONFIG, else rollcall.yaml. */
  readonly configPath: string;
  /** Writes a report for people, and a line end. Does nothing with `--json`. */
  print(text: string): void;
  /** Writes the one JSON object of `--json`. Does nothing without. */
  printJson(value: unknown): void;
  /** Opens the app for the time of `use`. */
  withApp<Result>(options: AppOptions, use: (app: App) => Promise<Result>): Promise<Result>;
  /** Shows progress for the time of `use`, and says what Ctrl-C does. */
  watching<Result>(use: (options: WatchOptions) => Promise<Result>): Promise<Result>;
  /** Asks yes or no. Throws `USAGE` where nobody can answer; `--yes` says yes without asking. */
  confirm(question: string, isGiven: boolean): Promise<boolean>;
}

export interface AppOptions {
  readonly mayPresentSeed?: true;
  readonly logs?: 'on';
}

export function openShell(io: CliIo, options: GlobalOptions): Shell {
  const named = options.config ?? (io.env.ROLLCALL_CONFIG || undefined);
  const isJson = options.json === true;
  const style = openStyle({ isTerminal: io.stdout.isTTY === true, env: io.env, config: options.config });
  const configPath = named ?? 'rollcall.yaml';
  return {
    io,
    signal: io.signal,
    isJson,
    style,
    configPath,
    print: (text) => void (isJson || io.stdout.write(`${text}\n`)),
    printJson: (value) => void (isJson && io.stdout.write(renderJson(value, io))),
    async withApp({ mayPresentSeed = false, logs }, use) {
      const app = await io.openApp(configPath, {
        mayPresentSeed,
        logs: logs ?? (options.verbose === true ? 'on' : 'off'),
      });
      try {
        return await use(app);
      } finally {
        await app.close();
      }
    },
    async watching(use) {
      const { stderr: output, signal, clock } = io;
      const watch = openWatch({ output, signal, clock, steps: stepsShown(io, options) });
      try {
        return await use({ signal: io.signal, progress: watch.progress });
      } finally {
        watch.end();
      }
    },
    async confirm(question, isGiven) {
      if (isGiven) return true;
      if (isJson || io.ask === undefined) {
        throw new RollcallError('nobody is there to be asked: add --yes if it is meant', { code: 'USAGE' });
      }
      return /^\s*(y|yes)\s*$/i.test(await io.ask(`${question} [y/N] `));
    },
  };
}

function stepsShown(io: CliIo, { verbose, json }: GlobalOptions): 'bars' | 'lines' | 'none' {
  if (verbose === true) return 'none';
  if (io.stderr.isTTY === true) return 'bars';
  return json === true ? 'none' : 'lines';
}

/** A file name as it is meant from the folder in which the command was typed. */
export function fromHere(io: Pick<CliIo, 'cwd'>, path: string): string {
  return isAbsolute(path) ? path : join(io.cwd, path);
}

/** One JSON value: a line of its own for machines, indented where a person looks at it. */
export function renderJson(value: unknown, io: Pick<CliIo, 'stdout'>): string {
  return `${JSON.stringify(value, undefined, io.stdout.isTTY === true ? 2 : undefined)}\n`;
}
