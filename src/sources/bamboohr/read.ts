import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import type { Authority } from '../kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../kit/http/source-client.ts';
import { acceptsOnly, inPortions, type PagedRead, readPages } from '../kit/pages.ts';
import { deltaStart, utcDay } from '../kit/status.ts';
import { streamArray } from '../kit/stream-array.ts';
import { openTally } from '../kit/tally.ts';
import { type BamboohrConfig, requestedFields } from './config.ts';
import { datasetPages } from './datasets.ts';
import { employeePages, employeePagesOf, readChangedIds } from './employees.ts';
import { refusalOf } from './refusals.ts';
import { compileEmployee, type ToEmployee } from './to-person.ts';

type BamboohrRead = AsyncGenerator<SourcePage, ReadEnd>;

/** Largest report that is read. It is one answer, and only a chunk of it is held. */
const maxReportBytes = 1024 ** 3;

/** For more people than this, all employees are read. */
const maxLookups = 1000;

export async function* readBamboohr(
  config: BamboohrConfig,
  authority: Authority,
  request: ReadRequest,
  io: SourceIo,
): BamboohrRead {
  const { baseUrl, limits, api } = config;
  const large = api === 'report' ? { maxBytes: maxReportBytes } : {};
  const parts = { origin: new URL(baseUrl).origin, authority, limits, io, ...large };
  return yield* withSourceClient(parts, (client) => readWith(config, client, request, io));
}

async function* readWith(
  config: BamboohrConfig,
  client: SourceClient,
  request: ReadRequest,
  io: SourceIo,
): BamboohrRead {
  const toEmployee = compileEmployee(config, utcDay(io.clock.now()));
  // BambooHR's own format: `2026-01-31T12:00:00+00:00`.
  const since = request.kind === 'delta' ? deltaStart(request.since).replace(/\.\d+Z$/, '+00:00') : undefined;
  const mayBeEmpty = request.kind !== 'full';
  const accepts = acceptsOnly(request);
  const paged = <P>(pages: Pick<PagedRead<P>, 'first' | 'page' | 'expected'>): BamboohrRead =>
    readPages(
      { ...pages, expected: mayBeEmpty ? [] : (pages.expected ?? []), key: config.key, mayBeEmpty, accepts },
      io,
    );
  switch (config.api) {
    case 'report':
      return yield* readReport(config, { since, mayBeEmpty, accepts, toEmployee }, client, io);
    case 'datasets':
      return yield* paged(await datasetPages(config, since, toEmployee, client));
    case 'employees': {
      const ids = since === undefined ? idsToRead(request) : await readChangedIds(config.baseUrl, since, client);
      if (ids === undefined) return yield* paged(employeePages(config, toEmployee, client));
      return yield* paged(employeePagesOf(ids, config, toEmployee, client));
    }
  }
}

/**
 * Returns the ids of a lookup by id. Undefined where all employees must be read and filtered. A text that is not a
 * number is not an id.
 */
function idsToRead(request: ReadRequest): readonly string[] | undefined {
  if (request.kind !== 'point' || request.field !== 'employeeId') return undefined;
  if (request.identifications.length > maxLookups) return undefined;
  return request.identifications.map((id) => id.trim()).filter((id) => /^\d{1,20}$/.test(id));
}

const reportName = 'POST /api/v1/reports/custom';

interface ReportRequest {
  readonly since: string | undefined;
  readonly mayBeEmpty: boolean;
  readonly accepts: ((fields: Readonly<Record<string, unknown>>) => boolean) | undefined;
  readonly toEmployee: ToEmployee;
}

/**
 * Reads a custom report: one answer without pages, read while its bytes arrive. Sends `onlyCurrent=false`, because
 * otherwise BambooHR blanks future values, such as the department of a future hire.
 */
async function* readReport(
  config: BamboohrConfig,
  { since, mayBeEmpty, accepts, toEmployee }: ReportRequest,
  client: SourceClient,
  io: SourceIo,
): AsyncGenerator<SourcePage, ReadEnd> {
  const fields = requestedFields(config);
  const tally = openTally({ key: config.key, expected: since === undefined ? fields : [], mayBeEmpty });
  const filters = since === undefined ? {} : { filters: { lastChanged: { value: since, includeNull: 'no' } } };
  const body = client.stream({
    name: reportName,
    url: `${config.baseUrl}/v1/reports/custom?format=json&onlyCurrent=false`,
    method: 'POST',
    // Exactly this value: with a charset, BambooHR parses the body as XML.
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', value: { title: 'Rollcall', fields, ...filters } },
    refusal: refusalOf(reportName),
  });
  const rows = streamArray(body, { name: reportName, path: ['employees'], numbers: 'text' });
  yield* inPortions(rows, { tally, io, at: (n) => `row ${n}`, shape: toEmployee, accepts });
  return tally.end({ evidence: `the report ended normally, after ${tally.rows} people` });
}
