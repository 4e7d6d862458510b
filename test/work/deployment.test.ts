import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { runDeployment } from '../../src/main/deployment.ts';
import type { Engine } from '../../src/main/engine.ts';
import { deploymentLease } from '../../src/ports/leases.ts';
import type { Run, Store } from '../../src/ports/store.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import { requestRun } from '../../src/run/request-run.ts';
import { openStore } from '../../src/store/index.ts';
import { announceWorker } from '../../src/work/deployment-lease.ts';
import type { DriveIo } from '../../src/work/drive-run.ts';
import { orphanGraceMs } from '../../src/work/orphans.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';

const hourMs = 3_600_000;
const afterHalfPastTwelve = Date.parse('2026-11-21T12:30:30Z');

interface BenchOptions {
  /** Cron text by sync. */
  readonly schedules: Readonly<Record<string, string | undefined>>;
  readonly connections?: readonly string[];
  /** What the run's first job does before the run ends as `succeeded`. */
  readonly work?: (run: Run) => Promise<void>;
  readonly keepToken?: (connection: string) => Promise<void>;
  readonly watchStore?: (store: Store) => Store;
}

/** A deployment on a real store; its runs do nothing but `work`. */
async function openBench(options: BenchOptions) {
  const opened = await openStore('sqlite::memory:', { folder: '/' });
  onTestFinished(() => opened.close());
  const store = options.watchStore?.(opened) ?? opened;
  const clock = new FakeClock(afterHalfPastTwelve, 40);
  const logger = memoryLogger();
  const names = Object.keys(options.schedules);
  const syncs = new Map(
    names.map((name) => [name, { settings: { name, connection: 'acme', remove: 'never' } } as unknown as Sync]),
  );
  const config = {
    syncs: Object.fromEntries(
      Object.entries(options.schedules).map(([name, cron]) => [
        name,
        { name, schedule: cron === undefined ? undefined : { cron, timezone: 'UTC' } },
      ]),
    ),
    reports: {},
    connections: {},
    alerts: [],
  } as unknown as Config;
  let ids = 0;
  const newId = (prefix: string): string => `${prefix}_${String(++ids).padStart(6, '0')}`;
  const retention = { runs: 1, audit: 1, ledgerOfGone: 1 };
  const io = { store, clock, logger, syncs, newId, retention, checkpoint: () => {} } as unknown as EngineIo;
  const connections = new Map((options.connections ?? []).map((name) => [name, {}]));
  const engine = { io, connections } as unknown as Engine;
  const began: string[] = [];

  const start = (owner = 'us') => {
    const stop = new AbortController();
    const drive: DriveIo = {
      engine: io,
      owner,
      signal: stop.signal,
      keepToken: options.keepToken ?? (async () => {}),
      runJob: async (_job, payload, context) => {
        const { run: id } = payload as { run: string };
        await context.withRun(id, async ({ owned }) => {
          began.push(`${owned.run.sync} ${new Date(clock.now()).toISOString().slice(11, 19)}`);
          await options.work?.(owned.run);
          await store.runs.update(owned, { phase: 'done', outcome: 'succeeded', endedAt: clock.now() });
        });
        return { kind: 'done' };
      },
    };
    const ready = Promise.withResolvers<void>();
    const ended = runDeployment(config, engine, drive, { onReady: ready.resolve });
    ended.catch(ready.reject);
    ready.promise.catch(() => {});
    return { ready: ready.promise, ended, stop: () => stop.abort(new Error('stop')) };
  };
  /** As if the time between had passed with nothing happening, then a few seconds in which it looks around. */
  const goTo = async (time: string): Promise<void> => {
    clock.jumpTo(Date.parse(`2026-11-${time}Z`));
    await clock.advance(3000);
  };
  /** A whole deployment, stopped when the work ends. */
  const during = async (work: () => Promise<void>): Promise<void> => {
    const deployment = start();
    await deployment.ready;
    await clock.advance(2000);
    await work();
    deployment.stop();
    await clock.drive(deployment.ended);
    expect(clock.sleeping, 'no timer is left').toBe(0);
  };
  const runs = async (): Promise<string[]> =>
    (await opened.runs.list({ limit: 100 })).map(({ sync, outcome }) => `${sync} ${outcome}`).reverse();
  return { store: opened, io, clock, logger, began, start, goTo, during, runs };
}

describe('a deployment', () => {
  it('catches up nothing at its very first start, then runs at each slot', async () => {
    const bench = await openBench({ schedules: { people: '0 * * * *' } });
    await bench.during(async () => {
      expect(bench.began).toEqual([]);
      await bench.goTo('21T12:59:58');
      await bench.goTo('21T14:00:00');
    });
    expect(bench.began).toEqual(['people 13:00:00', 'people 14:00:00']);
    expect(await bench.runs()).toEqual(['people succeeded', 'people succeeded']);
  });

  it('catches up missed slots once after a time in which it did not run', async () => {
    const bench = await openBench({ schedules: { people: '*/15 * * * *' } });
    await bench.during(() => bench.goTo('21T12:45:00'));
    bench.clock.jumpTo(afterHalfPastTwelve + 50 * hourMs);
    await bench.during(async () => {});
    await bench.during(async () => {});
    expect(bench.began).toEqual(['people 12:45:00', 'people 14:30:30']);
  });

  it('starts one run for a slot, however often it is started in that minute', async () => {
    const bench = await openBench({ schedules: { people: '0 * * * *' } });
    await bench.during(() => bench.goTo('21T13:00:00'));
    for (let i = 0; i < 3; i += 1) await bench.during(async () => {});
    expect(bench.began).toEqual(['people 13:00:00']);
  });

  it('does not overlap runs of a sync: slots that come meanwhile become one run afterwards', async () => {
    const release = Promise.withResolvers<void>();
    const bench = await openBench({ schedules: { people: '0 * * * *' }, work: () => release.promise });
    await bench.during(async () => {
      await bench.goTo('21T13:00:00');
      await bench.goTo('21T14:00:00');
      await bench.goTo('21T15:00:00');
      expect(bench.began).toEqual(['people 13:00:00']);
      release.resolve();
      await bench.clock.advance(3000);
    });
    expect(bench.began).toHaveLength(2);
    expect(await bench.runs()).toEqual(['people succeeded', 'people succeeded']);
  });

  it('goes on with other syncs and later slots when a run fails or one takes long', async () => {
    const release = Promise.withResolvers<void>();
    const bench = await openBench({
      schedules: { bad: '0 * * * *', good: '0 * * * *', slow: '0 13 * * *' },
      work: async ({ sync }) => {
        if (sync === 'bad') throw new RollcallError('the source is away', { code: 'SOURCE_UNAVAILABLE' });
        if (sync === 'slow') await release.promise;
      },
    });
    await bench.during(async () => {
      await bench.goTo('21T13:00:00');
      await bench.goTo('21T14:00:00');
      release.resolve();
    });
    expect((await bench.runs()).toSorted()).toEqual([
      'bad failed',
      'bad failed',
      'good succeeded',
      'good succeeded',
      'slow succeeded',
    ]);
  });

  describe('a source that refuses our credentials', () => {
    const refuse = async () => {
      throw new RollcallError('answered 401', { code: 'SOURCE_REFUSED' });
    };

    it('is asked again by the schedule after an hour, then twice as long each time, then once a day', async () => {
      const bench = await openBench({ schedules: { people: '*/30 * * * *' }, work: refuse });
      await bench.during(async () => {
        const first = Date.parse('2026-11-21T13:00:00Z');
        for (let hour = 0; hour < 81; hour++) {
          await bench.goTo(new Date(first + hour * hourMs).toISOString().slice(8, 19));
        }
      });
      const hours = ['21 13', '21 14', '21 16', '21 20', '22 04', '22 20', '23 20', '24 20'];
      const starts = (await bench.store.runs.list({ limit: 99 })).map(({ startedAt }) => new Date(startedAt));
      expect(starts.map((at) => at.toISOString().slice(8, 13).replace('T', ' ')).reverse()).toEqual(hours);
      const [last] = await bench.store.runs.list({ limit: 1 });
      expect(last?.reason).toContain('"rollcall resync people"');
      expect(bench.logger.text()).toContain('the schedule waits');
    });

    it('is asked at once when a person asks, or after a restart, and by the schedule once it has accepted them', async () => {
      let isMended = false;
      const bench = await openBench({
        schedules: { people: '*/30 * * * *' },
        work: async () => (isMended ? undefined : await refuse()),
      });
      await bench.during(() => bench.goTo('21T13:00:00'));
      await bench.during(() => bench.goTo('21T13:30:00'));
      expect(bench.began).toEqual(['people 13:00:00', 'people 13:30:00']);
      await bench.during(async () => {
        await bench.goTo('21T14:00:00');
        isMended = true;
        await bench.goTo('21T14:30:00');
        expect(bench.began).toHaveLength(3);
        await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, bench.io);
        await bench.clock.advance(3000);
        await bench.goTo('21T15:00:00');
        await bench.goTo('21T15:30:00');
      });
      const minutes = bench.began.map((start) => start.slice(0, -3));
      expect([...new Set(minutes)].slice(2)).toEqual(['people 14:00', 'people 14:30', 'people 15:00', 'people 15:30']);
    });
  });

  it('loses no slot when the store cannot be written for a moment', async () => {
    let refusals = 3;
    const bench = await openBench({
      schedules: { people: '0 * * * *' },
      watchStore: (store) => ({
        ...store,
        triggers: {
          ...store.triggers,
          add: async (trigger) => {
            refusals -= 1;
            if (refusals >= 0)
              throw new RollcallError('the store is locked', { code: 'STORE_INVALID', retry: 'backoff' });
            return store.triggers.add(trigger);
          },
        },
      }),
    });
    await bench.during(async () => {
      await bench.goTo('21T13:00:00');
      await bench.clock.advance(3000);
    });
    expect(await bench.runs()).toEqual(['people succeeded']);
    expect(bench.logger.messages('error')).toEqual(Array.from({ length: 3 }, () => 'task failed'));
  });

  it('takes what another shell asks for within seconds', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    await bench.during(async () => {
      await requestRun({ sync: 'people', kind: 'resync', scope: { kind: 'all' } }, bench.io);
      await bench.clock.advance(2000);
      expect(await bench.runs()).toEqual(['people succeeded']);
    });
  });

  it('takes up a run that a dead process left, after its lease', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, bench.io);
    const opened = await bench.store.runs.open('people', { id: 'r1', connection: 'acme', now: bench.clock.now() });
    expect(opened?.isNew).toBe(true);
    await bench.store.leases.take('run:r1', 'dead', 30_000, bench.clock.now());
    await bench.during(async () => {
      await bench.clock.advance(25_000);
      expect(bench.began).toEqual([]);
      await bench.clock.advance(6000);
      expect(await bench.runs()).toEqual(['people succeeded']);
    });
  });

  it('leaves a run alone that a newer version put into a phase of its own', async () => {
    const verifying = 'verifying' as Run['phase'];
    const bench = await openBench({
      schedules: { people: undefined },
      watchStore: (store) => ({
        ...store,
        runs: {
          ...store.runs,
          unfinished: async () => (await store.runs.unfinished()).map((run) => ({ ...run, phase: verifying })),
        },
      }),
    });
    await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, bench.io);
    await bench.store.runs.open('people', { id: 'r1', connection: 'acme', now: bench.clock.now() });
    await bench.during(() => bench.clock.advance(30_000));
    expect(bench.began).toEqual([]);
    expect(await bench.runs()).toEqual(['people undefined']);
  });

  it('waits a minute before it continues a run that it cannot even fail', async () => {
    let isBroken = true;
    const bench = await openBench({
      schedules: { people: undefined },
      watchStore: (store) => ({
        ...store,
        runs: {
          ...store.runs,
          get: async (id) => {
            if (isBroken) throw new Error('a row that cannot be read');
            return store.runs.get(id);
          },
        },
      }),
    });
    await bench.during(async () => {
      await requestRun({ sync: 'people', kind: 'resync', scope: { kind: 'all' } }, bench.io);
      await bench.clock.advance(50_000);
      expect(bench.logger.messages('error')).toEqual(['run stopped; it continues in a minute']);
      isBroken = false;
      await bench.clock.advance(15_000);
    });
    expect(await bench.runs()).toEqual(['people succeeded']);
  });
});

describe('a run of a sync that is configured no more', () => {
  const openGone = async ({ store, io }: Awaited<ReturnType<typeof openBench>>): Promise<string> => {
    const now = io.clock.now();
    await store.triggers.add({
      id: 't',
      key: 't',
      sync: 'gone',
      kind: 'resync',
      scope: { kind: 'all' },
      requestedAt: now,
    });
    const opened = await store.runs.open('gone', { id: 'run_gone', connection: 'acme', now });
    return opened?.run.id ?? expect.fail('it is open');
  };

  it('ends as failed, in words, once it has stood still for a while', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    const id = await openGone(bench);
    await bench.during(async () => {
      await bench.clock.advance(orphanGraceMs - 10_000);
      expect(await bench.runs()).toEqual(['gone undefined']);
      await bench.clock.advance(20_000);
      expect(await bench.store.runs.get(id)).toMatchObject({
        phase: 'done',
        outcome: 'failed',
        reason: expect.stringContaining('the sync gone is no longer in the configuration'),
      });
      expect(await bench.store.leases.holder(`run:${id}`, bench.clock.now())).toBeUndefined();
    });
    // That nothing works on it, and how it ended.
    expect(bench.logger.messages('warn')).toHaveLength(2);
  });

  it('is left alone while somebody who knows its sync goes on with it', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    const id = await openGone(bench);
    await bench.during(async () => {
      for (let step = 1; step <= 4; step += 1) {
        await bench.clock.advance(orphanGraceMs / 2);
        const lease = (await bench.store.leases.take(`run:${id}`, 'other', 1000, bench.clock.now())) ?? expect.fail();
        const run = (await bench.store.runs.get(id)) ?? expect.fail();
        await bench.store.runs.updateDelivery({ run, lease }, { splits: step });
        await bench.store.leases.release(lease);
      }
      const held = await bench.store.leases.take(`run:${id}`, 'other', 100 * orphanGraceMs, bench.clock.now());
      expect(held).toBeDefined();
      await bench.clock.advance(2 * orphanGraceMs);
      expect(await bench.runs()).toEqual(['gone undefined']);
    });
  });

  it('ends at once when a person has cancelled it', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    const id = await openGone(bench);
    await bench.store.runs.requestCancel(id);
    await bench.during(async () => {});
    expect(await bench.runs()).toEqual(['gone cancelled']);
  });
});

describe('looking after a deployment', () => {
  it('keeps every connection’s token fresh, and one that hangs or fails delays nothing', async () => {
    const asked: string[] = [];
    const bench = await openBench({
      schedules: { people: '* * * * *' },
      connections: ['hangs', 'fails', 'works'],
      keepToken: async (connection) => {
        asked.push(connection);
        if (connection === 'hangs') await new Promise(() => {});
        if (connection === 'fails') throw new RollcallError('it was revoked', { code: 'TOKEN_REVOKED' });
      },
    });
    await bench.during(() => bench.clock.advance(5 * 60_000));
    const times = (name: string): number => asked.filter((connection) => connection === name).length;
    expect([times('hangs'), times('fails'), times('works')]).toEqual([1, 6, 6]);
    expect(bench.began).toHaveLength(5);
    expect(bench.logger.messages('error')).toEqual(Array.from({ length: 6 }, () => 'job failed'));
  });

  it('prunes at its start and then once a day', async () => {
    let prunes = 0;
    const bench = await openBench({
      schedules: { people: undefined },
      watchStore: (store) => ({
        ...store,
        runs: {
          ...store.runs,
          prune: async (before, keep) => {
            prunes += 1;
            return store.runs.prune(before, keep);
          },
        },
      }),
    });
    await bench.during(async () => {
      expect(prunes).toBe(1);
      await bench.goTo('22T12:29:00');
      expect(prunes).toBe(1);
      await bench.goTo('22T12:31:00');
      expect(prunes).toBe(2);
    });
  });
});

describe('several deployments on one store', () => {
  it('refuse to be two, as soon as the first shows that it lives', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    await bench.during(async () => {
      const other = bench.start('they');
      await expect(bench.clock.drive(other.ended)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(other.ready).rejects.toThrow('only one may run');
    });
  });

  it('follow each other at once after a stop, and after the lease when the first one died', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    await bench.during(async () => {});
    expect(await bench.store.leases.holder(deploymentLease, bench.clock.now())).toBeUndefined();
    await bench.store.leases.take(deploymentLease, 'dead', 15_000, bench.clock.now());
    const diedAt = bench.clock.now();
    const next = bench.start();
    await bench.clock.drive(next.ready);
    expect(bench.clock.now() - diedAt).toBe(15_000);
    next.stop();
    await bench.clock.drive(next.ended);
  });

  it('can be stopped while waiting for a dead one', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    await bench.store.leases.take(deploymentLease, 'dead', 15_000, bench.clock.now());
    const waiting = bench.start();
    await bench.clock.advance(3000);
    waiting.stop();
    await waiting.ended;
    expect(bench.clock.sleeping).toBe(0);
  });

  it('refuse a start without Redis while workers with Redis live, though their scheduler is dead', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    const workers = new AbortController();
    const announcing = announceWorker(bench.io, workers.signal);
    await bench.clock.advance(20_000);
    const other = bench.start();
    await expect(bench.clock.drive(other.ended)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(other.ready).rejects.toThrow('workers of a deployment with Redis use this store');

    workers.abort();
    await announcing;
    const after = bench.start();
    await bench.clock.drive(after.ready);
    after.stop();
    await bench.clock.drive(after.ended);
  });

  it('stop all their work when the lease is lost', async () => {
    const bench = await openBench({ schedules: { people: undefined } });
    const first = bench.start();
    await first.ready;
    bench.clock.jumpTo(bench.clock.now() + 16_000);
    await bench.store.leases.take(deploymentLease, 'they', 15_000, bench.clock.now());
    await expect(bench.clock.drive(first.ended)).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});
