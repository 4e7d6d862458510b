import type { ReadEnd } from '../../core/plan/snapshot.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { deltaStart } from '../kit/dates.ts';
import { utcDay } from '../kit/employment-status.ts';
import type { Authority } from '../kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../kit/http/source-client.ts';
import { acceptsOnly, type PagedRead, readPages } from '../kit/pages.ts';
import { datasetPages } from './datasets.ts';
import { employeePages, employeePagesOf, readChangedIds } from './employees.ts';
import { readReport } from './report.ts';
import type { BamboohrConfig } from './schema.ts';
import { compileEmployee } from './to-employee.ts';

type BamboohrRead = AsyncGenerator<SourcePage, ReadEnd>;

/** Largest report that is read. It is one answer, and only a chunk of it is held. */
const maxReportBytes = 1024 ** 3;

/** For more people than this, all employees are read. */
const maxLookups = 1000;

/** One read of BambooHR, with its own client. */
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
