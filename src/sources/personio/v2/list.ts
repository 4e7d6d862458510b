import { z } from 'zod';
import { RollcallError } from '../../../core/run/errors.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import { lacking } from '../../kit/answer-failure.ts';
import type { SourceRequest } from '../../kit/http/failure.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import { partnerHeaders, type V2Config } from '../config.ts';

const Listed = z.looseObject({
  _data: z.array(z.unknown()),
  _meta: z
    .looseObject({ links: z.looseObject({ next: z.looseObject({ href: z.string().min(1) }).nullish() }).nullish() })
    .nullish(),
});

/** One page of a list of the newer API. `next` is absolute; undefined on the last page. */
export type ListPage = Awaited<ReturnType<typeof readList>>;

/** Reads one page. Throws SOURCE_UNAVAILABLE when there is no list, because an error may arrive as success. */
export async function readList(client: SourceClient, request: SourceRequest) {
  const listed = Listed.safeParse(await client.json(request));
  if (!listed.success) throw lacking(request.name, 'the list _data', 'Check that url is the API of Personio.');
  const links = listed.data._meta?.links ?? undefined;
  const href = links?.next?.href;
  const next = href === undefined ? undefined : resolve(href, request.url);
  return {
    items: listed.data._data,
    next,
    /** False when the answer has no links at all, so a missing next link proves nothing. */
    hasLinks: links !== undefined,
  };
}

/** An invalid address stays unchanged; the client reports that it leads elsewhere. */
function resolve(href: string, from: string): string {
  return URL.canParse(href, from) ? new URL(href, from).href : href;
}

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
    for (const one of items) if (isRecord(one) && typeof one.name === 'string') names.set(String(one.id), one.name);
    url = next;
  }
  return names;
}
