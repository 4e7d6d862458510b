import { describe, expect, it } from 'vitest';
import type { ClockJump } from '../../../src/core/guard/clock-jump.ts';
import type { ChangeKind } from '../../../src/core/plan/change.ts';
import { given } from '../../../src/core/run/given.ts';
import type { Clock } from '../../../src/ports/runtime.ts';
import type { Run } from '../../../src/ports/store.ts';
import { isLookupRecent } from '../../../src/run/deliver/look-up-ahead.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { openScene, settle } from '../run-in-store.ts';

const some = (count: number, kind: ChangeKind, from = 100) =>
  Array.from({ length: count }, (_, i) => sampleChange(`u${from + i}`, kind));

it('a lookup is young for settle.lookWithin, and none is not', () => {
  const run = (lookedAt?: number) => ({ delivery: given({ lookedAt }) }) as Run;
  const at = (now: number, ...jumps: ClockJump[]) => ({ now: () => now, jumps: () => jumps }) as unknown as Clock;
  expect(isLookupRecent(run(), 10, at(0))).toBe(false);
  expect([19, 20].map((now) => isLookupRecent(run(10), 10, at(now)))).toEqual([true, false]);
  expect(isLookupRecent(run(10), 10, at(119, { before: 15, after: 115 })), 'a jump forward is no age').toBe(true);
  expect(isLookupRecent(run(10), 10, at(12, { before: 30, after: 5 })), 'a jump back does not hide it').toBe(false);
});

describe('one scan for all planned files', () => {
  const creates = some(80, 'create');
  const names = creates.map(({ identification }) => identification);
  const batches = [names.slice(0, 40), names.slice(40)];

  it.each([
    {
      name: 'is made when it takes less than half of settle.lookWithin',
      lookTookMs: settle.lookWithinMs / 2 - 1,
      scan: 1,
      find: 0,
    },
    {
      name: 'that takes longer would be too old for later files: the users of the first are read',
      lookTookMs: settle.lookWithinMs / 2,
      scan: 0,
      find: 40,
    },
    { name: 'is made where none took any time yet', lookTookMs: undefined, scan: 1, find: 0 },
    { name: 'is not made while the last one is young', lookedAt: someInstant, scan: 0, find: 0 },
  ])('$name', async ({ scan, find, name: _, ...before }) => {
    const scene = await openScene({ changes: creates, batches, delivery: given(before) });
    // More than the reads of one file, and fewer than those of both.
    scene.script.scanCost = 60;
    await scene.step();
    expect(scene.sent).toEqual([names.slice(0, 40)]);
    expect(scene.calls).toMatchObject({ scan, find });
    const { lookedAt, lookTookMs } = (await scene.run()).delivery ?? {};
    expect([lookedAt, lookTookMs]).toEqual(scan === 0 ? [before.lookedAt, before.lookTookMs] : [someInstant, 0]);
  });

  it('waits while the next file needs none', async () => {
    const disables = some(2, 'disable', 10);
    const scene = await openScene({
      changes: [...disables, ...creates],
      batches: [disables.map(({ identification }) => identification), names],
    });
    await scene.step();
    expect(scene.calls).toMatchObject({ scan: 0, find: 0 });
  });
});
