import { z } from 'zod';
import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import { RollcallError } from '../../../core/run/errors.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../../ports/source.ts';
import { utcDay } from '../../kit/employment-status.ts';
import type { Authority } from '../../kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../../kit/http/source-client.ts';
import { acceptsOnly, type Page, readPages } from '../../kit/pages.ts';
import { partnerHeaders, type V1Config } from '../schema.ts';
import { toEmployee } from './to-employee.ts';

const name = 'GET /v1/company/employees';
const unauthorised = 'Personio also answers this when the credential lacks permission to read employees.';

/** For more people than this, all employees are read, because each lookup costs a request. */
const maxLookups = 20;

const Employees = z.looseObject({
  success: z.literal(true),
  metadata: z.looseObject({ total_elements: z.number().optional() }).optional(),
  data: z.array(z.looseObject({ attributes: z.record(z.string(), z.unknown()) })),
});

/** Start of a page: the last employee of the previous page, which shows that the list has not moved. */
interface Place {
  readonly from: number;
  readonly last: string | undefined;
}

/** Reads the employees page by page, or people by e-mail address one by one. */
export async function* readV1(
  config: V1Config,
  authority: Authority,
  request: ReadRequest,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  if (request.kind === 'delta') {
    throw new RollcallError('employees of Personio v1 are always read completely: use api: v2 for a delta', {
      code: 'USAGE',
    });
  }
  const { limits, tls, attributes = [] } = config;
  const today = utcDay(io.clock.now());
  const isFull = request.kind === 'full';
  const rules = { key: 'id', expected: isFull ? attributes : [], mayBeEmpty: !isFull, accepts: acceptsOnly(request) };
  const parts = { origin: new URL(config.url).origin, authority, limits, tls, io };
  const mails = isFull || request.field !== 'email' ? [] : request.identifications;
  return yield* withSourceClient(parts, (client) => {
    const read = { config, client, today };
    return mails.length > 0 && mails.length <= maxLookups
      ? readPages<number>({ ...rules, first: 0, page: (index) => lookUp(read, mails, index) }, io)
      : readPages<Place>({ ...rules, first: { from: 0, last: undefined }, page: (place) => readPage(read, place) }, io);
  });
}

/** What every request of a read needs. */
interface V1Read {
  readonly config: V1Config;
  readonly client: SourceClient;
  readonly today: string;
}

/**
 * Reads one page. Personio has no sort order and its total may change, so each page starts with the last employee of
 * the previous one. Where it does not, a person may be missing. The list ends when no employee follows.
 */
async function readPage(read: V1Read, place: Place): Promise<Page<Place>> {
  const { config } = read;
  const { from, last } = place;
  const query = { limit: String(config.pageSize), offset: String(from) };
  const { employees, total } = await ask(read, query, from > 0);
  const overlaps = last !== undefined && employees[0]?.id === last;
  const doubts =
    last === undefined || overlaps
      ? []
      : ['a page does not begin where the previous page ended: the list changed during the read'];
  const people = overlaps ? employees.slice(1) : employees;
  const id = people.at(-1)?.id;
  if (id === undefined) {
    return {
      people,
      doubts,
      total: config.total === 'exact' ? total : undefined,
      next: { kind: 'end', why: 'no employee follows the last one' },
    };
  }
  const next = from + employees.length - 1;
  return { people, doubts, next: { kind: 'more', place: { from: next, last: String(id) }, id: String(next) } };
}

async function lookUp(read: V1Read, mails: readonly string[], index: number): Promise<Page<number>> {
  const { employees } = await ask(read, { email: mails[index] ?? '' }, false);
  const next = index + 1;
  return {
    people: employees,
    next:
      next < mails.length
        ? { kind: 'more', place: next, id: String(next) }
        : { kind: 'end', why: 'each e-mail address was requested' },
  };
}

async function ask(
  { config, client, today }: V1Read,
  query: Readonly<Record<string, string>>,
  isContinuation: boolean,
) {
  const url = new URL(`${config.url.replace(/\/$/, '')}/v1/company/employees`);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  for (const attribute of withId(config.attributes)) url.searchParams.append('attributes[]', attribute);
  const headers = partnerHeaders(config);
  const answer = Employees.safeParse(await client.json({ name, url: url.href, headers, isContinuation, unauthorised }));
  if (!answer.success) {
    const message = `${name} was answered without the list of employees. Check that url is the API of Personio.`;
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
  }
  const { data, metadata } = answer.data;
  return {
    employees: data.map(({ attributes }) => toEmployee(attributes, today)),
    total: metadata?.total_elements,
  };
}

/** The key and the status are always requested. */
function withId(attributes: readonly string[] | undefined): readonly string[] {
  return attributes === undefined ? [] : [...new Set(['id', 'status', ...attributes])];
}
