import { describe, expect, it, onTestFinished } from 'vitest';
import { PlatformError, type RollcallError } from '../../src/core/run/errors.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import type { Run, Store } from '../../src/ports/store.ts';
import type { EngineIo, RunContext, Sync } from '../../src/run/engine-io.ts';
import type { JobOutcome } from '../../src/run/work.ts';
import { openStore } from '../../src/store/index.ts';
import { type DriveIo, driveRun } from '../../src/work/drive-run.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { memoryLogger } from '../support/memory-logger.ts';

type Script = (context: RunContext, call: number) => Promise<JobOutcome> | JobOutcome;

const done: JobOutcome = { kind: 'done' };

function again(afterMs = 0): JobOutcome {
  return { kind: 'again', afterMs };
}

/** A run in a real store, and a driver whose steps do what the script says. */
async function openBench(script: Script) {
  const store: Store = await openStore('sqlite::memory:', { folder: '/' });
  onTestFinished(() => store.close());
  const clock = new FakeClock();
  const logger = memoryLogger();
  const stop = new AbortController();
  const calls: { readonly at: number }[] = [];
  const progress: ProgressEvent[] = [];
  const settings = { name: 'people', connection: 'acme' };
  const engine = {
    store,
    clock,
    logger,
    syncs: new Map([['people', { settings } as unknown as Sync]]),
    checkpoint: () => {},
    progress: (event: ProgressEvent) => void progress.push(event),
  } as unknown as EngineIo;
  const trigger = { id: 't1', sync: 'people', kind: 'manual', key: 't1', requestedAt: clock.now() } as const;
  await store.triggers.add({ ...trigger, scope: { kind: 'all' } });
  await store.runs.open('people', { id: 'r1', connection: 'acme', now: clock.now() });
  const startedAt = clock.now();
  const io: DriveIo = {
    engine,
    owner: 'us',
    signal: stop.signal,
    keepToken: async () => {},
    runJob: async (job, _payload, context) => {
      expect(job).toBe('advance-run');
      calls.push({ at: clock.now() - startedAt });
      return (await context.withRun('r1', async (owned) => script(owned, calls.length))) ?? done;
    },
  };
  const run = async (): Promise<Run> => {
    const found = await store.runs.get('r1');
    if (found === undefined) throw new Error('the run is gone');
    return found;
  };
  return { store, clock, logger, stop, calls, progress, io, run, drive: () => clock.drive(driveRun('r1', io)) };
}

function trouble(retry: RollcallError['retry'], message = 'the platform is away'): PlatformError {
  return new PlatformError(message, { code: 'PLATFORM_UNREACHABLE', retry, effect: 'none', operation: 'GET /x' });
}

/** Until the signal aborts: a call that takes long. */
function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

describe('driving a run', () => {
  it.each([
    [5, undefined],
    [6, 'a process died 6 times while it worked on this run'],
  ])('that has killed its process %i times ends it as failed only after six', async (deaths, reason) => {
    const bench = await openBench(() => done);
    for (let owner = 0; owner < deaths; owner += 1) {
      await bench.store.leases.take('run:r1', `process ${owner}`, 1, bench.clock.now() - 100 + owner * 10);
    }
    expect(await bench.drive()).toBe('ended');
    const { outcome, reason: stored } = await bench.run();
    expect(outcome).toBe(reason === undefined ? undefined : 'failed');
    expect(stored ?? '').toContain(reason ?? '');
  });

  it('runs step after step, waiting as long as each one says, and releases the lease', async () => {
    const bench = await openBench((_context, call) => [again(500), again(2000), done][call - 1] ?? done);
    expect(await bench.drive()).toBe('ended');
    expect(bench.calls).toEqual([{ at: 0 }, { at: 500 }, { at: 2500 }]);
    expect(await bench.store.leases.holder('run:r1', bench.clock.now())).toBeUndefined();
    expect(bench.clock.sleeping).toBe(0);
  });

  it('does nothing to a run that another process drives', async () => {
    const bench = await openBench(() => done);
    await bench.store.leases.take('run:r1', 'they', 30_000, bench.clock.now());
    expect(await bench.drive()).toBe('busy');
    expect(bench.calls).toEqual([]);
  });

  it('does nothing to a run that another process has ended', async () => {
    const bench = await openBench(() => done);
    const lease = (await bench.store.leases.take('run:r1', 'they', 30_000, bench.clock.now())) ?? fail();
    const run = (await bench.store.runs.get('r1')) ?? fail();
    const end = { phase: 'done', outcome: 'succeeded', endedAt: bench.clock.now() } as const;
    await bench.store.runs.update({ run, lease }, end);
    await bench.store.leases.release(lease);
    expect(await bench.drive()).toBe('busy');
    expect(bench.calls).toEqual([]);
  });

  it('does nothing to a run that a newer version put into a phase of its own', async () => {
    const bench = await openBench(() => done);
    const { runs } = bench.store;
    const get = async (id: string) => ({ ...((await runs.get(id)) ?? fail()), phase: 'verifying' as Run['phase'] });
    const engine = { ...bench.io.engine, store: { ...bench.store, runs: { ...runs, get } } };
    expect(await bench.clock.drive(driveRun('r1', { ...bench.io, engine }))).toBe('busy');
    expect(bench.calls).toEqual([]);
  });

  it('continues from the stored phase, not from the start', async () => {
    const phases: string[] = [];
    const bench = await openBench(({ owned }) => {
      phases.push(owned.run.phase);
      return done;
    });
    const lease = await bench.store.leases.take('run:r1', 'dead', 1, bench.clock.now());
    await bench.store.runs.update({ run: await bench.run(), lease: lease ?? fail() }, { phase: 'proving' });
    await bench.clock.advance(10);
    await bench.drive();
    expect(phases).toEqual(['proving']);
  });

  it('holds the lease while one step takes much longer than the lease', async () => {
    const bench = await openBench(async ({ signal }) => {
      await bench.clock.sleep(3_600_000, signal);
      return done;
    });
    expect(await bench.drive()).toBe('ended');
  });
});

describe('trouble', () => {
  it('that may heal is waited for, longer each time, and forgotten once it has healed', async () => {
    const bench = await openBench((_context, call) => {
      if (call < 5) throw trouble('backoff');
      return done;
    });
    expect(await bench.drive()).toBe('ended');
    expect(bench.calls.map(({ at }) => at)).toEqual([0, 1000, 3000, 7000, 15_000]);
    expect((await bench.run()).phase).toBe('reading');
    expect(bench.logger.messages('error')).toEqual([]);
  });

  it('that does not heal fails the run after five tries, with the reason', async () => {
    const bench = await openBench(() => {
      throw trouble('backoff', 'the platform cannot be reached at all');
    });
    expect(await bench.drive()).toEqual(await bench.run());
    expect(bench.calls).toHaveLength(5);
    expect(await bench.run()).toMatchObject({
      phase: 'done',
      outcome: 'failed',
      reason: 'the platform cannot be reached at all',
    });
  });

  it('that says when to come again is obeyed, and shown as a wait for the platform', async () => {
    const [given, waited] = [600_000, 600_500];
    const bench = await openBench((_context, call) => {
      if (call === 1) throw trouble({ afterMs: given });
      return done;
    });
    const startedAt = bench.clock.now();
    await bench.drive();
    expect(bench.calls.map(({ at }) => at)).toEqual([0, waited]);
    expect(bench.progress).toEqual([
      {
        step: 'waiting',
        waiting: expect.objectContaining({ for: 'platform', since: startedAt, until: startedAt + given }),
        nextAt: startedAt + waited,
      },
    ]);
  });

  it.each([
    ['that can never heal', () => trouble('never', 'the token lacks a permission'), 'the token lacks a permission'],
    [
      'nobody has thought of',
      () => new TypeError('x is undefined'),
      expect.stringMatching(/^unexpected: TypeError at \S+:\d+:\d+$/),
    ],
  ])('%s fails the run at once', async (_name, make, reason) => {
    const bench = await openBench(() => {
      throw make();
    });
    expect(await bench.drive()).toEqual(await bench.run());
    expect(bench.calls).toHaveLength(1);
    expect(await bench.run()).toMatchObject({ outcome: 'failed', reason });
  });

  it('counts anew for every step', async () => {
    const bench = await openBench((_context, call) => {
      if (call % 5 !== 0) throw trouble('backoff');
      return call < 15 ? again() : done;
    });
    expect(await bench.drive()).toBe('ended');
    expect((await bench.run()).outcome).toBeUndefined();
  });
});

describe('a lease that is lost', () => {
  it.each([
    ['a step waits for the platform', hang],
    ['a step ignores the signal', async (): Promise<JobOutcome> => again(60_000)],
  ])('stops the work before the next step, and the run stays as it is: %s', async (_name, work) => {
    const bench = await openBench(({ signal }) => work(signal));
    const driven = driveRun('r1', bench.io);
    await bench.clock.advance(5000);
    bench.clock.jumpTo(bench.clock.now() + 31_000);
    await bench.store.leases.take('run:r1', 'they', 30_000, bench.clock.now());
    expect(await bench.clock.drive(driven)).toBe('stopped');
    expect(bench.calls).toHaveLength(1);
    expect(await bench.run()).toMatchObject({ phase: 'reading', outcome: undefined });
    expect(await bench.store.leases.holder('run:r1', bench.clock.now())).toMatchObject({ owner: 'they' });
  });

  it('is noticed by the first write, and never fails the run', async () => {
    const bench = await openBench(async ({ owned }) => {
      bench.clock.jumpTo(bench.clock.now() + 31_000);
      await bench.store.leases.take('run:r1', 'they', 30_000, bench.clock.now());
      await bench.store.runs.update(owned, { phase: 'delivering' });
      return done;
    });
    expect(await bench.drive()).toBe('stopped');
    expect(await bench.run()).toMatchObject({ phase: 'reading', outcome: undefined });
    expect(bench.logger.messages('error')).toEqual([]);
  });
});

describe('a long wait', () => {
  it('ends within half a minute when a person cancels the run', async () => {
    const bench = await openBench((_context, call) => (call === 1 ? again(3_600_000) : done));
    const driven = driveRun('r1', bench.io);
    await bench.clock.advance(100_000);
    expect(bench.calls).toHaveLength(1);

    await bench.store.runs.requestCancel('r1');
    expect(await bench.clock.drive(driven)).toBe('ended');

    expect(bench.calls.map(({ at }) => at)).toEqual([0, 120_000]);
  });
});

describe('a process that is to end', () => {
  it('does nothing any more when it was asked before', async () => {
    const bench = await openBench(() => done);
    bench.stop.abort(new Error('stop'));
    expect(await bench.drive()).toBe('stopped');
    expect(bench.calls).toEqual([]);
  });

  it('ends a wait between two steps at once, and another process can continue the run', async () => {
    const bench = await openBench(() => again(3_600_000));
    const driven = driveRun('r1', bench.io);
    await bench.clock.advance(5000);
    const askedAt = bench.clock.now();
    bench.stop.abort(new Error('stop'));
    expect(await bench.clock.drive(driven)).toBe('stopped');
    expect(bench.clock.now()).toBe(askedAt);
    expect(await bench.run()).toMatchObject({ outcome: undefined });
    expect(await bench.store.leases.holder('run:r1', bench.clock.now())).toBeUndefined();
  });

  it('aborts a read at once', async () => {
    const bench = await openBench(({ stopping }) => hang(stopping));
    const driven = driveRun('r1', bench.io);
    await bench.clock.advance(5000);
    bench.stop.abort(new Error('stop'));
    expect(await driven).toBe('stopped');
  });

  it.each([
    { takesMs: 5000, isWritten: true },
    { takesMs: 60_000, isWritten: false },
  ])('lets a delivery end that takes $takesMs ms: $isWritten', async ({ takesMs, isWritten }) => {
    let written = false;
    const bench = await openBench(async ({ signal }, call) => {
      if (call === 1) return again();
      await bench.clock.sleep(takesMs, signal);
      written = true;
      return again();
    });
    const driven = driveRun('r1', bench.io);
    await bench.clock.advance(1000);
    bench.stop.abort(new Error('stop'));
    expect(await bench.clock.drive(driven)).toBe('stopped');
    expect(written).toBe(isWritten);
    expect(bench.calls).toHaveLength(2);
    expect(bench.clock.sleeping).toBe(0);
  });
});

function fail(): never {
  throw new Error('the lease is free');
}
