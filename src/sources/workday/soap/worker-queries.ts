import type { ReadRequest } from '../../../ports/source.ts';
import { deltaStart } from '../../kit/dates.ts';
import type { SoapConfig } from '../schema.ts';
import type { WorkerQuery } from './envelope.ts';

/** Ids in one lookup request. */
const idsAtOnce = 50;

/** The record's fields that Workday can look up, with the type of their id. */
const idTypes: Readonly<Record<string, string>> = {
  wid: 'WID',
  employeeId: 'Employee_ID',
  contingentWorkerId: 'Contingent_Worker_ID',
};

/** Returns the queries of one read in order. `asOf` is the instant of the whole read. */
export function workerQueries(
  workers: SoapConfig['workers'],
  request: ReadRequest,
  asOf: string,
): readonly WorkerQuery[] {
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
      const chunks: WorkerQuery[] = [];
      for (let start = 0; start < request.identifications.length; start += idsAtOnce) {
        chunks.push({ ...population, ids: { type, values: request.identifications.slice(start, start + idsAtOnce) } });
      }
      return chunks;
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
