import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { slowly } from '../slowness.ts';
import { findProgram, freePort, installPackages } from './programs.ts';

/** A Redis of one test: a process on a free loopback port with its files in a folder of its own. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** What redis-server prints besides its errors is of no use: nothing is kept. */
  readonly pid: () => number;
  signal(name: NodeJS.Signals): void;
  /** Kills it without a word and starts it anew on the same port; what it had not written is lost. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** A command by a connection of its own. */
  command(...words: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** More lines of redis.conf. */
  readonly config?: readonly string[];
  /** `--sentinel`. */
  readonly isSentinel?: boolean;
}

/**
 * Where the redis-server program is: in PATH, or installed now where that is possible (Debian, root). Undefined when it
 * is not to be had; the caller skips its tests and says so.
 */
export async function findRedisProgram(): Promise<string | undefined> {
  const found = await findProgram('redis-server');
  if (found !== undefined) return found;
  return (await installPackages(['redis-server'])) ? findProgram('redis-server') : undefined;
}

/** Starts a Redis without persistence unless `config` says otherwise. Must be closed. */
export async function startRedis(program: string, options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-redis-'));
  const port = await freePort();
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    'daemonize no',
    'logfile ""',
    'loglevel warning',
    ...(options.isSentinel === true ? [] : ['save ""', 'appendonly no', 'maxmemory-policy noeviction']),
    ...(options.config ?? []),
  ];
  const file = join(folder, 'redis.conf');
  await writeFile(file, `${lines.join('\n')}\n`);
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    pid: () => child?.pid ?? 0,
    signal: (name) => void child?.kill(name),
    async start() {
      child = spawn(program, [file, ...(options.isSentinel === true ? ['--sentinel'] : [])], { stdio: 'ignore' });
      await until(async () => (await server.command('PING').catch(() => undefined)) === 'PONG');
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async restart() {
      await server.kill();
      await server.start();
    },
    async command(word, ...rest) {
      const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => {});
      try {
        await client.connect();
        return await client.call(word ?? 'PING', ...rest);
      } finally {
        client.disconnect();
      }
    },
    async close() {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** Looks every few milliseconds until it is so; gives up after `withinMs` of an idle machine. */
export async function until(isSo: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  const from = Date.now();
  while (!(await isSo())) {
    if (Date.now() - from > slowly(withinMs)) throw new Error(`it did not become so within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
