import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** The flags of the executable (src/main/cli.ts). */
const memoryFlags = ['--max-old-space-size=1024', '--max-semi-space-size=8'];

/** Starts a file of this folder in a process with the memory limits of the executable, or with other V8 flags. */
export function forkHere(file: string, argument: string, execArgv: readonly string[] = memoryFlags): ChildProcess {
  return fork(join(import.meta.dirname, file), [argument], { execArgv: [...execArgv] });
}

/** The child's next message. Rejects when it ends without one. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      child.off('message', take).off('error', fail).off('exit', fall);
    };
    const take = (message: unknown): void => {
      over();
      resolve(message);
    };
    const fail = (error: Error): void => {
      over();
      reject(error);
    };
    const fall = (code: number | null): void =>
      fail(new Error(`${child.spawnargs[1]} ended with ${code} without a word`));
    child.on('message', take).on('error', fail).on('exit', fall);
  });
}
