import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { once } from '../once.ts';
import { tellSkipped, whenWorkerEnds } from './programs.ts';
import { findRedisProgram, startRedis } from './redis.ts';

/** A Redis of one test: empty at first, and nobody else's until it is closed. */
export interface RedisSpace {
  /** With the number of its database, where it is one of a server that tests share. */
  readonly url: string;
  /** A command by a connection of its own. */
  command(...words: readonly string[]): Promise<unknown>;
  /** Takes everything out, as FLUSHALL does. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

/** The server of this worker, which ends with its process. */
const openShared = once(async (program: string) => {
  const server = await startRedis(program);
  whenWorkerEnds(() => {
    void server.kill();
    rmSync(server.folder, { recursive: true, force: true });
  });
  return server;
});

/** A real Redis for the tests of one file. */
export interface RedisService {
  /** An empty space; it is closed with the file at the latest. */
  newSpace(): Promise<RedisSpace>;
  /** The redis-server program, for tests that kill their own; undefined where the server is somebody else's. */
  readonly program: string | undefined;
}

const redisUrl = 'REDIS_URL';
/** Redis has 16 databases unless its configuration says otherwise; the first one holds the claims on the others. */
const databases = 16;
const claimSeconds = '3600';

/**
 * Call it at the top of a test file: gives databases, each to one test, of the server that REDIS_URL names or of that of
 * this worker. Undefined, told in one line, where there is neither.
 */
export async function startRedisService(what: string): Promise<RedisService | undefined> {
  const given = process.env[redisUrl];
  const closers: (() => Promise<void>)[] = [];
  const open = (makeSpace: () => Promise<RedisSpace>, program: string | undefined): RedisService => {
    afterAll(async () => {
      for (const close of closers.splice(0)) await close();
    });
    return {
      program,
      newSpace: async () => {
        const space = await makeSpace();
        closers.push(() => space.close());
        return space;
      },
    };
  };
  if (given !== undefined && given !== '') return open(() => claimDatabase(given), undefined);
  const program = await findRedisProgram();
  if (program !== undefined) return open(async () => claimDatabase((await openShared(program)).url), program);
  tellSkipped(`skipped: ${what} needs ${redisUrl} or redis-server in PATH (Debian: redis-server)`);
  return undefined;
}

/** Takes an empty database that no other test has. Only those that were empty are ever emptied. */
async function claimDatabase(server: string): Promise<RedisSpace> {
  const claimant = randomUUID();
  const claimOf = (db: number): string => `rollcall-test:database:${db}`;
  for (let db = 1; db < databases; db += 1) {
    const isOurs = await ask(server, ['SET', claimOf(db), claimant, 'NX', 'EX', claimSeconds]);
    if (isOurs !== 'OK') continue;
    const place = new URL(server);
    place.pathname = `/${db}`;
    const free = async (): Promise<void> => void (await ask(server, ['DEL', claimOf(db)]));
    if ((await ask(place.href, ['DBSIZE'])) !== 0) {
      await free();
      continue;
    }
    let isClosed = false;
    const empty = async (): Promise<void> => void (await ask(place.href, ['FLUSHDB']));
    return {
      url: place.href,
      command: (...words) => ask(place.href, words),
      empty,
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        await empty();
        await free();
      },
    };
  }
  throw new Error(`none of the databases 1 to ${databases - 1} at ${redisUrl} is empty: tests need one each`);
}

async function ask(url: string, [word = 'PING', ...rest]: readonly string[]): Promise<unknown> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.call(word, ...rest);
  } finally {
    client.disconnect();
  }
}
