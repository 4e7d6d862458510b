import { afterAll } from 'vitest';
import type { AppIo, Role } from '../../../src/app/app-io.ts';
import type { Engine } from '../../../src/main/engine.ts';
import { openHere } from '../../chaos/open-here.ts';
import { type MemoryLogger, memoryLogger } from '../../support/memory-logger.ts';
import {
  findRedisProgram,
  type RedisServer,
  type RedisServerOptions,
  startRedis,
} from '../../support/services/redis.ts';
import type { RedisSpace } from '../../support/services/redis-service.ts';
import { slowly } from '../../support/slowness.ts';
import { openRedisWorld, type RedisWorld, type RedisWorldOptions } from './redis-world.ts';

/** The redis-server program, for tests that do as they like with it; undefined, told in one line, where there is none. */
export async function redisOrSkip(what: string): Promise<string | undefined> {
  const program = await findRedisProgram();
  if (program === undefined)
    process.stderr.write(`skipped: ${what} needs redis-server in PATH (Debian: redis-server)\n`);
  return program;
}

/** What is left open is closed when the file ends: tests that run beside each other have no end of their own to hook into. */
const closers: (() => Promise<void>)[] = [];

/** Has this closed when the file ends. */
export function runAfterAll(close: () => Promise<void>): void {
  closers.push(close);
}

/** Call it once at the top of a file that opens something. */
export function closeAfterAll(): void {
  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  }, slowly(60_000));
}

/**
 * From the death of a worker to the end of its run by another one: the lock's life, two looks for stalled jobs, one for
 * the lease, and the rest of the run. `npm run chaos` holds it to what the documentation says; beside other tests the
 * machine is not ours alone, and only a recovery that never comes is found.
 */
export const recoveryMs = process.env.TEST_LONG === 'chaos' ? 15_000 : slowly(60_000);

/** A Redis of this test alone. */
export async function openRedisServer(program: string, options?: RedisServerOptions): Promise<RedisServer> {
  const redis = await startRedis(program, options);
  closers.push(() => redis.close());
  return redis;
}

/** A world of this test alone. */
export async function openWorld(options: RedisWorldOptions): Promise<RedisWorld> {
  const world = await openRedisWorld(options);
  closers.push(() => world.close());
  return world;
}

/** Everything that Redis holds, as one text. */
export async function everythingIn(redis: Pick<RedisSpace, 'command'>): Promise<string> {
  const keys = (await redis.command('KEYS', '*')) as readonly string[];
  const texts = await Promise.all(keys.map(async (key) => `${key}: ${JSON.stringify(await readKey(redis, key))}`));
  return texts.join('\n');
}

async function readKey(redis: Pick<RedisSpace, 'command'>, key: string): Promise<unknown> {
  switch (await redis.command('TYPE', key)) {
    case 'hash':
      return redis.command('HGETALL', key);
    case 'list':
      return redis.command('LRANGE', key, '0', '-1');
    case 'zset':
      return redis.command('ZRANGE', key, '0', '-1', 'WITHSCORES');
    case 'set':
      return redis.command('SMEMBERS', key);
    case 'stream':
      return redis.command('XRANGE', key, '-', '+');
    case 'none':
      return undefined;
    default:
      return redis.command('GET', key);
  }
}

export interface Deployment {
  readonly app: AppIo;
  readonly engine: Engine;
  readonly logger: MemoryLogger;
  stop(): Promise<void>;
}

/** `rollcall start` in this process. Stopped after the test if it still runs. */
export async function startHere(world: Pick<RedisWorld, 'config' | 'clock'>, role: Role = 'all'): Promise<Deployment> {
  const logger = memoryLogger();
  const { app, engine } = await openHere(world.config, { clock: world.clock, logger });
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  const ended = app.start({ signal: stopping.signal, progress: () => {}, role, onReady: () => ready.resolve() });
  ended.catch(ready.reject);
  let isOver = false;
  const stop = async (): Promise<void> => {
    if (isOver) return;
    isOver = true;
    stopping.abort(new Error('stop'));
    await ended;
    await app.close();
  };
  closers.push(stop);
  await ready.promise;
  return { app, engine, logger, stop };
}
