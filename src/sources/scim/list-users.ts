import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import { knownWord, lacking } from '../kit/answer-failure.ts';
import type { SourceRequest } from '../kit/http/failure.ts';
import type { SourceClient } from '../kit/http/source-client.ts';
import { countDoubts, countIn, type Page, type PagedRead } from '../kit/pages.ts';
import type { ScimConfig } from './config.ts';
import type { UserReader } from './to-person.ts';

/** A way to read a list of users. `query` is part of every request. */
export interface UserList {
  readonly config: ScimConfig;
  readonly query: Readonly<Record<string, string>>;
  readonly size: number;
  readonly users: UserReader;
  readonly names: (answer: unknown) => unknown;
  readonly client: SourceClient;
  readonly refusal?: NonNullable<SourceRequest['refusal']>;
}

/** Where a page starts: an index from 1, or a cursor. */
export type Place = number | string;

export interface Pages extends Pick<PagedRead<Place>, 'first' | 'page'> {
  /** Whether a person may have been missed between two pages so far without a sign. */
  maySlip(): boolean;
}

/**
 * Index paging (RFC 7644, 3.4.2.4). The next page starts after the number of users received, whatever was requested.
 * Unless the total is exact, only an empty page ends it, because some servers report the page size as the total. A
 * total called exact that equals a full first page also needs an empty page as proof.
 */
export function indexPages(list: UserList): Pages {
  const total = openTotal(list.config);
  let isExact = list.config.total === 'exact';
  let isUnproven = false;
  return {
    first: 1,
    maySlip: () => !isExact && !total.isTrue(list.size),
    async page(place, number) {
      const at = { startIndex: String(place), count: String(list.size) };
      const answer = await readList(list, at, number, number === 1 ? [] : beyondTheEnd);
      if (answer === 'refused') return lost([], isUnproven ? unprovenDoubt(list.size) : refusedDoubt(total.rows()));
      const { people } = answer;
      const totalDoubts = isUnproven && people.length > 0 ? [unprovenDoubt(list.size)] : [];
      // From here the total is known to be wrong. All users are still read, up to an empty page.
      if (totalDoubts.length > 0) isExact = false;
      total.take(people.length, answer.total);
      const after = Number(place) + people.length;
      const more = { place: after, id: String(after) };
      if (!isExact) {
        const doubts = people.length === 0 ? total.doubts() : totalDoubts;
        return { people, doubts, next: { kind: 'perhaps-end', ...more } };
      }
      if (number === 1 && people.length >= list.size && answer.total === people.length) {
        isUnproven = true;
        return { people, next: { kind: 'more', ...more } };
      }
      const most = total.most();
      if (isUnproven && total.rows() >= most) return { people, total: most, next: reached(most) };
      if (answer.total === undefined) return lost(people, 'the answer has no totalResults, which should be exact');
      const isOver = total.rows() >= answer.total;
      if (!isOver && people.length === 0) return lost(people, 'a page was empty before totalResults was reached');
      return { people, total: answer.total, next: isOver ? reached(answer.total) : { kind: 'more', ...more } };
    },
  };
}

/** Cursor paging (RFC 9865, 2): no next cursor is the end. */
export function cursorPages(list: UserList): Pages {
  const total = openTotal(list.config);
  let hasTotal = false;
  return {
    first: '',
    maySlip: () => !hasTotal && !total.isTrue(list.size),
    async page(place, number) {
      const answer = await readList(list, { cursor: String(place), count: String(list.size) }, number, []);
      if (answer === 'refused') return lost([], refusedDoubt(total.rows()));
      const { people, nextCursor } = answer;
      total.take(people.length, answer.total);
      const exact = list.config.total === 'exact' ? answer.total : undefined;
      hasTotal ||= exact !== undefined;
      if (nextCursor !== undefined) {
        return { people, total: exact, next: { kind: 'more', place: nextCursor, id: nextCursor } };
      }
      const doubts = [...(exact === undefined ? total.doubts() : []), ...answer.doubts];
      if (number === 1 && people.length === list.size) {
        doubts.push(
          'the first page is full and has no next cursor, as from a server without cursors: ' +
            'set paging: index (or another pageSize, if there are exactly as many people)',
        );
      }
      return { people, total: exact, doubts, next: { kind: 'end', why: 'no next cursor' } };
    },
  };
}

/** Remembers the largest total. A server that reported more users than it returned has lost some. */
function openTotal({ total: trust }: ScimConfig) {
  let rows = 0;
  let most = 0;
  return {
    rows: () => rows,
    most: () => most,
    /** Returns whether the total equals the users received and is not merely the page size. */
    isTrue: (size: number) => trust !== 'ignored' && most === rows && most !== size,
    take(count: number, total: number | undefined): void {
      rows += count;
      most = Math.max(most, total ?? 0);
    },
    doubts(): readonly string[] {
      if (trust === 'ignored' || most <= rows) return [];
      return [
        `totalResults was ${most}, and ${countOf(rows, 'person', 'people')} arrived (if the server always counts too many: total: ignored)`,
      ];
    },
  };
}

/** Some servers refuse a request after the last user, instead of returning an empty page. */
const beyondTheEnd = [400, 404];

function refusedDoubt(rows: number): string {
  return (
    `the server refuses requests after the first ${rows} people, so it is not proven that these are all: ` +
    'set total: exact, if its totalResults is always right'
  );
}

function unprovenDoubt(size: number): string {
  return (
    `totalResults was the size of the full first page of ${size}, and no empty page followed, so it is not proven ` +
    'to be exact: set total: unreliable, or another pageSize, if the server gives no empty page beyond its end'
  );
}

function reached(total: number): Page<Place>['next'] {
  return { kind: 'end', why: `totalResults of ${total} is reached` };
}

function lost(people: Page<Place>['people'], doubt: string): Page<Place> {
  return { people, doubts: [doubt], next: { kind: 'end', why: 'the pages ended early' } };
}

interface ListAnswer {
  readonly people: Page<Place>['people'];
  readonly total: number | undefined;
  /** What is odd about the total, where it should be exact. */
  readonly doubts: readonly string[];
  readonly nextCursor: string | undefined;
}

async function readList(
  { config, query, users, names, client, refusal }: UserList,
  place: Readonly<Record<string, string>>,
  number: number,
  ends: readonly number[],
): Promise<ListAnswer | 'refused'> {
  const { baseUrl, resource } = config;
  const name = `GET ${resource}`;
  const { status, value: answer } = await client.jsonAnswer({
    name,
    url: `${baseUrl}${resource}?${new URLSearchParams({ ...query, ...place })}`,
    headers: { accept: 'application/scim+json, application/json' },
    // Only a later page can expire. The first one can only be refused.
    ...(number > 1 ? { isContinuation: true, answers: ends } : { refusal: refusal ?? refusalOf(name) }),
  });
  if (status !== 200) return 'refused';
  const named = names(answer);
  const { totalResults, Resources: resources, nextCursor } = isRecord(named) ? named : {};
  const total = countIn(totalResults);
  // RFC 7644, 3.4.2: Resources may be absent when there are none.
  const found = resources === undefined && total !== undefined ? [] : resources;
  if (!Array.isArray(found)) throw lacking(name, 'a SCIM list (Resources, totalResults)', 'Check baseUrl.');
  // RFC 9865, 2: a text. Any other type would look like the end.
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    throw lacking(name, 'a nextCursor that is text', 'The next page cannot be requested. Set paging: index.');
  }
  return {
    people: users.page(found),
    total,
    doubts: config.total === 'exact' ? countDoubts(totalResults, 'totalResults') : [],
    nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
  };
}

/**
 * Returns the error for the registered word of a 400 alone (RFC 7644, 3.12), because details may quote what was sent.
 */
function refusalOf(name: string): NonNullable<SourceRequest['refusal']> {
  return (status, bytes) => {
    const word = status === 400 ? knownWord(bytes, 'scimType', scimTypes) : undefined;
    if (word === undefined) return undefined;
    const advice = adviceByType[word] ?? 'Check filter, attributes, sortBy and pageSize in the configuration.';
    return { what: `${name} was answered 400 (${word})`, advice };
  };
}

/** RFC 7644, table 9, and RFC 9865 for cursors. */
const scimTypes =
  'invalidFilter tooMany uniqueness mutability invalidSyntax invalidPath noTarget invalidValue invalidVers ' +
  'sensitive invalidCursor expiredCursor invalidCount';

const adviceByType: Readonly<Record<string, string>> = {
  invalidFilter: 'The server does not understand the filter: check `filter`, or set filters: false.',
  tooMany: 'The server finds the list too long: set a smaller pageSize, or a `filter`.',
  invalidCount: 'The server refuses the size of pages: set a smaller pageSize.',
};
