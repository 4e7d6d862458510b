import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatchLoad, type BudgetFacts, requestBudget } from '../../src/core/run/request-budget.ts';
import {
  addCounts,
  countsAbove,
  isScanCheaper,
  requestPurposes,
  scanRequests,
  totalOf,
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

const none: BatchLoad = {
  kind: 'csv',
  creates: 0,
  updates: 0,
  switches: 0,
  removes: 0,
  leads: 0,
  waiting: 0,
};
const settle = { everyMs: 5000, lookWithinMs: 900_000, proofWithinMs: 1_800_000 };
const facts = (batches: readonly BatchLoad[], more: Partial<BudgetFacts> = {}): BudgetFacts => ({
  planning: { scan: 202 },
  batches,
  directory: { users: 20_000, pageSize: 100 },
  settle,
  limits: { requestsPerSecond: 10 },
  ...more,
});
const files = (count: number, load: Partial<BatchLoad>): BatchLoad[] =>
  Array.from({ length: count }, () => ({ ...none, ...load }));

describe('the budget of a run', () => {
  it('of a large load is two scans, and an upload and two polls for each file', () => {
    const budget = requestBudget(facts(files(25, { creates: 200, updates: 800 })));
    expect(budget).toEqual({
      files: 25,
      requests: 202 + 25 + 60 + 252,
      purposes: { scan: 202, upload: 25, poll: 60, proof: 252 },
      perSecond: 10,
      seconds: 54,
    });
  });

  it('of a load that outlasts lookWithin has one more scan for each such time, and one for each proofWithin', () => {
    // A file takes about 5.4 s by the estimate: 400 files take 36 minutes, and three scans of 200 pages one more.
    const { purposes } = requestBudget(facts(files(400, { updates: 1000 })));
    expect(purposes).toMatchObject({ lookup: 2 * 202, proof: 2 * 202, upload: 400 });
  });

  it('reads each user of a file where a scan takes longer than half of lookWithin', () => {
    const directory = { users: 1_000_000, pageSize: 100 };
    const { purposes } = requestBudget(facts(files(2, { updates: 1000 }), { directory, planning: { scan: 10_002 } }));
    expect(purposes.read).toBe(2 * 1000 + 2000);
  });

  it('of many files of few rows reads no user before sending: only a run of at most 20 changes does', () => {
    const reads = (count: number) => requestBudget(facts(files(count, { creates: 20 }))).purposes.read ?? 0;
    expect([reads(1), reads(2), reads(15)]).toEqual([2 * 20 + 20, 40, 0]);
  });

  it('of leaders counts the list of the first person and each call, after a proof of what came before', () => {
    const leaders = { ...none, kind: 'leaders', leads: 3 } as const;
    expect(requestBudget(facts([leaders])).purposes).toEqual({ scan: 202, leaders: 4 });
    const { purposes } = requestBudget(facts([{ ...none, updates: 1 }, leaders]));
    expect(purposes).toMatchObject({ leaders: 4, upload: 1 });
  });

  it('of few direct changes counts the reads before and after each', () => {
    const direct = { ...none, kind: 'direct', creates: 2, updates: 3, removes: 1 } as const;
    const { files: count, purposes } = requestBudget(facts([direct]));
    expect(count).toBe(0);
    // Before: two for a create, one for a remove, one for an update. After: one for each, two for the removed user.
    expect(purposes).toEqual({ scan: 202, read: 2 * 2 + 1 + 3 + 7, write: 6 });
  });

  it('of changes that depend on each other has a proof for each step', () => {
    const one = { ...none, updates: 30 };
    const { files: count, purposes } = requestBudget(facts([one, { ...one, waiting: 30 }]));
    expect(count).toBe(2);
    // The proofs, and the lookup of who has the e-mails.
    expect(purposes).toMatchObject({ upload: 2, read: 2 * 30 + 30 });
  });

  it('counts single reads where the plan made no scan, and nothing for an outbox', () => {
    const { purposes } = requestBudget(facts([{ ...none, updates: 200 }], { directory: undefined, planning: {} }));
    expect(purposes.read).toBe(200);
    expect(requestBudget(facts([{ ...none, kind: 'outbox', creates: 9 }])).requests).toBe(202);
  });

  it('of changes that wait for others has a proof of the others first, and a lookup of who waits', () => {
    const one = { ...none, updates: 100 };
    const apart = requestBudget(facts([one, { ...one, waiting: 60 }], { directory: undefined }));
    expect(apart.purposes).toEqual({ scan: 202, upload: 2, poll: 14, read: 100 + 60 + 100, lookup: 2, proof: 4 });
    const together = requestBudget(facts([one, one], { directory: undefined }));
    expect(together.purposes).toEqual({ scan: 202, upload: 2, poll: 14, read: 200, proof: 2 });
  });

  it('reads each user of a small batch before and after, and needs no lookup for them', () => {
    expect(requestBudget(facts([{ ...none, updates: 20 }])).purposes.read).toBe(40);
    expect(requestBudget(facts([{ ...none, updates: 21 }])).purposes.read).toBe(21);
    expect(requestBudget(facts([{ ...none, creates: 10, switches: 10 }])).purposes.read).toBe(20 + 20);
  });

  it('proves by a scan only where reading each user takes more requests', () => {
    const proofs = (users: number, updates: number) =>
      requestBudget(facts([{ ...none, updates }], { directory: { users, pageSize: 100 } })).purposes;
    expect(proofs(49_700, 500)).toEqual({ scan: 202, upload: 1, poll: 12, proof: 499 });
    expect(proofs(49_800, 500)).toEqual({ scan: 202, upload: 1, poll: 12, read: 500 });
    expect(proofs(1000, 12).read).toBe(12 + 12);
    expect(proofs(1000, 13)).toMatchObject({ read: 13, proof: 12 });
  });

  describe('once the last look is older than lookWithin', () => {
    const later = (batch: BatchLoad, more: Partial<BudgetFacts> = {}) =>
      requestBudget(
        facts([{ ...none, switches: 100 }, batch], {
          settle: { everyMs: 5000, lookWithinMs: 25_000, proofWithinMs: 1_800_000 },
          directory: { users: 1000, pageSize: 100 },
          planning: { scan: 12 },
          ...more,
        }),
      ).purposes;
    // 12 requests of the plan, 13 of the first file: 2.5 s, and 5 s for the file.
    it.each([
      ['just in time', 7501, {}],
      ['just too late', 7500, { lookup: 12 }],
    ])('looks again, %s', (_, lookWithinMs, expected) => {
      const purposes = later(
        { ...none, updates: 100 },
        { settle: { everyMs: 5000, lookWithinMs, proofWithinMs: 1e9 } },
      );
      expect(purposes).toEqual({ scan: 12, upload: 2, poll: 14, proof: 12, ...expected });
    });

    it.each([
      ['switches', { switches: 100 }],
      ['removes', { removes: 100 }],
      ['direct updates', { kind: 'direct', updates: 100 }],
    ] as const)('does not look for %s', (_, load) => {
      const settle = { everyMs: 5000, lookWithinMs: 1, proofWithinMs: 1e9 };
      expect(later({ ...none, ...load }, { settle })).not.toHaveProperty('lookup');
    });

    it.each([
      ['creates', { creates: 100 }],
      ['direct creates', { kind: 'direct', creates: 100 }],
      ['updates', { updates: 100 }],
    ] as const)('looks for %s', (_, load) => {
      const settle = { everyMs: 5000, lookWithinMs: 1, proofWithinMs: 1e9 };
      expect(later({ ...none, ...load }, { settle })).toHaveProperty('lookup', 12);
    });

    it('looks for all batches that are left in one scan, unless a scan takes half of lookWithin', () => {
      const rest = files(5, { updates: 100 });
      const directory = { users: 30_000, pageSize: 100 };
      const purposes = (lookWithinMs: number, scan: number) =>
        requestBudget(
          facts([{ ...none, switches: 1000 }, ...rest], {
            settle: { everyMs: 60_000, lookWithinMs, proofWithinMs: 1e9 },
            directory,
            planning: { scan },
          }),
        ).purposes;
      // A scan of 302 requests takes 30.2 s; 60 s for a file are longer than each lookWithin.
      expect(purposes(60_500, 302)).toMatchObject({ lookup: 302 + 302, read: 300 });
      expect(purposes(60_400, 302)).toMatchObject({ read: 500 });
    });
  });

  it('proves again once the oldest unproven file is as old as proofWithin', () => {
    const proofs = (proofWithinMs: number) =>
      requestBudget(
        facts(files(3, { switches: 1000 }), {
          settle: { everyMs: 10_000, lookWithinMs: 1e9, proofWithinMs },
          directory: { users: 1000, pageSize: 100 },
          planning: { scan: 12 },
        }),
      ).purposes.proof;
    // The second file is sent at once; it takes 3 requests and 10 s.
    expect(proofs(10_301)).toBe(12);
    expect(proofs(10_300)).toBe(24);
  });

  const load = fc.record({
    kind: fc.constantFrom('csv', 'direct', 'outbox'),
    creates: fc.nat(1000),
    updates: fc.nat(1000),
    switches: fc.nat(1000),
    removes: fc.nat(50),
    leads: fc.constant(0),
    waiting: fc.nat(20),
  });
  const anyFacts = fc.record({
    planning: fc.record({ scan: fc.nat(10_000) }),
    batches: fc.array(load, { maxLength: 30 }),
    directory: fc.option(fc.record({ users: fc.nat(100_000), pageSize: fc.integer({ min: 10, max: 1000 }) }), {
      nil: undefined,
    }),
    settle: fc.record({
      everyMs: fc.integer({ min: 100, max: 60_000 }),
      lookWithinMs: fc.nat(3_600_000),
      proofWithinMs: fc.nat(3_600_000),
    }),
    limits: fc.record({ requestsPerSecond: fc.integer({ min: 1, max: 1000 }) }),
  });

  it('is never less than the floor, adds up, and grows with the load', () => {
    fc.assert(
      fc.property(anyFacts, load, (given, more) => {
        const budget = requestBudget(given as BudgetFacts);
        const { planning, batches, limits } = given;
        const csv = batches.filter(({ kind }) => kind === 'csv');
        expect(budget.files).toBe(csv.length);
        expect(budget.purposes.upload ?? 0).toBe(budget.files);
        expect(budget.requests).toBeGreaterThanOrEqual(totalOf(planning) + 2 * budget.files);
        expect(budget.requests).toBe(totalOf(budget.purposes));
        expect(budget.seconds * limits.requestsPerSecond).toBeGreaterThanOrEqual(budget.requests);
        expect(countsAbove(planning, budget.purposes)).toEqual({});
        const larger = requestBudget({ ...given, batches: [...batches, more] } as BudgetFacts);
        expect(larger.files).toBeGreaterThanOrEqual(budget.files);
      }),
    );
  });
});

describe('counts of requests', () => {
  const counts = fc.dictionary(fc.constantFrom(...requestPurposes), fc.integer({ min: 1, max: 1000 }));

  it('what is above another count is what must be added to it, where it is never less', () => {
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const sum = addCounts(one, other);
        expect(totalOf(sum)).toBe(totalOf(one) + totalOf(other));
        expect(countsAbove(sum, one)).toEqual(other);
        expect(countsAbove(one, sum)).toEqual({});
      }),
    );
  });
});
