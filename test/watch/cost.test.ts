import { expect, it } from 'vitest';
import { readOverview } from '../../src/app/overview.ts';
import type { AlertsOptions } from '../../src/watch/alerts/open-alerts.ts';
import { openAlerts } from '../../src/watch/alerts/open-alerts.ts';
import { openMetrics } from '../../src/watch/metrics/metrics.ts';
import {
  openPlanned,
  openRun,
  sampleBatch,
  sampleChange,
  sampleTokens,
  sampleTrigger,
  writePlan,
} from '../contracts/store-samples.ts';
import { listTransactions } from '../support/listed-transactions.ts';
import { type Office, openOffice, plainSync } from '../support/office.ts';

const nameOf = (i: number) => (i === 0 ? 'people' : `people-${i}`);

/** Gives a sync what watching reads: a success, a hold, a run in progress with a batch, and a request. */
async function fill({ engine: { io }, clock }: Office, sync: string): Promise<void> {
  const { store } = io;
  const now = clock.now();
  const success = await openPlanned(store, { id: `good_${sync}`, sync, now: now - 9000 }, ['E1']);
  await store.runs.update(success, { phase: 'done', endedAt: now - 8000, outcome: 'succeeded' });
  const held = await openRun(store, { id: `held_${sync}`, sync, now: now - 7000 });
  await writePlan(store, { id: `held_${sync}`, owned: held, sync }, [sampleChange('E2', 'disable')]);
  await store.plans.hold(held, held.run.id, ['disables'], 'too many');
  await store.decisions.record(held, held.run.id, { now, expiresAt: now + 86_400_000 });
  await store.runs.update(
    held,
    { phase: 'done', endedAt: now - 6000, outcome: 'failed', reason: 'no' },
    {
      holds: {
        all: [
          {
            id: `hold_${sync}`,
            sync,
            run: held.run.id,
            class: 'disables',
            reason: 'too many',
            digest: 'd'.repeat(64),
            heldAt: now,
            expiresAt: now + 86_400_000,
            state: 'open',
          },
        ],
        now,
      },
    },
  );
  const open = await openPlanned(store, { id: `open_${sync}`, sync, now: now - 5000 }, ['E3']);
  await store.batches.create(open, [{ batch: sampleBatch(open, 1), identifications: ['E3'] }]);
  await store.batches.update(open, `open_${sync}_b1`, { state: 'sent', sentAt: now - 4000 });
  await store.runs.update(open, { phase: 'delivering' });
  await store.triggers.add(sampleTrigger(`t_${sync}`, { sync, requestedAt: now }));
}

it('costs', async () => {
  const seen = listTransactions();
  const count = async (work: () => Promise<unknown>) => {
    seen.length = 0;
    await work();
    return seen.length;
  };
  const table: Record<string, number[]> = {};
  for (const syncs of [10, 400]) {
    const names = Array.from({ length: syncs }, (_, i) => nameOf(i));
    const office = await openOffice({ syncs: Object.fromEntries(names.slice(1).map((name) => [name, plainSync()])) });
    for (const name of names) await fill(office, name);
    const {
      engine: { io, connections },
      clock,
      app,
    } = office;
    await io.store.tokens.replace(undefined, sampleTokens());
    const watched = {
      syncs: names.map((name) => ({ name, connection: 'acme' })),
      connections: ['acme'],
      channels: ['chat'],
    };
    const metrics = openMetrics({
      store: io.store,
      clock: { ...clock, now: () => clock.now(), sleep: () => new Promise(() => {}) } as never,
      version: '1',
      names: watched,
      queue: undefined,
      owner: 'me',
    });
    const add = (what: string, n: number) => (table[what] ??= []).push(n);
    add('scrape, first', await count(() => metrics.render()));
    add('scrape', await count(() => metrics.render()));
    for (const name of names) {
      const run = await io.store.runs.get(`open_${name}`);
      const lease = await io.store.leases.take(`run:open_${name}`, `owner of open_${name}`, 3600000, clock.now());
      if (run && lease)
        await io.store.runs.update({ run, lease }, { phase: 'done', endedAt: clock.now(), outcome: 'failed' });
    }
    add('scrape after the end of a run of each sync', await count(() => metrics.render()));
    add('overview', await count(() => readOverview(app)));
    add('overview again', await count(() => readOverview(app)));
    add('alerts.report', await count(() => app.alerts.report(1)));
    const options = {
      channels: [
        { name: 'chat', kind: 'webhook', url: { reveal: () => 'http://127.0.0.1:9' }, afterMs: 0, remindMs: undefined },
      ],
      syncs: names.map((name) => ({
        name,
        connection: 'acme',
        staleBefore: (now: number) => now - 3_600_000,
        isExcused: () => false,
      })),
      connections: [...connections].map(([name, { tokenManager }]) => ({
        name,
        token: () => tokenManager.status(),
        reports: [],
      })),
      place: { deployment: 'd', publicUrl: undefined },
      store: io.store,
      clock,
      logger: io.logger,
      newId: io.newId,
      random: () => 0.5,
    } as unknown as AlertsOptions;
    const alerts = openAlerts(options);
    const signal = AbortSignal.timeout(100000);
    add('judge, first', await count(() => alerts.evaluate(signal)));
    add('judge with an open problem of each sync', await count(() => alerts.evaluate(signal)));
    await metrics.close();
  }
  console.table(table);
  expect(1).toBe(1);
}, 200000);
