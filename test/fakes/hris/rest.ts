import type { FaultName } from '../../contracts/source-faults.ts';
import { givenSize, jsonWithLongNumbers, longId, openRoster, type Roster } from './roster.ts';
import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from './vendor-server.ts';

export interface Human {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly mail: string;
  readonly state: string;
  readonly changed: string;
}

/** One way to page, as a server does it and as a configuration says it. */
export interface PagingFake {
  readonly paging: Readonly<Record<string, unknown>>;
  /** More keys of the source. */
  readonly more: Readonly<Record<string, unknown>>;
  answer(asked: Asked): VendorReply;
}

interface Asked {
  readonly request: VendorRequest;
  readonly roster: Roster<Human>;
  readonly number: number;
  readonly fault: FaultName | undefined;
  /** Records on a page, where the request does not say it. */
  readonly pageSize: number;
  readonly elsewhere: string | undefined;
}

function reply(body: unknown, headers: VendorReply['headers'] = {}): VendorReply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: jsonWithLongNumbers(body) };
}

function numberIn({ url }: VendorRequest, name: string, fallback: number): number {
  return Number(url.searchParams.get(name) ?? fallback);
}

/** Where the next page is, with what a fault makes of it. */
function nextPlace({ fault, number }: Asked, place: string, earlier: string): string {
  return fault === 'cursor again' && number === 3 ? earlier : place;
}

function linkTo(asked: Asked, page: readonly Human[]): string | undefined {
  if (!asked.roster.hasMore(page)) return undefined;
  const { origin } = asked.request.url;
  const base = asked.fault === 'other host' ? (asked.elsewhere ?? origin) : origin;
  const [first] = asked.roster.members;
  return `${base}/people?after=${plain(nextPlace(asked, page.at(-1)?.id ?? '', first?.id ?? ''))}`;
}

function afterSomebody({ request, roster, number, pageSize }: Asked, name: string): readonly Human[] {
  const after = request.url.searchParams.get(name) ?? undefined;
  const size = numberIn(request, 'limit', pageSize);
  return roster.after(after === undefined ? undefined : ({ id }) => plain(id) === after, size, number);
}

function plain(id: string): string {
  return id.replace('#', '');
}

const list = { items: 'data' };
const counted = { ...list, total: 'meta.total' };

function byNumber({ request, roster, number }: Asked, page: number, size: number) {
  const people = roster.page(page * size, size, number);
  const pages = Math.ceil(roster.members.length / size);
  return reply({ data: people, meta: { total: roster.total(), pages, method: request.method } });
}

/** The paging styles of docs/sources/rest.md. */
const pagingFakes = (pageSize: number) =>
  ({
    none: {
      paging: { style: 'none' },
      more: counted,
      answer: ({ roster }) => reply({ data: roster.page(0, 1_000_000, 3), meta: { total: roster.total() } }),
    },
    offset: {
      paging: { style: 'offset', size: pageSize },
      more: { ...counted, query: { sort: 'id' } },
      answer({ request, roster, number }) {
        const people = roster.page(numberIn(request, 'offset', 0), numberIn(request, 'limit', 20), number);
        return reply({ data: people, meta: { total: String(roster.total()) } });
      },
    },
    'offset, no total': {
      paging: { style: 'offset', size: pageSize, offset: 'skip', limit: 'top' },
      more: { ...list, end: { statuses: [204] } },
      answer({ request, roster, number }) {
        const people = roster.page(numberIn(request, 'skip', 0), numberIn(request, 'top', 20), number);
        return people.length === 0 && number > 1 ? { status: 204, body: '' } : reply({ data: people });
      },
    },
    page: {
      paging: { style: 'page', size: pageSize },
      more: { ...counted, end: { emptyObject: true } },
      answer(asked) {
        const page = numberIn(asked.request, 'page', 1) - 1;
        const size = givenSize(numberIn(asked.request, 'per_page', 20), asked.fault);
        const isBeyond = page * size >= asked.roster.members.length && page > 0;
        return isBeyond ? reply({}) : byNumber(asked, page, size);
      },
    },
    'page, no total': {
      paging: { style: 'page', size: pageSize, page: 'p', perPage: 'n', start: 0 },
      more: list,
      answer({ request, roster, number, fault }) {
        const size = givenSize(numberIn(request, 'n', 20), fault);
        return reply({ data: roster.page(numberIn(request, 'p', 0) * size, size, number) });
      },
    },
    'page-in-body': {
      paging: { style: 'page-in-body', size: pageSize, page: 'paging.page', perPage: 'paging.size', lastPage: 'total' },
      more: { ...counted, method: 'POST', body: { fields: ['id'], paging: { order: 'id' } } },
      answer(asked) {
        const { fields, paging } = JSON.parse(asked.request.body);
        if (fields?.[0] !== 'id' || paging.order !== 'id') return { status: 422, body: '' };
        const size = givenSize(paging.size, asked.fault);
        return byNumber(asked, paging.page - 1, size);
      },
    },
    'start-index': {
      paging: { style: 'start-index', size: pageSize },
      more: { items: 'Resources', total: 'totalResults' },
      answer({ request, roster, number }) {
        const people = roster.page(numberIn(request, 'startIndex', 1) - 1, numberIn(request, 'count', 20), number);
        return reply({ Resources: people, totalResults: roster.total() });
      },
    },
    cursor: {
      paging: { style: 'cursor', size: pageSize, cursor: 'page[after]', limit: 'page[limit]', next: 'meta.next' },
      more: counted,
      answer(asked) {
        const { request, roster, number } = asked;
        const start = Number(Buffer.from(request.url.searchParams.get('page[after]') ?? 'MA==', 'base64').toString());
        const people = roster.page(start, numberIn(request, 'page[limit]', 20), number);
        const end = start + people.length;
        const place = (at: number) => Buffer.from(String(at)).toString('base64');
        const next = end < roster.members.length ? nextPlace(asked, place(end), place(pageSize)) : null;
        return reply({ data: roster.shown(people), meta: { total: roster.total(), next } });
      },
    },
    'cursor, no total': {
      paging: { style: 'cursor', size: pageSize, in: 'body', next: 'next' },
      more: { ...list, method: 'POST' },
      answer(asked) {
        const { cursor = 0, limit } = JSON.parse(asked.request.body);
        const people = asked.roster.page(Number(cursor), limit, asked.number);
        const end = Number(cursor) + people.length;
        const next = end < asked.roster.members.length ? nextPlace(asked, String(end), String(pageSize)) : null;
        return reply({ data: asked.roster.shown(people), next });
      },
    },
    'after-id': {
      paging: { style: 'after-id', size: pageSize, hasMore: 'more' },
      more: list,
      answer(asked) {
        const people = afterSomebody(asked, 'after_id');
        return reply({ data: asked.roster.shown(people), more: asked.roster.hasMore(people) });
      },
    },
    'next-link': {
      paging: { style: 'next-link', next: '_links.next.href' },
      more: { items: 'edges', record: 'node' },
      answer(asked) {
        const people = afterSomebody(asked, 'after');
        const link = linkTo(asked, people);
        const _links = link === undefined ? [] : { next: { href: link.replace(asked.request.url.origin, '') } };
        return reply({ edges: asked.roster.shown(people).map((node) => ({ node })), _links });
      },
    },
    'link-header': {
      paging: { style: 'link-header' },
      more: { items: '.' },
      answer(asked) {
        const people = afterSomebody(asked, 'after');
        const link = linkTo(asked, people);
        const first = `<${asked.request.url.origin}/people>; rel="first"`;
        return reply(asked.roster.shown(people), {
          link: link === undefined ? first : [first, `<${link}>; title="a, b"; rel="last next"`],
        });
      },
    },
    'total-pages': {
      paging: { style: 'total-pages', size: pageSize, start: 0, page: 'p', perPage: 'n', pages: 'meta.pages' },
      more: counted,
      answer: (asked) => {
        const size = givenSize(numberIn(asked.request, 'n', 20), asked.fault);
        return byNumber(asked, numberIn(asked.request, 'p', 0), size);
      },
    },
  }) as const satisfies Readonly<Record<string, PagingFake>>;

export type PagingFakeName = keyof ReturnType<typeof pagingFakes>;

export interface RestFake {
  readonly server: VendorServer;
  /** What may have gone to another host. */
  readonly elsewhere: VendorServer;
  readonly humans: readonly Human[];
  /** The section `source` that reads it. */
  readonly source: Readonly<Record<string, unknown>>;
}

export function humans(count: number, fault?: FaultName): Human[] {
  return Array.from({ length: count }, (_, index) => ({
    id: fault === 'long ids' ? `#${longId(index)}` : `P${index}-${'x'.repeat(20)}`,
    first: `Ana${index}`,
    last: 'Díaz',
    mail: `ana${index}@example.com`,
    state: 'active',
    changed: '2026-01-01T00:00:00Z',
  }));
}

/** An API that pages in the style, with OAuth client credentials, and plays the fault. */
export async function startRestFake(
  style: PagingFakeName,
  fault?: FaultName,
  { count, pageSize } = { count: 30, pageSize: 100 },
): Promise<RestFake> {
  const { paging, more, answer }: PagingFake = pagingFakes(pageSize)[style];
  const roster = openRoster(humans(count, fault), fault);
  const strikeAt = style === 'none' ? 1 : 2;
  let issued = 0;
  let oldest = 1;
  const elsewhere = await startVendor({ answer: () => reply([]), isData: () => false });
  const server = await startVendor({
    fault,
    strikeAt,
    isData: ({ url }) => url.pathname === '/people',
    answer(request, number) {
      if (request.url.pathname === '/token') {
        issued += 1;
        return reply({ access_token: `token-${issued}`, token_type: 'Bearer', expires_in: 3600 });
      }
      if (fault === 'token ends' && number === strikeAt && oldest === 1) {
        oldest = issued + 1;
        return { status: 401, body: '' };
      }
      const token = Number(/^Bearer token-(\d+)$/.exec(request.headers.authorization ?? '')?.[1] ?? 0);
      if (token < oldest || token > issued) return { status: 401, body: '' };
      if (number >= strikeAt && fault === 'error with 200') return reply({ error: 'no data source' });
      if (number >= strikeAt && fault === 'cursor expired') return { status: 410, body: '' };
      if (number >= strikeAt && fault === 'other host' && !style.includes('link')) {
        return { status: 302, headers: { location: `${elsewhere.url}/people` }, body: '' };
      }
      return answer({ request, roster, number, fault, pageSize, elsewhere: elsewhere.url });
    },
  });
  const source = {
    kind: 'rest',
    baseUrl: server.url,
    path: '/people',
    auth: { kind: 'client-credentials', tokenUrl: `${server.url}/token`, clientId: 'rollcall', clientSecret: 's3cret' },
    key: 'id',
    paging,
    ...more,
  };
  return { server, elsewhere, humans: roster.members, source };
}
