import { execFile, spawn } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end and gives what it printed. Fails with what it said on stderr. */
export async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await execute(program, [...args], { env: { ...process.env, ...env }, maxBuffer: 1 << 24 });
  return stdout;
}

/** The program's path: from PATH, or from the first folder below `parents` that has it, newest name first. */
export async function findProgram(name: string, parents: readonly string[] = []): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter)];
  for (const parent of parents) {
    const versions = await readdir(parent).catch(() => []);
    const newest = versions.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    folders.unshift(...newest.map((version) => join(parent, version, 'bin')));
  }
  for (const folder of folders.filter((path) => path !== '')) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}

/** Installs Debian's packages where that is allowed: for root, with apt-get. False where it is not, or did not work. */
export async function installPackages(names: readonly string[]): Promise<boolean> {
  const aptGet = await findProgram('apt-get');
  if (process.getuid?.() !== 0 || aptGet === undefined) return false;
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=120', '-qq', '-y'];
  try {
    await run(aptGet, ['update', '-qq'], quiet);
    await run(aptGet, ['install', ...wait, '--no-install-recommends', ...names], quiet);
    return true;
  } catch {
    return false;
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a listening server has a port');
  return address.port;
}

/** A program that runs until it is stopped. */
export interface RunningProgram {
  /** Sends the signal and waits for its end; the second time it only waits. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program and waits until it prints what `isReady` looks for. Fails with all it printed when it ends before. */
export async function startProgram(
  program: string,
  args: readonly string[],
  isReady: (printed: string) => boolean,
): Promise<RunningProgram> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    const look = (data: Buffer): void => {
      if (printed.length < 100_000) printed += data.toString();
      if (isReady(printed)) resolve();
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${program} ended before it was ready: ${printed}`)));
  });
  return {
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
}

const cleaners: (() => void)[] = [];

/**
 * Has this done when the worker's process ends, at once: vitest ends it by SIGTERM, and by SIGKILL a moment later. For
 * what all files of a worker share.
 */
export function whenWorkerEnds(clean: () => void): void {
  const cleanAll = (): void => {
    for (const one of cleaners.splice(0)) one();
  };
  if (cleaners.length === 0) for (const end of ['exit', 'SIGTERM'] as const) process.once(end, cleanAll);
  cleaners.push(clean);
}

/** Tells once, in one line, why tests do not run. */
export function tellSkipped(line: string): void {
  process.stderr.write(`${line}\n`);
}
