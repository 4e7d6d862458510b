import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { readConfirmed } from '../kit/confirm-end.ts';
import type { Authority } from '../kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../kit/http/source-client.ts';
import { acceptsOnly, readPages } from '../kit/pages.ts';
import { attributePath, bothFilters, deltaFilter, pointFilters } from './filters.ts';
import { cursorPages, indexPages, type Pages, type UserList } from './list-users.ts';
import type { ScimConfig } from './schema.ts';
import { readServerFacts, type ServerFacts } from './service-config.ts';
import { openUserReader } from './to-employee.ts';

type ScimRead = AsyncGenerator<SourcePage, ReadEnd>;
type PointRequest = Extract<ReadRequest, { kind: 'point' }>;

/** One read of a SCIM service, with its own client. */
export async function* readUsers(
  written: ScimConfig,
  authority: Authority,
  request: ReadRequest,
  io: SourceIo,
): ScimRead {
  if (request.kind === 'delta' && !written.filters) {
    throw new RollcallError('with filters: false this source cannot read only changes', { code: 'USAGE' });
  }
  const config = { ...written, baseUrl: written.baseUrl.replace(/\/+$/, '') };
  const { baseUrl, limits, tls } = config;
  const parts = { origin: new URL(baseUrl).origin, authority, limits, tls, io };
  return yield* withSourceClient(parts, (client) => readWith({ config, client, io }, request));
}

interface Reading {
  readonly config: ScimConfig;
  readonly client: SourceClient;
  readonly io: SourceIo;
}

async function* readWith(reading: Reading, request: ReadRequest): ScimRead {
  const { config, client } = reading;
  const facts = await readServerFacts(config.baseUrl, client);
  if (facts.knowsFilters === false && config.filter !== undefined) {
    const message =
      'the SCIM server reports that it does not support filters, so `filter` has no effect. Remove it from the ' +
      'configuration, and select people with `scope`.';
    throw new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
  }
  if (request.kind === 'point' && config.filters && facts.knowsFilters !== false) {
    const filters = pointFilters(request, config);
    if (filters !== undefined) return yield* lookUp(reading, facts, request, filters);
  }
  return yield* readAll(reading, facts, request);
}

/**
 * Reads all users, or all changed ones. Reads again where no total would show a person missed between two pages. For
 * named people the list is only filtered.
 */
function readAll(reading: Reading, facts: ServerFacts, request: ReadRequest): ScimRead {
  const isFull = request.kind === 'full';
  const accepts = acceptsOnly(request);
  const filter = request.kind === 'delta' ? deltaFilter(request.since) : undefined;
  const expected = isFull ? (reading.config.attributes ?? []) : [];
  const rules = { key: 'id', expected, mayBeEmpty: !isFull, accepts };
  const open = () => {
    const pages = openPages(reading, facts, filter);
    return { ...rules, ...pages, maySlip: () => request.kind !== 'point' && pages.maySlip() };
  };
  return readConfirmed(open, reading.io);
}

/**
 * Looks up one person after the other. Filters the results, because some servers ignore filters. When a filter is
 * refused, all users are read for the remaining people.
 */
async function* lookUp(
  reading: Reading,
  facts: ServerFacts,
  request: PointRequest,
  filters: readonly string[],
): ScimRead {
  const accepts = acceptsOnly(request);
  const reasons: string[] = [];
  const seen = new Set<string>();
  let rows = 0;
  for (const [index, filter] of filters.entries()) {
    let isRefused = false;
    const refusal: UserList['refusal'] = (status) => {
      if (status !== 400 && status !== 501) return undefined;
      isRefused = true;
      return { what: `a lookup was answered ${status}`, advice: 'Set filters: false.' };
    };
    const pages = openPages(reading, facts, filter, refusal);
    try {
      const end = yield* oncePerPerson(readPages({ ...pages, key: 'id', mayBeEmpty: true, accepts }, reading.io), seen);
      rows += end.rows;
      if (!end.complete) reasons.push(...end.reasons);
    } catch (error) {
      if (!isRefused) throw error;
      reading.io.logger.warn({}, 'source: the SCIM server refuses lookups by a filter; all users are read');
      const rest = { ...request, identifications: request.identifications.slice(index) };
      return yield* readAll(reading, facts, rest);
    }
  }
  if (reasons.length > 0) return { complete: false, rows, reasons };
  return { complete: true, rows, evidence: `${filters.length} lookups were answered`, stamp: '' };
}

/** A server that ignores filters returns all users each time, so each user is returned only once. */
async function* oncePerPerson(read: ScimRead, seen: Set<string>): ScimRead {
  for (let step = await read.next(); ; step = await read.next()) {
    if (step.done === true) return step.value;
    const records = step.value.records.filter(({ fields }) => !seen.has(String(fields.id)));
    for (const { fields } of records) seen.add(String(fields.id));
    if (records.length > 0) yield { ...step.value, records };
  }
}

function openPages(
  reading: Reading,
  facts: ServerFacts,
  filter: string | undefined,
  refusal?: UserList['refusal'],
): Pages {
  const { config, client } = reading;
  const { attributes, extensions, sortBy, pageSize, paging } = config;
  const whole = bothFilters(config.filter, filter);
  const query = {
    ...(attributes === undefined ? {} : { attributes: requestedAttributes(attributes, extensions) }),
    ...(whole === undefined ? {} : { filter: whole }),
    ...(sortBy === false ? {} : { sortBy }),
  };
  const list: UserList = {
    config,
    query,
    size: Math.min(pageSize, facts.maxPageSize ?? pageSize),
    users: openUserReader(config),
    client,
    ...(refusal === undefined ? {} : { refusal }),
  };
  const isByCursor = paging === 'auto' ? facts.knowsCursors === true : paging === 'cursor';
  return isByCursor ? cursorPages(list) : indexPages(list);
}

function requestedAttributes(attributes: readonly string[], extensions: ScimConfig['extensions']): string {
  return [...new Set(['userName', 'active', ...attributes.map((path) => attributePath(path, extensions))])].join(',');
}
