import { statusField } from '../../core/person/lifecycle.ts';
import type { ReadEnd } from '../../core/plan/snapshot.ts';
import { RollcallError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import { isRecord } from '../../drivers/http/json-text.ts';
import type { ReadRequest, SourcePage } from '../../ports/source.ts';
import { openAuthority } from '../kit/http/authority.ts';
import { type HttpRead, readOverHttp, type SourceClient } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { countIn, inPortions, openTally, type PagedRead, readPages, rulesOf } from '../kit/pages.ts';
import { deltaStart, utcDay } from '../kit/status.ts';
import { streamArray } from '../kit/stream-array.ts';
import { BamboohrConfig, requestedFields, statusInputs } from './config.ts';
import { employeePages, employeePagesOf, readChangedIds } from './employees.ts';
import { noList, refusalOf } from './refusals.ts';
import { compileEmployee, type ToEmployee } from './to-person.ts';

/** BambooHR employees: by the employee dataset, the list of employees, or a custom report. */
export const bamboohr = defineKind({
  kind: 'bamboohr',
  title: 'BambooHR employees, by the employee dataset, the list of employees or a report',
  capabilities: { delta: true, point: true, terminated: 'always', future: 'always' },
  config: BamboohrConfig,
  folder: import.meta.dirname,
  starters: ['starter.yaml', 'starter-report.yaml'],
  // Datasets and reports return a thousand people as fast as one.
  capabilitiesOf: ({ api }) => ({ point: api === 'employees' }),
  open(config, base) {
    const authority = openAuthority(config.auth, base, config.limits.timeout);
    // Only a report is one large answer.
    const more = config.api === 'report' ? { maxBytes: maxReportBytes } : {};
    const place = { url: config.baseUrl, limits: config.limits };
    return {
      derives: { [statusField]: statusInputs(config) },
      looksUp: (field) => field === 'employeeId',
      read: readOverHttp(place, authority, (by) => readBamboohr(config, by), more),
    };
  },
});

type BamboohrRead = AsyncGenerator<SourcePage, ReadEnd>;

/** Largest report that is read. It is one answer, and only a chunk of it is held. */
const maxReportBytes = 1024 ** 3;

/** For more people than this, all employees are read. */
const maxLookups = 1000;

async function* readBamboohr(config: BamboohrConfig, { client, request, io }: HttpRead): BamboohrRead {
  const toEmployee = compileEmployee(config, utcDay(io.clock.now()));
  // BambooHR's own format: `2026-01-31T12:00:00+00:00`.
  const since = request.kind === 'delta' ? deltaStart(request.since).replace(/\.\d+Z$/, '+00:00') : undefined;
  const paged = <P>(pages: Pick<PagedRead<P>, 'first' | 'page' | 'shape' | 'expected'>): BamboohrRead =>
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
  const rows = streamArray(body, { name: reportName, path: ['employees'], numbers: 'text', judge: client.judge });
  yield* inPortions(rows, { tally, io, at: (n) => `row ${n}`, shape: toEmployee, accepts });
  return tally.end({ evidence: `the report ended normally, after ${countOf(tally.rows, 'person', 'people')}` });
}

const fieldsName = 'GET /api/v1_2/datasets/employee/fields';
const dataName = 'POST /api/v2/datasets/employee/data';

/** That this filter works is known from other clients only. */
const noFilter =
  ' Or it does not support a filter by lastChanged: then remove `deltas` from the sync, so that every read is full.';

/** More field lists than any account has. Ends a server that always reports another one. */
const maxFieldPages = 100;

/**
 * Reads the fields of the employee dataset that this account may request. Names differ between accounts, and one
 * unknown name makes BambooHR refuse the whole request.
 */
async function readFieldNames(baseUrl: string, client: SourceClient): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (let page = 1; page <= maxFieldPages; page++) {
    const url = `${baseUrl}/v1_2/datasets/employee/fields?page=${page}&page_size=1000`;
    const answer = await client.json({ name: fieldsName, url, refusal: refusalOf(fieldsName) });
    const { fields, pagination } = isRecord(answer) ? answer : {};
    if (!Array.isArray(fields)) throw noList(fieldsName, 'fields');
    for (const field of fields) if (isRecord(field) && typeof field.name === 'string') names.add(field.name);
    // A page beyond the last one repeats the last one, so only the count shows where to stop.
    if (!isRecord(pagination) || page >= Number(pagination.total_pages)) break;
  }
  return names;
}

/** Reads the employee dataset, page by page (`POST /api/v2/datasets/employee/data`). */
async function datasetPages(
  config: BamboohrConfig,
  since: string | undefined,
  toEmployee: ToEmployee,
  client: SourceClient,
): Promise<Pick<PagedRead<number>, 'first' | 'page' | 'shape' | 'expected'>> {
  const { baseUrl, key, pageSize } = config;
  const expected = requestedFields(config);
  const known = await readFieldNames(baseUrl, client);
  if (!known.has(key)) throw noKey(key, known);
  if (since !== undefined && !known.has('lastChanged')) throw noLastChanged();
  // A field that the dataset lacks stays expected, so it is reported as missing for all employees.
  const fields = expected.filter((name) => known.has(name));
  let givenSize: number | undefined;
  return {
    first: 1,
    shape: (row) => toEmployee(row),
    expected,
    async page(place, number) {
      // Without an order BambooHR promises none, and pages would not fit together. Its format: `lastName asc,
      // firstName desc`.
      const query = { fields, page: place, pageSize, orderBy: `${key} asc` };
      const answer = await client.json({
        name: dataName,
        url: `${baseUrl}/v2/datasets/employee/data`,
        method: 'POST',
        body: { kind: 'json', value: since === undefined ? query : { ...query, filter: `lastChanged gt '${since}'` } },
        ...(number > 1
          ? { isContinuation: true }
          : { refusal: refusalOf(dataName, since === undefined ? '' : noFilter) }),
      });
      const { data, meta } = isRecord(answer) ? answer : {};
      if (!Array.isArray(data) || !isRecord(meta)) throw noList(dataName, 'data with its meta');
      const people = data.map((row: unknown) => (isRecord(row) ? row.fields : row));
      // `links` is no help: it is [] on the last page, but also where the specification says an object.
      const [total, pages, size] = [countIn(meta.totalItems), countIn(meta.totalPages), countIn(meta.pageSize)];
      if (total === undefined || pages === undefined) throw noList(dataName, 'totalItems and totalPages');
      const doubts: string[] = [];
      if (meta.page !== undefined && countIn(meta.page) !== place) doubts.push('another page arrived than requested');
      if (size !== givenSize && number > 1) doubts.push('the page size changed between two pages');
      givenSize = size;
      const after = place + 1;
      if (place >= pages) return { people, total, doubts, next: { kind: 'end', why: `page ${place} of ${pages}` } };
      return { people, total, doubts, next: { kind: 'more', place: after, id: String(after) } };
    },
  };
}

function noKey(key: string, known: ReadonlySet<string>): RollcallError {
  const likely = [...known].filter((name) => /id$|number$/i.test(name)).slice(0, 12);
  const hint = likely.length === 0 ? '' : ` Of the names there, these look like one: ${likely.join(', ')}.`;
  const message =
    `the employee dataset has no field ${key}, which should identify employees (or the account may not see it). Set ` +
    `\`key\` to a field with a unique value for each employee.${hint}`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}

function noLastChanged(): RollcallError {
  const message = 'the employee dataset shows no lastChanged to this account, so a delta is not possible';
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'never' });
}
