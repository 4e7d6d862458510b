import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { ReadRequest, SourcePage } from '../../ports/source.ts';
import type { HttpRead } from '../kit/http/source-client.ts';
import { inPortions, type PagedRead, readPages, rulesOf } from '../kit/pages.ts';
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
export const maxReportBytes = 1024 ** 3;

/** For more people than this, all employees are read. */
const maxLookups = 1000;

export async function* readBamboohr(config: BamboohrConfig, { client, request, io }: HttpRead): BamboohrRead {
  const toEmployee = compileEmployee(config, utcDay(io.clock.now()));
  // BambooHR's own format: `2026-01-31T12:00:00+00:00`.
  const since = request.kind === 'delta' ? deltaStart(request.since).replace(/\.\d+Z$/, '+00:00') : undefined;
  const paged = <P>(pages: Pick<PagedRead<P>, 'first' | 'page' | 'expected'>): BamboohrRead =>
    readPages({ ...pages, ...rulesOf(request, config.key, pages.expected ?? []) }, io);
  switch (config.api) {
    case 'report':
      return yield* readReport(config, since, toEmployee, { client, request, io });
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

/**
 * Reads a custom report: one answer without pages, read while its bytes arrive. Sends `onlyCurrent=false`, because
 * otherwise BambooHR blanks future values, such as the department of a future hire.
 */
async function* readReport(
  config: BamboohrConfig,
  since: string | undefined,
  toEmployee: ToEmployee,
  { client, request, io }: HttpRead,
): BamboohrRead {
  const fields = requestedFields(config);
  const { accepts, ...rules } = rulesOf(request, config.key, fields);
  const tally = openTally({ ...rules, expected: since === undefined ? fields : [] });
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
