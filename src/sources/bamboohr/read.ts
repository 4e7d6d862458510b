import type { ReadEnd } from '../../core/snapshot.ts';
import { compileSourcePath } from '../../core/source-path.ts';
import type { ReadRequest, SourceIo, SourcePage } from '../../ports/source.ts';
import { utcDay } from '../../source-kit/employment-status.ts';
import type { Authority } from '../../source-kit/http/authority.ts';
import { type SourceClient, withSourceClient } from '../../source-kit/http/source-client.ts';
import { acceptsOnly, type PagedRead, readPages } from '../../source-kit/pages.ts';
import { datasetPages } from './datasets.ts';
import { employeePages, employeePagesOf, readChangedIds } from './employees.ts';
import { readReport } from './report.ts';
import type { BamboohrConfig } from './schema.ts';
import { compileEmployee } from './to-employee.ts';

type BamboohrRead = AsyncGenerator<SourcePage, ReadEnd>;

/** Asked for again with every delta: BambooHR's clock may be behind ours, and changes may show late. */
const overlapMs = 300_000;

/** The largest report that is read: it is one answer, of which only a piece is held at a time. */
const maxReportBytes = 1024 ** 3;

/** More people than this are found by reading everybody. */
const maxLookups = 1000;

/** One read of BambooHR, over a client of its own. */
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
  const since = request.kind === 'delta' ? sinceText(request.since) : undefined;
  const mayBeEmpty = request.kind !== 'full';
  const accepts =
    request.kind === 'delta'
      ? undefined
      : acceptsOnly(request, request.kind === 'point' ? compileSourcePath(request.field) : () => undefined);
  const paged = <P>(pages: Pick<PagedRead<P>, 'first' | 'page' | 'expected'>): BamboohrRead =>
    readPages(
      { ...pages, expected: mayBeEmpty ? [] : (pages.expected ?? []), key: config.key, mayBeEmpty, accepts },
      io,
    );
  switch (config.api) {
    case 'report':
      return yield* readReport(config, { since, mayBeEmpty, accepts }, toEmployee, client, io);
    case 'datasets':
      return yield* paged(await datasetPages(config, since, toEmployee, client));
    case 'employees': {
      const ids = since === undefined ? idsToRead(request) : await readChangedIds(config.baseUrl, since, client);
      if (ids === undefined) return yield* paged(employeePages(config, toEmployee, client));
      return yield* paged(employeePagesOf(ids, config, toEmployee, client));
    }
  }
}

/** The ids of a look-up by id; undefined where everybody must be read and sifted. What is no number is nobody's id. */
function idsToRead(request: ReadRequest): readonly string[] | undefined {
  if (request.kind !== 'point' || request.field !== 'employeeId') return undefined;
  if (request.identifications.length > maxLookups) return undefined;
  return request.identifications.map((id) => id.trim()).filter((id) => /^\d{1,20}$/.test(id));
}

/** As BambooHR writes instants: `2026-01-31T12:00:00+00:00`. */
function sinceText(since: string): string {
  return new Date(Date.parse(since) - overlapMs).toISOString().replace(/\.\d+Z$/, '+00:00');
}
