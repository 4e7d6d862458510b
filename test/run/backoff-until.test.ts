import { describe, expect, it } from 'vitest';
import { backoffUntil, waitAfterRefusal } from '../../src/run/request-run.ts';
import { openRun } from '../contracts/store-samples.ts';
import { someInstant } from '../support/fake-clock.ts';
import { hour, minute, openScene } from './run-in-store.ts';

/** A store with runs of `people`, oldest first, one day apart, each ten minutes long; `true`: the HR system refused. */
async function runsThat(...refused: readonly boolean[]) {
  const { store } = await openScene({ changes: [], settings: { name: 'guests' }, run: 'run_0' });
  let endedAt = someInstant;
  for (const [i, isSourceRefused] of refused.entries()) {
    const now = someInstant + i * 24 * hour;
    const owned = await openRun(store, { id: `run_${i + 1}`, now });
    endedAt = now + 10 * minute;
    const refusedUntil = await waitAfterRefusal('people', endedAt, store.runs);
    const end = { reasons: [], ...(isSourceRefused ? ({ failure: 'SOURCE_REFUSED', refusedUntil } as const) : {}) };
    await store.runs.update(owned, { phase: 'done', outcome: 'failed', endedAt, end });
  }
  return { store, endedAt };
}

describe('a schedule after refused credentials', () => {
  it.each([
    { name: 'waits one hour after the first refusal', refused: [true], hours: 1 },
    { name: 'waits twice as long after the second', refused: [false, true, true], hours: 2 },
    { name: 'waits eight times as long after the fourth', refused: [true, true, true, true], hours: 8 },
    { name: 'waits a day at most', refused: [true, true, true, true, true, true, true, true], hours: 24 },
    { name: 'counts anew after a run that was not refused', refused: [true, true, false, true], hours: 1 },
  ])('$name', async ({ refused, hours }) => {
    const { store, endedAt } = await runsThat(...refused);
    expect(await backoffUntil('people', someInstant, store.runs)).toBe(endedAt + hours * hour);
  });

  it.each([{ refused: [] }, { refused: [false] }, { refused: [true, false] }])(
    'does not wait when the last run was not refused: $refused',
    async ({ refused }) => {
      const { store } = await runsThat(...refused);
      expect(await backoffUntil('people', someInstant, store.runs)).toBeUndefined();
    },
  );

  it('does not wait for a refusal from before this process began, nor for one of another sync', async () => {
    const { store, endedAt } = await runsThat(true);
    expect(await backoffUntil('people', someInstant + 1, store.runs)).toBeUndefined();
    expect(await backoffUntil('guests', someInstant, store.runs)).toBeUndefined();
    expect(await backoffUntil('people', someInstant, store.runs)).toBe(endedAt + hour);
  });

  it('does not wait while a run is in progress', async () => {
    const { store } = await runsThat(true);
    await openRun(store, { id: 'run_9', now: someInstant + 24 * hour });
    expect(await backoffUntil('people', someInstant, store.runs)).toBeUndefined();
  });
});
