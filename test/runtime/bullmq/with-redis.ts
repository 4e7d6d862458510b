import { onTestFinished } from 'vitest';
import {
  findRedisProgram,
  type RedisServer,
  type RedisServerOptions,
  startRedis,
} from '../../support/services/redis.ts';
import { openRedisWorld, type RedisWorld, type RedisWorldOptions } from './redis-world.ts';

/** The redis-server program; undefined where there is none, after saying once that its tests are skipped. */
export async function redisOrSkip(what: string): Promise<string | undefined> {
  const program = await findRedisProgram();
  if (program === undefined)
    process.stderr.write(`skipped: ${what} needs redis-server in PATH (Debian: redis-server)\n`);
  return program;
}

/** A Redis of this test alone. */
export async function openRedisServer(program: string, options?: RedisServerOptions): Promise<RedisServer> {
  const redis = await startRedis(program, options);
  onTestFinished(() => redis.close());
  return redis;
}

/** A world of this test alone. */
export async function openWorld(options: RedisWorldOptions): Promise<RedisWorld> {
  const world = await openRedisWorld(options);
  onTestFinished(() => world.close());
  return world;
}

/** Everything that Redis holds, as one text. */
export async function everythingIn(redis: RedisServer): Promise<string> {
  const keys = (await redis.command('KEYS', '*')) as readonly string[];
  const texts = await Promise.all(keys.map(async (key) => `${key}: ${JSON.stringify(await readKey(redis, key))}`));
  return texts.join('\n');
}

async function readKey(redis: RedisServer, key: string): Promise<unknown> {
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
