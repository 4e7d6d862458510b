import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostgresPrograms, startPostgresServer } from '../../test/support/services/postgres-server.ts';
import { findProgram, freePort } from '../../test/support/services/programs.ts';
import { startRedis } from '../../test/support/services/redis.ts';
import type { ContainerEngine } from './container-engine.ts';
import { until } from './until.ts';

/** Redis and PostgreSQL on loopback, empty at first. */
export interface BackingService {
  readonly url: string;
  /** What it is, for the reader of the figures. */
  readonly kind: string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly engine: ContainerEngine;
  /** Every container's name begins with it. */
  readonly prefix: string;
  /** An image that is wanted in any case; absent: a common one if it is here, else this machine's program, else it is pulled. */
  readonly image: string | undefined;
}

const redisImage = 'docker.io/library/redis:7-bookworm';
const postgresImage = 'docker.io/library/postgres:17-bookworm';

export async function startRedisService({ engine, prefix, image: wanted }: ServiceOptions): Promise<BackingService> {
  const program = await findProgram('redis-server');
  const image = await chooseImage(engine, wanted, redisImage, program !== undefined);
  if (image === undefined) {
    const { url, close } = await startRedis(program ?? 'redis-server');
    return { url, kind: `the program ${program}`, stop: close };
  }
  const port = String(await freePort());
  const settings = ['--bind', '127.0.0.1', '--save', '', '--maxmemory-policy', 'noeviction'];
  const command = ['redis-server', '--port', port, ...settings];
  const container = await engine.start({ name: `${prefix}-redis`, image, command });
  return { url: `redis://127.0.0.1:${port}`, kind: `a container of ${image}`, stop: container.remove };
}

export async function startPostgresService(options: ServiceOptions): Promise<BackingService> {
  const { engine, prefix } = options;
  const binaries = await findPostgresPrograms();
  const image = await chooseImage(engine, options.image, postgresImage, binaries !== undefined);
  if (image === undefined && binaries !== undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
    const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
    const server = await startPostgresServer(binaries, folder).catch(async (error: unknown) => {
      await remove();
      throw error;
    });
    const login = `${server.user}:${encodeURIComponent(server.password)}`;
    const stop = async (): Promise<void> => {
      await server.stop('fast');
      await remove();
    };
    const url = `postgres://${login}@127.0.0.1:${server.port}/postgres`;
    return { url, kind: `the programs of ${binaries}`, stop };
  }
  const port = String(await freePort());
  const password = randomBytes(12).toString('hex');
  const env = { POSTGRES_USER: 'rollcall', POSTGRES_PASSWORD: password, POSTGRES_DB: 'rollcall' };
  const command = ['postgres', '-c', `port=${port}`, '-c', 'listen_addresses=127.0.0.1'];
  const container = await engine.start({ name: `${prefix}-postgres`, image: image ?? postgresImage, command, env });
  const url = `postgres://rollcall:${password}@127.0.0.1:${port}/rollcall`;
  await until('PostgreSQL answers', () => answers(url));
  return { url, kind: `a container of ${image}`, stop: container.remove };
}

/** Undefined: the program of this machine. */
async function chooseImage(
  engine: ContainerEngine,
  wanted: string | undefined,
  common: string,
  hasProgram: boolean,
): Promise<string | undefined> {
  const image = wanted ?? common;
  if (await engine.hasImage(image)) return image;
  if (wanted === undefined && hasProgram) return undefined;
  await engine.pull(image);
  return image;
}

async function answers(url: string): Promise<true | undefined> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => {});
  }
}
