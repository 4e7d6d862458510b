import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { programOf } from './programs.ts';

const executable = programOf('src/main/cli.ts');

export interface EndedProcess {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program in a process of its own, as a person starts it. */
export interface RollcallProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves as soon as what it wrote to standard output or error matches. */
  seen(what: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<EndedProcess>;
}

/** Starts it in the folder, with PATH and the cache of compiled code alone unless told otherwise. It is killed after the test if it still lives. */
export function startRollcall(folder: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): RollcallProcess {
  const child = spawn(process.execPath, [executable, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let isOver = false;
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]): EndedProcess => {
    isOver = true;
    return { code, ...texts };
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    ended,
    async seen(what) {
      for (;;) {
        const match = what.exec(texts.stdout + texts.stderr);
        if (match !== null) return match;
        if (isOver) throw new Error(`ended without ${what}: ${texts.stdout}${texts.stderr}`);
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
      }
    },
  };
}

/** Runs a command to its end. */
export function runRollcall(
  folder: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<EndedProcess> {
  return startRollcall(folder, words, env).ended;
}
