import { RollcallError } from '../../../core/run/errors.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { V2Config } from '../schema.ts';
import { partnerHeaders } from '../schema.ts';
import { readList } from './list.ts';

/** Names by id. A list that may not be read is undefined. */
export interface Names {
  readonly department: ReadonlyMap<string, string> | undefined;
  readonly team: ReadonlyMap<string, string> | undefined;
  readonly office: ReadonlyMap<string, string> | undefined;
  /** Findings for the operator: names that are not visible. */
  readonly notes: readonly string[];
}

export const noNames: Names = { department: undefined, team: undefined, office: undefined, notes: [] };

/** Highest number of pages of names, in case of a loop. */
const maxPages = 500;

/** Reads the names of departments, teams and offices. A refused list costs only its names. */
export async function readNames(config: V2Config, client: SourceClient): Promise<Names> {
  const notes: string[] = [];
  const read = async (what: string, path: string, query: Readonly<Record<string, string>>) => {
    try {
      return await readIndex(config, client, path, query);
    } catch (error) {
      if (!(error instanceof RollcallError) || error.retry !== 'never') throw error;
      notes.push(`names of ${what} are not visible: ${error.message}`);
      return undefined;
    }
  };
  const { orgUnitsPath, workplacesPath } = config;
  const department = await read('departments', orgUnitsPath, { type: 'department' });
  const team = department === undefined ? undefined : await read('teams', orgUnitsPath, { type: 'team' });
  const office = await read('offices', workplacesPath, {});
  return { department, team, office, notes };
}

async function readIndex(
  config: V2Config,
  client: SourceClient,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  const first = new URL(path, config.url);
  for (const [key, value] of Object.entries({ ...query, limit: '50' })) first.searchParams.set(key, value);
  const headers = partnerHeaders(config);
  let url: string | undefined = first.href;
  while (url !== undefined && !seen.has(url) && seen.size < maxPages) {
    const isContinuation = seen.size > 0;
    seen.add(url);
    const { items, next } = await readList(client, { name: `GET ${path}`, url, headers, isContinuation });
    for (const { id, name } of items) if (typeof name === 'string') names.set(String(id), name);
    url = next;
  }
  return names;
}
