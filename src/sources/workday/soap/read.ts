import { statusField } from '../../../core/person/lifecycle.ts';
import type { ReadEnd } from '../../../core/plan/snapshot.ts';
import { chunk } from '../../../core/run/batch.ts';
import { countOf } from '../../../core/run/formats.ts';
import type { ReadRequest, SourcePage } from '../../../ports/source.ts';
import type { HttpRead } from '../../kit/http/source-client.ts';
import { type Fields, openTally, type Page, readPages, rulesOf } from '../../kit/pages.ts';
import { deltaStart, utcDay } from '../../kit/status.ts';
import type { SoapConfig } from '../config.ts';
import { getWorkersPage, type WorkerQuery } from './get-workers.ts';
import { openWorkerReader, workerFields } from './to-person.ts';

interface Place {
  readonly query: number;
  readonly page: number;
}

/** Workday's clock may be behind ours. Entries after an instant that it has not reached could still change. */
const clockSkewMs = 60_000;

/** Reads workers page by page, all as entered at one instant. */
export async function* readWorkers(
  config: SoapConfig,
  { client, request, io }: HttpRead,
): AsyncGenerator<SourcePage, ReadEnd> {
  const readAt = io.clock.now();
  const asOf = new Date(readAt - clockSkewMs).toISOString();
  const queries = workerQueries(config.workers, request, asOf);
  if (queries.length === 0)
    return openTally({ key: 'wid', mayBeEmpty: true }).end({ evidence: 'no people were requested' });
  const contracts = openContracts();
  const progress = openProgress(request.kind === 'delta');
  const reader = openWorkerReader(utcDay(readAt));

  const page = async (place: Place): Promise<Page<Place>> => {
    const query = queries[place.query] as WorkerQuery;
    const found = await getWorkersPage(config, client, { query, page: place.page, asOf });
    const people = reader.page(found.workers).map((fields) => {
      contracts.see(fields);
      return request.kind === 'delta' ? withoutEndedContract(fields) : fields;
    });
    const fresh = progress.take(place, found, people);
    const doubts = [...found.doubts, ...progress.doubts()];
    const next = { query: place.query, page: place.page + 1 };
    if (place.page < found.pages) return { people: fresh, doubts, next: more(next) };
    if (place.query + 1 < queries.length) {
      return { people: fresh, doubts, next: more({ query: place.query + 1, page: 1 }) };
    }
    const why = `page ${place.page} of ${found.pages} was the last`;
    return { people: fresh, doubts, total: progress.total(), next: { kind: 'end', why } };
  };

  const isFull = request.kind === 'full';
  // A few people do not show which fields are visible.
  const { accepts: meant, ...rules } = rulesOf(request, 'wid', workerFields(config));
  const accepts = (fields: Fields): boolean =>
    (meant === undefined || meant(fields)) && (!isFull || !contracts.isSuperseded(fields));
  const end = yield* readPages({ ...rules, first: { query: 0, page: 1 }, page, accepts }, io);
  const notes = isFull ? contracts.notes() : [];
  return notes.length === 0 ? end : { ...end, notes };
}

function more(place: Place): Page<Place>['next'] {
  return { kind: 'more', place, id: `${place.query}/${place.page}` };
}

/**
 * A contingent worker who becomes an employee keeps the Worker_ID and leaves an ended contract. A full read returns
 * employees first, so such a contract is recognized and omitted; with the same key it would override the employee.
 */
function openContracts() {
  const employees = new Set<unknown>();
  let leftOut = 0;
  const isSuperseded = (fields: Fields): boolean => isEndedContract(fields) && employees.has(fields.workerId);
  return {
    see(fields: Fields): void {
      if (fields.workerType === 'employee' && typeof fields.workerId === 'string') employees.add(fields.workerId);
      else if (isSuperseded(fields)) leftOut += 1;
    },
    isSuperseded,
    notes(): readonly string[] {
      if (leftOut === 0) return [];
      const contracts = countOf(leftOut, 'ended contract');
      return [
        `${contracts} omitted: these contingent workers are employees now, and the record of the employee counts`,
      ];
    },
  };
}

/** In a delta it is unknown whether the person of an ended contract is an employee now. A full read knows. */
function withoutEndedContract(fields: Fields): Fields {
  return isEndedContract(fields) ? { ...fields, [statusField]: 'unknown' } : fields;
}

function isEndedContract(fields: Fields): boolean {
  return fields.workerType === 'contingent' && fields[statusField] === 'terminated';
}

/** Adds the totals of the queries. Two queries of a delta may return the same person, who is passed on once. */
function openProgress(isDelta: boolean) {
  const given = new Set<unknown>();
  let doubts: string[] = [];
  let total = 0;
  let current: { readonly query: number; readonly total: number } | undefined;
  return {
    take(place: Place, found: { readonly total: number }, people: readonly Fields[]): readonly Fields[] {
      doubts = [];
      if (current?.query !== place.query) {
        total += found.total;
        current = { query: place.query, total: found.total };
      } else if (found.total !== current.total) {
        doubts.push(`the total went from ${current.total} to ${found.total} between two pages`);
      }
      if (!isDelta) return people;
      const fresh = people.filter(({ wid }) => place.query === 0 || !given.has(wid));
      for (const { wid } of fresh) given.add(wid);
      total -= people.length - fresh.length;
      return fresh;
    },
    doubts: (): readonly string[] => doubts,
    total: () => total,
  };
}

/** Ids in one lookup request. */
const idsAtOnce = 50;

/** The record's fields that Workday can look up, with the type of their id. */
export const idTypes: Readonly<Record<string, string>> = {
  wid: 'WID',
  employeeId: 'Employee_ID',
  contingentWorkerId: 'Contingent_Worker_ID',
};

/** Returns the queries of one read in order. `asOf` is the instant of the whole read. */
function workerQueries(workers: SoapConfig['workers'], request: ReadRequest, asOf: string): readonly WorkerQuery[] {
  const population = { excludeEmployees: workers === 'contingent', excludeContingent: workers === 'employees' };
  switch (request.kind) {
    case 'full':
      return all(workers);
    case 'delta': {
      // Entries since the instant, and earlier entries that take effect since: a leave that begins today.
      const range = { from: deltaStart(request.since), through: asOf };
      return [
        { ...population, changed: { by: 'Updated', ...range } },
        { ...population, changed: { by: 'Effective', ...range } },
      ];
    }
    case 'point': {
      const type = idTypes[request.field];
      if (type === undefined) return all(workers);
      return chunk(request.identifications, idsAtOnce).map((values) => ({ ...population, ids: { type, values } }));
    }
  }
}

/** Employees come before contingent workers: see `read-workers.ts`. */
function all(workers: SoapConfig['workers']): readonly WorkerQuery[] {
  const employees = { excludeEmployees: false, excludeContingent: true };
  const contingent = { excludeEmployees: true, excludeContingent: false };
  if (workers === 'all') return [employees, contingent];
  return [workers === 'employees' ? employees : contingent];
}
