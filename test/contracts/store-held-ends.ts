import { expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  dayMs,
  endRun,
  hourMs,
  openPlanned,
  openRun,
  reject,
  sampleChange,
  writePlan,
} from './store-samples.ts';

export function describeHeldEnds(store: () => Store): void {
  it('counts what became of the held changes of a run', async () => {
    const { decisions, plans, reports } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    const [used, left] = [sampleChange('E1', 'disable'), sampleChange('E2', 'disable')];
    const [gone, denied, free] = [
      sampleChange('E3', 'disable'),
      sampleChange('E4', 'disable'),
      sampleChange('E5', 'disable'),
    ];
    await writePlan(store(), { id: 'run_1', owned }, [used, left, gone, denied, free, sampleChange('E9')]);
    await plans.hold(owned, 'run_1', ['disables'], 'too many');
    await decisions.record(owned, 'run_1', { now, expiresAt: now + dayMs });
    await approve(store(), [used, left], { by: 'ana', why: 'seen' });
    await reject(store(), [denied], { by: 'bea' });
    await endRun(store(), owned);
    const later = await openPlanned(store(), { id: 'run_2', now: now + hourMs }, [used]);
    await plans.applyApprovals(later, 'run_2', 'people', now + hourMs);
    await decisions.end(later, 'run_2', { identifications: ['E3'], keepsRejections: false }, now + hourMs);
    const endsAt = async (at: number) =>
      (await reports.heldEnds('run_1', 'people', at))
        .map(({ state, by, why, run, end, count }) =>
          [state, by, why, run, end, count].filter((part) => part !== undefined).join(' '),
        )
        .sort();
    const settled = ['approved ana seen run_2 planned 1', 'ended 1', 'rejected bea 1'];
    expect(await endsAt(now + hourMs)).toEqual(['approved ana seen 1', ...settled, 'open 1'].sort());
    expect(await endsAt(now + dayMs)).toEqual([...settled, 'expired 2'].sort());
    expect((await reports.heldEnds('run_1', 'people', now))[0]?.classes).toEqual(['disables']);
  });
}
