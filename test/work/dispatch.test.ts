import { expect, it, onTestFinished, vi } from 'vitest';
import type { Run } from '../../src/ports/store.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import { openStore } from '../../src/store/index.ts';
import { openLocalDispatch } from '../../src/work/scheduler.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { slowly } from '../support/slowness.ts';

const names = Array.from({ length: 12 }, (_, i) => `sync${i}`);

/** Twelve syncs, each with a run, and plans that are made as soon as the test says so. */
async function openBench() {
  const store = await openStore('sqlite::memory:', { folder: '/' });
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const stop = new AbortController();
  const syncs = new Map(names.map((name) => [name, { settings: { name, connection: 'acme' } } as unknown as Sync]));
  const engine = { store, clock, logger: memoryLogger(), syncs, progress: () => {} } as unknown as EngineIo;
  const runs: Run[] = [];
  for (const sync of names) {
    const trigger = { id: `t_${sync}`, sync, kind: 'manual', key: sync, requestedAt: clock.now() } as const;
    await store.triggers.add({ ...trigger, scope: { kind: 'all' } });
    const opened = await store.runs.open(sync, { id: `run_${sync}`, connection: 'acme', now: clock.now() });
    if (opened !== undefined) runs.push(opened.run);
  }
  const planning: { readonly sync: string; readonly end: () => void }[] = [];
  const ended: string[] = [];
  const dispatch = openLocalDispatch(
    {
      engine,
      owner: 'us',
      signal: stop.signal,
      keepToken: async () => {},
      async runJob(_name, payload, context) {
        const { run: id } = payload as { run: string };
        const outcome = await context.withRun(id, async ({ owned, sync }) => {
          const { name } = sync.settings;
          if (owned.run.phase === 'reading') {
            const made = Promise.withResolvers<void>();
            planning.push({ sync: name, end: made.resolve });
            await made.promise;
            await store.runs.update(owned, { phase: 'delivering' });
            return { kind: 'next' } as const;
          }
          await store.runs.update(owned, { phase: 'done', endedAt: clock.now() });
          ended.push(name);
          return { kind: 'done' } as const;
        });
        return outcome ?? { kind: 'done' };
      },
    },
    async () => ({ kind: 'done' }),
  );
  return { store, runs, dispatch, planning, ended, stop };
}

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: slowly(10_000) });

it('a few of many runs make their plans at a time, and one that has its plan ends before the next plans are made', async () => {
  const { runs, dispatch, planning, ended } = await openBench();
  for (const run of runs) await dispatch.start(run);
  await soon(() => expect(planning).toHaveLength(4));
  for (let made = 0; made < names.length; made += 1) {
    planning[made]?.end();
    await soon(() => expect(ended).toContain(planning[made]?.sync));
    await soon(() => expect(planning).toHaveLength(Math.min(names.length, made + 5)));
    // Recovery finds the runs that wait, and starts none of them twice.
    await dispatch.resume(runs.slice(made + 1));
  }
  await dispatch.close();
  expect(planning.map(({ sync }) => sync)).toEqual(names);
});

it('a run that waits to make its plan ends at once when it is canceled, and when the process stops', async () => {
  const { store, runs, dispatch, planning, stop } = await openBench();
  for (const run of runs) await dispatch.start(run);
  await soon(() => expect(planning).toHaveLength(4));
  const last = runs.at(-1) as Run;
  await store.runs.requestCancel(last.id);
  await dispatch.resume([{ ...last, isCancelRequested: true }]);
  await soon(() => expect(planning.at(-1)?.sync).toBe(last.sync));
  stop.abort(new Error('stop'));
  for (const { end } of planning) end();
  await dispatch.close();
  expect(planning).toHaveLength(5);
});
