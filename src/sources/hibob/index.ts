import { statusField } from '../../core/person/lifecycle.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { lacking } from '../kit/answer-failure.ts';
import { openAuthority } from '../kit/http/authority.ts';
import type { SourceRequest } from '../kit/http/failure.ts';
import { type HttpRead, readOverHttp, type SourceClient } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import {
  type Fields,
  inPortions,
  openTally,
  type PagedRead,
  readPages,
  rulesOf,
  type TallyRules,
} from '../kit/pages.ts';
import { utcDay } from '../kit/status.ts';
import { HibobConfig } from './config.ts';
import { personReader, statusInputs } from './to-person.ts';

/** HiBob, by `POST /people/search` and a service user. */
export const hibob = defineKind({
  kind: 'hibob',
  title: 'HiBob people, by a service user',
  capabilities: { delta: false, point: true, terminated: 'configurable', future: 'always' },
  config: HibobConfig,
  folder: import.meta.dirname,
  open(config, base) {
    const { serviceUser: username, token: password, limits, tls } = config;
    const authority = openAuthority({ kind: 'basic', username, password }, base, limits.timeout, tls);
    return {
      derives: { [statusField]: statusInputs },
      looksUp: (field) => filterField(field) !== undefined,
      read: readOverHttp(config, authority, (by) => readHibob(config, by), { maxBytes: maxAnswerBytes }),
    };
  },
});

/** HiBob has no pages: all employees are in one answer, and only a chunk of it is held. */
const maxAnswerBytes = 4 * 1024 ** 3;

/** For more people than this, all employees are read. HiBob does not publish the most values of one filter. */
const maxLookups = 100;

/**
 * Reads all people whom the service user may see, in one answer or in batches. A lookup filters by id or e-mail
 * address.
 */
function readHibob(config: HibobConfig, { client, request, io }: HttpRead): AsyncGenerator<SourcePage, ReadEnd> {
  const fields = [...new Set(['root.id', ...config.fields])];
  const mustShow = fields.filter((name) => !config.mayBeAbsent.includes(name));
  const read: PeopleRead = {
    config,
    fields,
    toPerson: personReader(config.statuses, utcDay(io.clock.now())),
    rules: rulesOf(request, 'root.id', mustShow),
  };
  const filter = request.kind === 'point' ? filterFor(request) : undefined;
  return config.batchSize === undefined || filter !== undefined
    ? readOneAnswer(read, filter, client, io)
    : readBatches({ ...read, batchSize: config.batchSize }, client, io);
}

async function* readOneAnswer(
  { config, fields, toPerson, rules }: PeopleRead,
  filter: PeopleFilter | undefined,
  client: SourceClient,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const { streamArray } = await import('../kit/stream-array.ts');
  const tally = openTally(rules);
  const body = client.stream(searchRequest(config, fields, filter));
  const employees = streamArray(body, { name: searchName, path: ['employees'], numbers: 'exact', judge: client.judge });
  yield* inPortions(employees, { tally, io, at: (n) => `employee ${n}`, shape: toPerson, accepts: rules.accepts });
  return tally.end({ evidence: `the answer ended normally, after ${countOf(tally.rows, 'person', 'people')}` });
}

/** Returns HiBob's only filter, where it applies. */
function filterFor({ field, identifications }: Extract<ReadRequest, { kind: 'point' }>): PeopleFilter | undefined {
  if (identifications.length === 0 || identifications.length > maxLookups) return undefined;
  const known = filterField(field);
  return known && { field: known, values: identifications };
}

/** Returns HiBob's name of a field that it can filter by; undefined for the others. */
function filterField(field: string): PeopleFilter['field'] | undefined {
  if (field === 'id' || field === 'root.id') return 'root.id';
  return field === 'email' || field === 'root.email' ? 'root.email' : undefined;
}

/**
 * Reads the ids of all employees, then the people in batches, as HiBob recommends for large companies. As many people
 * as ids prove that none was lost between the batches.
 */
async function* readBatches(
  read: PeopleRead & { readonly batchSize: number },
  client: SourceClient,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const { config, fields, toPerson, rules, batchSize } = read;
  const employees = await findPeople(client, searchRequest(config, ['root.id']));
  const named = employees.flatMap((employee) => idOf(employee) ?? []);
  const unnamed = employees.filter((employee) => idOf(employee) === undefined);
  const ids = [...new Set(named)];
  const doubts = ids.length < named.length ? ['the list of ids has a duplicate'] : [];
  return yield* readPages<number>(
    {
      ...rules,
      shape: toPerson,
      first: 0,
      async page(start) {
        const values = ids.slice(start, start + batchSize);
        const request = searchRequest(config, fields, { field: 'root.id', values });
        const found = values.length === 0 ? [] : await findPeople(client, request);
        const place = start + batchSize;
        const why = `each of ${ids.length} ids was requested`;
        return {
          people: start === 0 ? [...unnamed, ...found] : found,
          total: ids.length + unnamed.length,
          doubts,
          next: place < ids.length ? { kind: 'more', place, id: String(place) } : { kind: 'end', why },
        };
      },
    },
    io,
  );
}

/** What one read requests, and how it uses the answers. */
interface PeopleRead {
  readonly config: HibobConfig;
  readonly fields: readonly string[];
  readonly toPerson: (employee: Fields) => Fields;
  /** The rules of the read's pages. `expected`: fields that at least one employee must have; none in a lookup. */
  readonly rules: TallyRules & Pick<PagedRead<unknown>, 'accepts'>;
}

/** HiBob's only filter: on the id or the e-mail address. */
interface PeopleFilter {
  readonly field: 'root.id' | 'root.email';
  readonly values: readonly string[];
}

const searchName = 'POST /people/search';

/**
 * Builds the request for people: all that the service user may see, or those of the filter. Without one, `filters`
 * must be absent.
 */
function searchRequest(
  { url, showInactive }: HibobConfig,
  fields: readonly string[],
  filter?: PeopleFilter,
): SourceRequest {
  const filters =
    filter === undefined ? {} : { filters: [{ fieldPath: filter.field, operator: 'equals', values: filter.values }] };
  const value = { fields, showInactive, humanReadable: 'APPEND', ...filters };
  return {
    name: searchName,
    method: 'POST',
    url: `${url.replace(/\/$/, '')}/people/search`,
    body: { kind: 'json', value },
  };
}

/** Reads a whole answer. Throws SOURCE_UNAVAILABLE when it holds no list, because an error may arrive as success. */
async function findPeople(client: SourceClient, request: SourceRequest): Promise<readonly unknown[]> {
  const answer = await client.json(request);
  if (isRecord(answer) && Array.isArray(answer.employees)) return answer.employees;
  throw lacking(
    searchName,
    'the list employees',
    'Check that url is the API of HiBob, and the rights of the service user.',
  );
}

/** Returns an employee's id as text; undefined where it is not shown. */
function idOf(employee: unknown): string | undefined {
  if (!isRecord(employee)) return undefined;
  const cell = employee['/root/id'];
  const root = employee.root;
  const id = employee.id ?? (isRecord(root) ? root.id : undefined) ?? (isRecord(cell) ? cell.value : undefined);
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? String(id) : undefined;
}
