import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../src/ports/runtime.ts';
import { benchPeople } from './people.ts';

/** A deployment whose one run updates everybody. */
export interface UpdatesWorld {
  readonly people: number;
  readonly batchRows: number;
  readonly folder: string;
  /** Of the platform, see `fast-platform.ts`. */
  readonly url: string;
  /** More keys of the configuration's top. */
  readonly also?: Readonly<Record<string, unknown>>;
  /** How many updates go without anybody's approval; all by default. */
  readonly allowed?: number;
}

/** Writes the HR file, everybody of the platform, each in another department, and the configuration. Returns its path. */
export async function writeUpdatesWorld(world: UpdatesWorld): Promise<string> {
  const { people, batchRows, folder, url, also = {}, allowed = people } = world;
  let rows = 'id,first,last,mail,area,status\n';
  for (const { identification, fields } of benchPeople(people)) {
    rows += `${identification},${fields.firstName},${fields.lastName},${fields.email},Reorganised,active\n`;
  }
  await writeFile(join(folder, 'employees.csv'), rows);
  const config = {
    store: 'sqlite:./rollcall.db',
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
        guards: { updates: { absolute: allowed, percent: 100 } },
      },
    },
  };
  const path = join(folder, 'rollcall.json');
  await writeFile(path, JSON.stringify(config));
  return path;
}

export const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };
