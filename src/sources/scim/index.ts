import { statusField } from '../../core/person/lifecycle.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { isRecord, readJson } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { readConfirmed } from '../kit/confirm-end.ts';
import { openAuthority } from '../kit/http/authority.ts';
import { type HttpRead, readOverHttp, type SourceClient } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { acceptsOnly, readPages, rulesOf } from '../kit/pages.ts';
import { deltaStart } from '../kit/status.ts';
import { ScimConfig } from './config.ts';
import { cursorPages, indexPages, type Pages, type UserList } from './list-users.ts';
import { openNames } from './names.ts';
import { openUserReader } from './to-person.ts';

/** Users of a SCIM 2.0 service (RFC 7643, RFC 7644; cursors by RFC 9865). */
export const scim = defineKind({
  kind: 'scim',
  title: 'users of a SCIM 2.0 service, by index or cursor paging',
  capabilities: { delta: true, point: true, terminated: 'unknown', future: 'unknown' },
  config: ScimConfig,
  folder: import.meta.dirname,
  capabilitiesOf: ({ filters }) => ({ delta: filters, point: filters }),
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout, config.tls);
    return {
      derives: { [statusField]: ['active'], workEmail: ['emails'] },
      read: readOverHttp({ ...config, url: config.baseUrl }, authority, (by) => readUsers(config, by)),
    };
  },
});

type ScimRead = AsyncGenerator<SourcePage, ReadEnd>;
type PointRequest = Extract<ReadRequest, { kind: 'point' }>;

interface Reading {
  readonly config: ScimConfig;
  readonly client: SourceClient;
  readonly io: SourceIo;
}

async function* readUsers(written: ScimConfig, { client, request, io }: HttpRead): ScimRead {
  const config = { ...written, baseUrl: written.baseUrl.replace(/\/+$/, '') };
  const reading = { config, client, io };
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
  const filter = request.kind === 'delta' ? deltaFilter(request.since) : undefined;
  const rules = rulesOf(request, 'id', reading.config.attributes ?? []);
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
    names: openNames(config),
    client,
    ...(refusal === undefined ? {} : { refusal }),
  };
  const isByCursor = paging === 'auto' ? facts.knowsCursors === true : paging === 'cursor';
  return isByCursor ? cursorPages(list) : indexPages(list);
}

function requestedAttributes(attributes: readonly string[], extensions: ScimConfig['extensions']): string {
  return [...new Set(['userName', 'active', ...attributes.map((path) => attributePath(path, extensions))])].join(',');
}

/** What a server reports about itself. Undefined where it reports nothing. */
type ServerFacts = Awaited<ReturnType<typeof readServerFacts>>;

/** Statuses of a server without this endpoint, or that hides it. It reports nothing, which is not a fault. */
const silent = [400, 403, 404, 405, 406, 501];

/** Reads `/ServiceProviderConfig` (RFC 7643, 5; `pagination` by RFC 9865, 4). */
async function readServerFacts(baseUrl: string, client: SourceClient) {
  const answer = await client.send({
    name: 'GET /ServiceProviderConfig',
    url: `${baseUrl}/ServiceProviderConfig`,
    headers: { accept: 'application/scim+json, application/json' },
    answers: silent,
  });
  const config = answer.status === 200 ? decode(answer.bytes) : {};
  const pagination = sectionOf(config, 'pagination');
  const { maxPageSize } = pagination;
  return {
    knowsCursors: flagOf(pagination.cursor),
    knowsFilters: flagOf(sectionOf(config, 'filter').supported),
    maxPageSize: typeof maxPageSize === 'number' && maxPageSize >= 1 ? Math.floor(maxPageSize) : undefined,
  };
}

function decode(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const { value } = readJson(bytes);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function sectionOf(config: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const section = config[name];
  return isRecord(section) ? section : {};
}

function flagOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** For more people than this, reading all users needs fewer requests. */
const maxLookups = 50;

/** The attributes that support lookups. For other fields all users are read. */
const byField: Readonly<Record<string, string>> = { workEmail: 'emails.value' };

/**
 * Returns SCIM's name of an attribute (RFC 7644, 3.10): `enterprise.department` is
 * `urn:…:enterprise:2.0:User:department`.
 */
function attributePath(path: string, extensions: ScimConfig['extensions']): string {
  const dot = path.indexOf('.');
  const urn = dot < 0 ? undefined : Object.entries(extensions).find(([alias]) => alias === path.slice(0, dot))?.[1];
  return urn === undefined ? path : `${urn}:${path.slice(dot + 1)}`;
}

/** Returns one filter per requested person. Undefined when they are too many, or the field does not support lookups. */
function pointFilters(
  { field, identifications }: Extract<ReadRequest, { kind: 'point' }>,
  { extensions }: ScimConfig,
): readonly string[] | undefined {
  if (identifications.length > maxLookups || !/^[A-Za-z][\w.$-]*$/.test(field)) return undefined;
  const path = byField[field] ?? attributePath(field, extensions);
  return identifications.map((value) => `${path} eq ${JSON.stringify(value)}`);
}

/** Returns the filter for changes since an instant (ISO 8601). */
function deltaFilter(since: string): string {
  return `meta.lastModified gt "${deltaStart(since).replace(/\.\d+Z$/, 'Z')}"`;
}

function bothFilters(scope: string | undefined, more: string | undefined): string | undefined {
  if (scope === undefined || more === undefined) return scope ?? more;
  return `(${scope}) and (${more})`;
}
