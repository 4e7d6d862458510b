import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostgresPrograms, startPostgresServer } from '../../test/support/services/postgres-server.ts';

/** A PostgreSQL of one page. */
export interface PagePostgres {
  /** Parts of urls as the page shows them, with what takes their place, longest first. */
  readonly places: readonly (readonly [shown: string, actual: string])[];
  /** As a url needs it. */
  readonly password: string;
  close(): Promise<void>;
}

/** Starts an empty database `rollcall`. Returns undefined where the programs of PostgreSQL are missing. */
export async function startPagePostgres(): Promise<PagePostgres | undefined> {
  const binaries = await findPostgresPrograms();
  if (binaries === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-postgres-'));
  const server = await startPostgresServer(binaries, folder);
  const close = async () => {
    await server.stop('fast');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const { port, user, password } = server;
  const client = new Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
  try {
    await client.connect();
    await client.query('create database rollcall');
  } catch (error) {
    await close();
    throw error;
  } finally {
    await client.end();
  }
  return {
    places: [
      ['db.example.com/rollcall?sslmode=verify-full', `127.0.0.1:${port}/rollcall?sslmode=disable`],
      ['db.example.com', `127.0.0.1:${port}`],
    ],
    password: encodeURIComponent(password),
    close,
  };
}
