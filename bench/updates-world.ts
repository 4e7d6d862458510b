import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../src/ports/runtime.ts';
import { benchPeople } from './people.ts';

/** A deployment whose one run updates or creates all people. */
export interface UpdatesWorld {
  readonly people: number;
  readonly batchRows: number;
  readonly folder: string;
  /** Of the platform, see `fast-platform.ts`. */
  readonly url: string;
  /** More keys of the configuration's top. */
  readonly also?: Readonly<Record<string, unknown>>;
  /** Number of creates and of updates that need no approval; all by default. */
  readonly allowed?: number;
  /** Address of a PostgreSQL database; SQLite in the folder by default. */
  readonly store?: string | undefined;
}

/**
 * Writes the HR file, in which all people are in another department than on the platform, and the configuration.
 * Returns the path of the configuration.
 */
export async function writeUpdatesWorld(world: UpdatesWorld): Promise<string> {
  const { people, batchRows, folder, url, also = {}, allowed = people, store = 'sqlite:./rollcall.db' } = world;
  await writeFile(join(folder, 'employees.csv'), hrPieces(people));
  const config = {
    store,
    ...also,
    connections: {
      acme: {
        baseUrl: url,
        accessToken: 'bench',
        limits: { requestsPerSecond: 1000, concurrency: 4 },
        dialect: { search: { pageSize: 1000 } },
      },
    },
    syncs: {
      people: {
        connection: 'acme',
        source: { kind: 'csv', path: './employees.csv', complete: 'stable' },
        policy: 'sync',
        delivery: 'csv',
        batchRows,
        mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail', area: 'area' },
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
        guards: { updates: { absolute: allowed, percent: 100 }, creates: { absolute: allowed, percent: 100 } },
      },
    },
  };
  const path = join(folder, 'rollcall.json');
  await writeFile(path, JSON.stringify(config));
  return path;
}

/** The HR file in pieces of some megabytes: a million rows are no one string. */
function* hrPieces(people: number): Generator<string, void> {
  let piece = 'id,first,last,mail,area,status\n';
  for (const { identification, fields } of benchPeople(people)) {
    piece += `${identification},${fields.firstName},${fields.lastName},${fields.email},Reorganised,active\n`;
    if (piece.length < 1 << 22) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };
