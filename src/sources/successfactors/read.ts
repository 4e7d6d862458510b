import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { chunk } from '../../core/run/batch.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourcePage } from '../../ports/source.ts';
import { lacking } from '../kit/answer-failure.ts';
import type { Refusal } from '../kit/http/failure.ts';
import type { HttpRead, SourceClient } from '../kit/http/source-client.ts';
import { countDoubts, countIn, type Fields, openTally, type Page, readPages, rulesOf } from '../kit/pages.ts';
import { deltaStart, utcDay } from '../kit/status.ts';
import type { SuccessFactorsConfig } from './config.ts';
import { quoted } from './odata.ts';
import { personFields, toPerson, toUser, userFields } from './to-person.ts';

/** SAP's recommended wait after a 429 (KBA 3159263). */
export const busyWaitMs = 300_000;

/** An address to read, and the first addresses of the series that follow. */
interface Place {
  readonly url: string;
  readonly isContinuation: boolean;
  readonly rest: readonly string[];
}

/** Reads people page by page, by the next links of SuccessFactors. */
export async function* readPeople(
  config: SuccessFactorsConfig,
  { client, request, io }: HttpRead,
): AsyncGenerator<SourcePage, ReadEnd> {
  const isPerson = config.entity === 'PerPerson';
  const today = utcDay(io.clock.now());
  const [first, ...rest] = queryUrls(config, request, today);
  const key = isPerson ? 'personIdExternal' : 'userId';
  const rules = rulesOf(request, key, isPerson ? personFields : userFields);
  if (first === undefined) return openTally(rules).end({ evidence: 'no people were requested' });
  // Totals by the number of remaining series, because each series has its own total.
  const counts = new Map<number, number>();
  const page = async (place: Place): Promise<Page<Place>> => {
    const { results: people, count, doubts, next } = await readResults(config, client, place);
    if (count !== undefined) counts.set(place.rest.length, count);
    const total = rest.length === 0 ? count : undefined;
    if (next !== undefined)
      return { people, total, doubts, next: more({ url: next, isContinuation: true, rest: place.rest }) };
    const [following, ...others] = place.rest;
    if (following !== undefined) {
      return { people, total, doubts, next: more({ url: following, isContinuation: false, rest: others }) };
    }
    const sum = [...counts.values()].reduce((all, one) => all + one, 0);
    const areKnown = counts.size === rest.length + 1;
    return {
      people,
      total: areKnown ? sum : undefined,
      doubts,
      next: { kind: 'end', why: 'the last page has no __next' },
    };
  };
  const start = { url: first, isContinuation: false, rest };
  const shape = (entity: Fields) => (isPerson ? toPerson(entity, config, today) : toUser(entity, today));
  return yield* readPages({ ...rules, first: start, page, shape }, io);
}

function more(place: Place): Page<Place>['next'] {
  return { kind: 'more', place, id: place.url };
}

async function readResults({ entity }: SuccessFactorsConfig, client: SourceClient, { url, isContinuation }: Place) {
  const name = `GET /odata/v2/${entity}`;
  const refusal = isContinuation ? undefined : (status: number, bytes: Uint8Array) => refusalOf(name, status, bytes);
  const body = await client.json({ name, url, isContinuation, ...(refusal === undefined ? {} : { refusal }) });
  const d = isRecord(body) && isRecord(body.d) ? body.d : undefined;
  if (d === undefined || !Array.isArray(d.results)) throw lacking(name, 'the list d.results', 'Check the address.');
  const doubts = countDoubts(d.__count, 'd.__count');
  const results: readonly unknown[] = d.results;
  return { results, count: countIn(d.__count), doubts, next: nextUrl(name, d.__next, url) };
}

/** Returns undefined at the end. Throws for an invalid link, which would otherwise look like the end. */
function nextUrl(name: string, link: unknown, from: string): string | undefined {
  if (link === undefined || link === null || link === '') return undefined;
  if (typeof link === 'string' && URL.canParse(link, from)) return new URL(link, from).href;
  throw lacking(name, 'a __next that is an address', 'The next page cannot be requested. Check the address.');
}

/** Returns the error for the code of an OData error. Its texts may hold ids, so they are not shown. */
function refusalOf(name: string, status: number, bytes: Uint8Array): Refusal | undefined {
  if (status !== 400 && status !== 403) return undefined;
  const code = /"code"\s*:\s*"((?:COE|LGN)[A-Z0-9_]{1,60})"/.exec(Buffer.from(bytes).toString('latin1'))?.[1];
  if (code === undefined) return undefined;
  const what = `${name} was answered ${status} (${code})`;
  const advice =
    status === 403
      ? 'The user lacks a permission: docs/sources/successfactors.md lists the required ones.'
      : 'A navigation of expand or a field of filter does not exist or is not granted: remove it from source.expand, or grant it.';
  return { what, advice, isRefusal: status === 403 };
}

/** People in one lookup request. */
const idsAtOnce = 50;

/** The record's fields that SuccessFactors can look up, as its own paths. */
export const idPaths: Readonly<Record<SuccessFactorsConfig['entity'], Readonly<Record<string, string>>>> = {
  PerPerson: { personIdExternal: 'personIdExternal', userId: 'employmentNav/userId' },
  User: { userId: 'userId', username: 'username' },
};

/** Navigations of PerPerson with their own change time, because a new job does not change the person. */
const changing = [
  'personalInfoNav',
  'emailNav',
  'phoneNav',
  'employmentNav',
  'employmentNav/userNav',
  'employmentNav/jobInfoNav',
];

/** Returns the first address of each series of pages of the read. `today` is a plain date. */
function queryUrls(config: SuccessFactorsConfig, request: ReadRequest, today: string): readonly string[] {
  const filter = config.filter ?? defaultFilter[config.entity];
  switch (request.kind) {
    case 'full':
      return [queryUrl(config, filter, today)];
    case 'delta':
      return [queryUrl(config, `(${filter}) and (${changedSince(config, request.since)})`, today)];
    case 'point': {
      const path = idPaths[config.entity][request.field];
      if (path === undefined) return [queryUrl(config, filter, today)];
      return chunk(request.identifications, idsAtOnce).map((ids) => {
        const these = ids.map((id) => `${path} eq ${quoted(id)}`).join(' or ');
        return queryUrl(config, `(${filter}) and (${these})`, today);
      });
    }
  }
}

const defaultFilter: Readonly<Record<SuccessFactorsConfig['entity'], string>> = {
  // People without any employment (contacts, candidates) have no count of employments.
  PerPerson: 'personEmpTerminationInfoNav/activeEmploymentsCount ne null',
  // Without this filter only active users are returned.
  User: "status in 't','f'",
};

function changedSince({ entity, expand }: SuccessFactorsConfig, since: string): string {
  const from = deltaStart(since).replace(/\.\d+Z$/, 'Z');
  const isExpanded = (path: string): boolean => expand.some((entry) => entry === path || entry.startsWith(`${path}/`));
  const prefixes = entity === 'User' ? [] : changing.filter(isExpanded).map((path) => `${path}/`);
  return ['', ...prefixes].map((prefix) => `${prefix}lastModifiedDateTime ge datetimeoffset'${from}'`).join(' or ');
}

/** Never uses `$top` or `$skip`: with them there is no next link, and people may be repeated or missing. */
function queryUrl(config: SuccessFactorsConfig, filter: string, today: string): string {
  const { entity, expand, future, pageSize, paging, url } = config;
  const options: [string, string][] = [['$format', 'json']];
  if (entity === 'User') options.push(['$select', [...userFields, 'manager/userId'].join(',')], ['$expand', 'manager']);
  else options.push(['$expand', expand.join(',')]);
  options.push(
    ['$filter', filter],
    ['$inlinecount', 'allpages'],
    ['paging', paging],
    ['customPageSize', String(pageSize)],
  );
  if (future === 'shown' && entity === 'PerPerson') options.push(['fromDate', today], ['toDate', '9999-12-31']);
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return new URL(`/odata/v2/${entity}?${query}`, url).href;
}
