import { describe, expect, it } from 'vitest';
import {
  addCounts,
  type BatchLoad,
  type BudgetFacts,
  isScanCheaper,
  requestBudget,
  scanRequests,
} from '../../src/core/run/requests.ts';

it.each([
  [0, 0, 2],
  [99, 100, 2],
  [100, 100, 3],
  [250, 100, 4],
])('a scan of %i users in pages of %i needs %i requests', (users, pageSize, requests) => {
  expect(scanRequests(users, pageSize)).toBe(requests);
});

it.each([
  [20, undefined, false],
  [21, undefined, true],
  [5, 4, true],
  [4, 4, false],
])('instead of %i reads a scan of %s requests is made: %s', (reads, scan, isCheaper) => {
  expect(isScanCheaper(reads, scan)).toBe(isCheaper);
});

it('counts of requests are added by purpose, without those of none', () => {
  expect(addCounts({ scan: 2, read: 1 }, { scan: 3, poll: 0 })).toEqual({ scan: 5, read: 1 });
});

const settle = { everyMs: 5000, lookWithinMs: 900_000 };
const facts: Omit<BudgetFacts, 'batches'> = {
  ...{ planning: 202, directory: { users: 20_000, pageSize: 100 } },
  ...{ settle, limits: { requestsPerSecond: 10 } },
};
const loads = (count: number, kind: BatchLoad['kind'], size: number, leads = 0): BatchLoad[] =>
  Array.from({ length: count }, () => ({ kind, size, leads }));

describe('a run is estimated by its counts', () => {
  it.each<{ what: string; batches: BatchLoad[]; more?: Partial<BudgetFacts>; files: number; requests: number }>([
    { what: 'its plan', batches: [], files: 0, requests: 202 },
    { what: 'three a file, and a scan as proof', batches: loads(25, 'csv', 1000), files: 25, requests: 202 + 75 + 202 },
    { what: 'scans that age', batches: loads(400, 'csv', 1000), files: 400, requests: 202 + 1200 + 3 * 202 },
    { what: 'reads before and after, if few', batches: loads(1, 'csv', 20), files: 1, requests: 202 + 3 + 2 * 20 },
    { what: 'reads after alone, if more', batches: loads(1, 'csv', 21), files: 1, requests: 202 + 3 + 21 },
    { what: 'direct calls', batches: loads(1, 'direct', 5), files: 0, requests: 202 + 5 + 2 * 5 },
    { what: 'leaders', batches: loads(1, 'leaders', 2, 5), files: 0, requests: 202 + 5 },
    { what: 'nothing for an outbox', batches: loads(3, 'outbox', 9), files: 0, requests: 202 },
    {
      ...{ what: 'reads of all users without a scan', batches: loads(1, 'csv', 300), more: { directory: undefined } },
      ...{ files: 1, requests: 202 + 3 + 300 },
    },
    {
      ...{ what: 'a scan a file at most', batches: loads(3, 'csv', 1000) },
      ...{ more: { settle: { everyMs: 5000, lookWithinMs: 0 } }, files: 3, requests: 202 + 9 + 4 * 202 },
    },
  ])('$what', ({ batches, more, files, requests }) => {
    const seconds = Math.ceil(requests / 10);
    expect(requestBudget({ ...facts, batches, ...more })).toEqual({ files, requests, perSecond: 10, seconds });
  });
});
