import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { OwnedRun, Store } from '../../src/ports/store.ts';
import { drawRuns } from '../support/drawn.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import {
  approve,
  dayMs,
  endRun,
  holdAll,
  openRun,
  sampleBatch,
  sampleEntry,
  sampleTrigger,
  writePlan,
} from './store-samples.ts';

const rounds = Array.from({ length: drawRuns(12) }, (_, round) => round);

/** What is decided by reading and then written, asked for from several sides at once. */
export function describeRaces(store: () => Store): void {
  it('takes a trigger into a run or cancels it, never both', async () => {
    const { runs, triggers } = store();
    for (let round = 0; round < drawRuns(60); round++) {
      const sync = `sync ${round}`;
      for (const name of ['a', 'b']) await triggers.add(sampleTrigger(`${name} ${round}`, { sync }));
      const opening = runs.open(sync, { id: `run_${round}`, connection: 'acme', now });
      // A little later each time, so that some come between its reading and its writing.
      for (let turn = 0; turn < round; turn++) await nextTurn();
      const isCancelled = await triggers.cancel(`a ${round}`);
      const opened = await opening;
      expect(opened?.isNew).toBe(true);
      const taken = { kind: 'taken', run: `run_${round}` };
      expect(await triggers.state(`a ${round}`)).toEqual(isCancelled ? { kind: 'cancelled' } : taken);
      expect(await triggers.state(`b ${round}`)).toEqual(taken);
    }
  });

  it('opens one run when several ask at once, and tells all of them the same', async () => {
    const { runs, triggers } = store();
    for (const round of rounds) {
      const sync = `sync ${round}`;
      await triggers.add(sampleTrigger(`t ${round}`, { sync }));
      const asked = ['a', 'b', 'c', 'd'].map((id) =>
        runs.open(sync, { id: `${id} ${round}`, connection: 'acme', now }),
      );
      const opened = await Promise.all(asked);
      expect(opened.filter((one) => one?.isNew)).toHaveLength(1);
      expect(new Set(opened.map((one) => one?.run.id)).size).toBe(1);
    }
  });

  it('settles an unresolved batch once, with the effects of one run only', async () => {
    const { batches, ledger, plans } = store();
    for (const round of rounds) {
      const old = await openRun(store(), { id: `old ${round}` });
      await writePlan(store(), { id: `old ${round}`, owned: old }, ['ana', 'eva']);
      const batch = sampleBatch(old, 1, { state: 'unresolved' });
      await batches.create(old, [{ batch, identifications: ['ana', 'eva'] }]);
      await endRun(store(), old);
      const later = await Promise.all(
        ['one', 'two', 'three'].map((sync) => openRun(store(), { id: `${sync} ${round}`, sync })),
      );
      const effects = (by: number) => ({
        marks: [{ identification: by === 0 ? 'ana' : 'eva', state: 'applied', reason: `by ${by}` } as const],
        ledger: [sampleEntry('ana', { unverified: by })],
      });
      await Promise.all(later.map((owned, by) => batches.resolve(owned, batch.id, `by ${by}`, effects(by))));
      const winner = Number((await batches.get(batch.id))?.reason?.slice('by '.length));
      const changes = await plans.page(`old ${round}`, { limit: 9 });
      expect(changes.filter(({ state }) => state === 'applied').map(({ stateReason }) => stateReason)).toEqual([
        `by ${winner}`,
      ]);
      expect((await ledger.get('acme', 'ana'))?.unverified).toBe(winner);
      for (const owned of later) await endRun(store(), owned);
    }
  });

  it('sees a hold as approved when several people approve a part of it each, at once', async () => {
    const { holds } = store();
    const owned = await openRun(store(), { id: 'run_1' });
    for (const round of rounds) {
      const names = ['a', 'b', 'c', 'd'].map((name) => `${name} ${round}`);
      const changes = await holdAll(store(), owned, names, { id: `hold_${round}` });
      await Promise.all(changes.map((change) => approve(store(), [change])));
      expect(await holds.open(['people'], now)).toEqual(new Map());
    }
    expect((await holds.ofRun('run_1')).map(({ state }) => state)).toEqual(rounds.map(() => 'approved'));
  });

  it('lets a worker write a whole piece or nothing of it while another takes its run over', async () => {
    const { leases, ledger } = store();
    for (const round of rounds) {
      const sync = `sync ${round}`;
      const owned = await openRun(store(), { id: `run_${round}`, sync });
      const names = Array.from({ length: 300 }, (_, index) => `${round} ${index}`);
      const entries = names.map((name) => sampleEntry(name, { owner: sync }));
      const write = ledger.put(owned, entries).then(
        () => true,
        () => false,
      );
      const [isWritten, taken] = await Promise.all([
        write,
        leases.take(owned.lease.name, 'thief', dayMs, now + 2 * dayMs),
      ]);
      expect(taken?.fence).toBe(2);
      expect((await ledger.getMany('acme', names)).size).toBe(isWritten ? 300 : 0);
      const thief: OwnedRun = { run: owned.run, lease: taken ?? owned.lease };
      await ledger.put(thief, [sampleEntry(`${round} thief`)]);
      await expect(ledger.put(owned, entries)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    }
  });
}
