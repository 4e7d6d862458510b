import { compileSourcePath } from '../../core/person/source-path.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { SourceRequest } from '../kit/http/failure.ts';
import type { JsonAnswer, SourceClient } from '../kit/http/source-client.ts';
import { countDoubts, countIn, type Fields, type Page } from '../kit/pages.ts';
import type { RestConfig } from './config.ts';
import { compileListPath, openPaging, type Place } from './paging.ts';

/** A list of an API, as `RestConfig` and its `join` configure it. */
export type List = Readonly<
  Pick<RestConfig, 'baseUrl' | 'method' | 'headers' | 'body' | 'end'> &
    Pick<RestConfig, 'path' | 'query' | 'items' | 'record' | 'total' | 'paging'>
>;

/** One page of a list, with the answer that contained it. */
export interface ListPage extends Page<Place> {
  readonly answer: unknown;
  /** Whether the list was read to its end. */
  readonly isLast: boolean;
  /** The answer to a lookup of one person, who must be the person asked for. */
  readonly isOnly?: true;
}

export interface ListReader {
  readonly first: Place;
  page(place: Place, number: number): Promise<ListPage>;
  /** Whether a person may have been missed between two pages so far without a sign. */
  maySlip?(): boolean;
}

/** Reads one list, page by page in order. Holds the last person of a page, to find it again on the next one. */
export function openListReader(list: List, client: SourceClient): ListReader {
  const paging = openPaging(list.paging, list.total !== undefined);
  const { overlap = 0 } = paging;
  const readItems = compileListPath(list.items);
  const readRecord = list.record === undefined ? undefined : compileSourcePath(list.record);
  const readTotal = list.total === undefined ? () => undefined : compileListPath(list.total);
  const name = nameOf(list);
  let rows = 0;
  let last: unknown;
  let hasTotal = false;

  const itemsOf = (answer: unknown, endSetting: string | undefined): readonly unknown[] => {
    const items = readItems(answer);
    if (!Array.isArray(items)) throw noList(name, list.items, endSetting, answer);
    return readRecord === undefined ? items : items.map((item) => (isRecord(item) ? readRecord(item) : item));
  };

  return {
    first: paging.first,
    maySlip: () => paging.canSlip === true && overlap === 0 && !hasTotal,
    async page(place, number) {
      const request = requestOf(list, place, number);
      const answer = await client.jsonAnswer(request);
      const { value } = answer;
      const isNull = readItems(value) === null;
      if (number > 1 && (saysEnd(answer, list.end) || (isNull && list.end.nullList))) {
        const why = isNull ? 'no list' : value === undefined ? `status ${answer.status}` : 'an empty object';
        return { people: [], answer: value, next: { kind: 'end', why }, isLast: true };
      }
      const isEmpty = isRecord(value) && Object.keys(value).length === 0;
      const endSetting = isNull ? 'source.end.nullList' : isEmpty ? 'source.end.emptyObject' : undefined;
      const items = itemsOf(value, number > 1 ? endSetting : undefined);
      const { people, doubt } = withoutOverlap(items, number === 1 ? 0 : overlap, last);
      rows += people.length;
      last = items.at(-1) ?? last;
      const told = readTotal(value);
      const total = countIn(told);
      hasTotal ||= total !== undefined;
      const facts = { answer: value, links: answer.headerAll('link'), url: request.url, rows, total };
      const next = paging.next({ ...facts, people: items }, place);
      const doubts = [
        ...(doubt === undefined ? [] : [doubt]),
        ...countDoubts(told, `${name}: ${list.total}`),
        ...partialDoubts(answer, list).map((why) => `${name}: ${why}, so people may be missing`),
      ];
      const isEnd = next.kind === 'end' || (people.length === 0 && next.kind === 'perhaps-end');
      if (isEnd && list.total === undefined) client.count(name, { people: rows, advice: startAdvice(list) });
      if (next.kind === 'lost') {
        const end = { kind: 'end', why: 'the pages ended early' } as const;
        return {
          people,
          total,
          answer: value,
          doubts: [...doubts, `${name}: ${next.reason}`],
          next: end,
          isLast: true,
        };
      }
      if (next.kind === 'end') return { people, total, answer: value, doubts, next, isLast: true };
      return { people, total, answer: value, doubts, next: { ...next, id: JSON.stringify(next.place) }, isLast: isEnd };
    },
  };
}

/** Name of a request in messages: the configured path. */
export function nameOf({ method, path, baseUrl }: Pick<List, 'method' | 'path' | 'baseUrl'>): string {
  return `${method} ${path === '' ? new URL(baseUrl).pathname : path}`;
}

export function urlOf(baseUrl: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(`${baseUrl.replace(/\/+$/, path === '' ? '$&' : '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

function requestOf(list: List, place: Place, number: number): SourceRequest {
  const { baseUrl, path, method, headers, query, end } = list;
  const body = Object.entries(place.body).reduce<Fields>(
    (under, [at, value]) => put(under, at.split('.'), value),
    list.body ?? {},
  );
  return {
    name: nameOf(list),
    url: place.url ?? urlOf(baseUrl, path, { ...query, ...place.query }),
    method,
    headers,
    ...(method === 'POST' ? { body: { kind: 'json', value: body } } : {}),
    answers: number > 1 ? [partContent, ...end.statuses] : [partContent],
    ...(number > 1 ? { isContinuation: true, endSetting: 'source.end.statuses' } : {}),
  };
}

function put(under: Fields, [step = '', ...deeper]: readonly string[], value: unknown): Fields {
  if (deeper.length === 0) return { ...under, [step]: value };
  const below = under[step];
  return { ...under, [step]: put(isRecord(below) ? below : {}, deeper, value) };
}

/** Partial Content: an answer that is a page, as PostgREST says it. */
const partContent = 206;

function saysEnd({ status, value }: JsonAnswer, end: RestConfig['end']): boolean {
  if (status !== 200 && status !== partContent) return true;
  return end.emptyObject && isRecord(value) && Object.keys(value).length === 0;
}

/** Names under which answers say of themselves that they are not whole. */
const partialFlags = ['partial', 'isPartial', 'is_partial', 'incomplete', 'incomplete_results', 'truncated'];

/** Names under which an answer says that a page follows: true, or where it is. */
const moreNames =
  /^(?:has_?more|has_?next(?:_?page)?|(?:@odata\.)?next(?:_?(?:page|link|page_?link|page_?token|cursor))?)$/i;
/** Returns how an answer says itself that it is only a part of what was requested. */
function partialDoubts({ status, value, headerAll }: JsonAnswer, { paging }: List): readonly string[] {
  const whole = paging.style === 'none';
  const doubts = status === partContent && whole ? ['status 206 says that the answer is a part of the list'] : [];
  const noPages = 'but paging.style is none';
  if (whole && headerAll('link').some((link) => /rel="?next\b/i.test(link))) {
    doubts.push(`its header \`link\` names a next page, ${noPages}`);
  }
  if (!isRecord(value)) return doubts;
  for (const part of [value, ...Object.values(value).filter(isRecord)]) {
    for (const flag of partialFlags) if (part[flag] === true) doubts.push(`the answer says \`${flag}: true\``);
    if (!whole) continue;
    for (const [name, said] of Object.entries(part)) {
      const isNext =
        moreNames.test(name) && (said === true || (typeof said === 'string' && said !== '') || isRecord(said));
      if (isNext) doubts.push(`\`${name}\` says that a page follows, ${noPages}`);
    }
  }
  return doubts;
}

/** What to set where pages may be counted from 0, so that the first one was not read. */
function startAdvice({ paging }: List): string {
  return 'page' in paging && paging.start > 0 ? 'if pages are counted from 0, set source.paging.start: 0; ' : '';
}

/** Removes the people that a page repeats from the previous one. If they differ, people moved between the two. */
function withoutOverlap(
  items: readonly unknown[],
  overlap: number,
  last: unknown,
): { readonly people: readonly unknown[]; readonly doubt?: string } {
  if (overlap === 0 || last === undefined) return { people: items };
  if (JSON.stringify(items[0]) === JSON.stringify(last)) return { people: items.slice(1) };
  const doubt =
    'a page does not begin with the last person of the page before: people moved, so one may be missing between the ' +
    'two (if this always happens, the API has no stable order: add a parameter to sort by an id)';
  return { people: items, doubt };
}

/** Names the members of an answer. Those with digits may be people. */
function membersOf(answer: unknown): string {
  const names = isRecord(answer) ? Object.keys(answer).filter((name) => /^[a-z_]{1,30}$/i.test(name)) : [];
  return names.length === 0 ? '' : `, but ${names.slice(0, namedMembers).join(', ')}`;
}

const namedMembers = 5;

function noList(name: string, items: string, endSetting: string | undefined, answer: unknown): RollcallError {
  const where =
    Array.isArray(answer) && items !== '.'
      ? `is itself a list, and \`items\` is ${items}: set items: "."`
      : items === '.'
        ? 'is no list'
        : `has no list at ${items}${membersOf(answer)}`;
  const message =
    `${name} was answered, but the answer ${where}. Some HR systems report errors that way, so it never counts as an ` +
    `empty list. If it is no error, correct \`items\`.${endSetting === undefined ? '' : ` If this means that no page follows, set ${endSetting}: true.`}`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
