import { describe, expect, it, onTestFinished } from 'vitest';
import { openUptime } from '../../src/main/process.ts';
import type { Uptime } from '../../src/ports/runtime.ts';
import { openStoreWithClock } from '../../src/store/index.ts';
import type { OpenedStore } from '../../src/store/open-store.ts';
import { FakeClock, someInstant } from '../support/fake-clock.ts';
import { type MemoryLogger, memoryLogger } from '../support/memory-logger.ts';
import { startPostgres } from '../support/services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await startPostgres();
const hourMs = 3_600_000;
const ttlMs = 30_000;

interface Process extends OpenedStore {
  readonly logger: MemoryLogger;
}

interface Machine {
  readonly url: string;
  readonly folder: string;
  readonly clock: { now(): number };
  readonly uptime: Uptime;
}

async function openProcess({ url, ...machine }: Machine): Promise<Process> {
  const logger = memoryLogger();
  const opened = await openStoreWithClock(url, { ...machine, logger });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await opened.store.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { clock: opened.clock, logger, store: { ...opened.store, close } };
}

describe('the clock of a SQLite store', () => {
  async function openMachine(): Promise<{ wall: FakeClock; machine: Machine }> {
    const wall = new FakeClock();
    const folder = await temporaryFolder();
    return { wall, machine: { url: 'sqlite:./store.db', folder, clock: wall, uptime: wall.uptime } };
  }

  it('goes with the clock of the machine, and small corrections are no jump', async () => {
    const { wall, machine } = await openMachine();
    const { clock, logger } = await openProcess(machine);
    await wall.advance(1234);
    expect(clock.now()).toBe(wall.now());
    wall.jumpTo(wall.now() + 5000);
    await clock.check();
    expect(clock.now()).toBe(wall.now());
    expect([clock.jumps(), logger.messages('error')]).toEqual([[], []]);
  });

  it('follows a jump at the next check only, records it, and tells it in one line', async () => {
    const { wall, machine } = await openMachine();
    const { clock, logger } = await openProcess(machine);
    wall.jumpTo(someInstant + 25 * hourMs);
    expect(clock.now()).toBe(someInstant);
    await clock.check();
    expect(clock.now()).toBe(someInstant + 25 * hourMs);
    expect(clock.jumps()).toEqual([{ before: someInstant, after: someInstant + 25 * hourMs }]);
    await clock.check();
    expect(logger.messages('error')).toEqual([expect.stringMatching(/store\.db jumped 25 hours forward.*NTP/)]);
    expect(clock.skewMs?.()).toBe(25 * hourMs);
    await wall.advance(10 * 60_000);
    expect(clock.skewMs?.(), 'it was corrected').toBe(0);
  });

  it('finds a jump between two processes, and two processes that see one jump record it once', async () => {
    const { wall, machine } = await openMachine();
    await (await openProcess(machine)).store.close();
    await wall.advance(hourMs);
    wall.jumpTo(wall.now() + 25 * hourMs);
    const second = await openProcess(machine);
    const jump = { before: someInstant + hourMs, after: someInstant + 26 * hourMs };
    expect(second.clock.jumps()).toEqual([jump]);
    expect(second.logger.messages('error')).toHaveLength(1);
    const third = await openProcess(machine);
    expect(third.clock.jumps()).toEqual([jump]);
    expect(third.logger.messages('error')).toEqual([]);
    wall.jumpTo(wall.now() - 3 * hourMs);
    await second.clock.check();
    await wall.advance(5000);
    await third.clock.check();
    const back = { before: jump.after, after: jump.after - 3 * hourMs };
    expect(second.clock.jumps()).toEqual([back, jump]);
    expect(third.clock.jumps()).toHaveLength(2);
    expect(third.clock.jumps()).toContainEqual(back);
  });

  it('takes the time as it is after the machine was started again, or where it cannot know', async () => {
    const { wall, machine } = await openMachine();
    await (await openProcess(machine)).store.close();
    wall.jumpTo(wall.now() + 25 * hourMs);
    for (const boot of ['another boot', undefined]) {
      const { clock } = await openProcess({ ...machine, uptime: { boot, now: wall.uptime.now } });
      expect([clock.now(), clock.jumps()]).toEqual([wall.now(), []]);
    }
    const restarted = await openProcess({ ...machine, uptime: { boot: 'another boot', now: () => 0 } });
    expect([restarted.clock.now(), restarted.clock.jumps()]).toEqual([wall.now(), []]);
  });

  it.each([
    ['back', -3 * hourMs],
    ['forward', 3 * hourMs],
  ])('keeps no lease longer or shorter than without a jump %s', async (_, jumpMs) => {
    const { wall, machine } = await openMachine();
    const { clock, store } = await openProcess(machine);
    await store.leases.take('run:r1', 'dead', ttlMs, clock.now());
    await wall.advance(20_000);
    wall.jumpTo(wall.now() + jumpMs);
    await clock.check();
    expect(await store.leases.take('run:r1', 'other', ttlMs, clock.now())).toBeUndefined();
    await wall.advance(10_000);
    expect(await store.leases.take('run:r1', 'other', ttlMs, clock.now())).toMatchObject({ owner: 'other' });
  });
});

describe.skipIf(postgres === undefined)('the clock of a PostgreSQL store', () => {
  const openDatabase = async (): Promise<string> => (await postgres?.newStore()) ?? expect.fail('no server');
  const real = openUptime();
  const toleranceMs = 60_000;
  const machineOf = (url: string, aheadMs: () => number): Machine => ({
    url,
    folder: '.',
    clock: { now: () => Date.now() + aheadMs() },
    uptime: real,
  });

  it('is the same for a worker whose clock is wrong by minutes or is set while it works; its log says so', async () => {
    const url = await openDatabase();
    const right = await openProcess(machineOf(url, () => 0));
    let aheadMs = 0;
    for (const skewMs of [-5 * 60_000, 5 * 60_000]) {
      aheadMs = skewMs;
      const wrong = await openProcess(machineOf(url, () => aheadMs));
      expect(Math.abs(wrong.clock.now() - right.clock.now())).toBeLessThan(toleranceMs);
      expect(Math.abs((wrong.clock.skewMs?.() ?? 0) - skewMs)).toBeLessThan(toleranceMs);
      aheadMs = 24 * hourMs;
      expect(Math.abs(wrong.clock.now() - right.clock.now())).toBeLessThan(toleranceMs);
      await wrong.clock.check();
      expect(Math.abs(wrong.clock.now() - right.clock.now())).toBeLessThan(toleranceMs);
      expect(wrong.clock.jumps()).toEqual([]);
      const text = skewMs < 0 ? /is 5 minutes behind the clock of the store/ : /is 5 minutes ahead of the clock of/;
      expect(wrong.logger.messages('warn')).toEqual([expect.stringMatching(text)]);
    }
    expect(right.logger.messages('warn')).toEqual([]);
  });

  it('gives no lease of a right worker to a wrong one, and none of a dead wrong one a longer life', async () => {
    const url = await openDatabase();
    const right = await openProcess(machineOf(url, () => 0));
    const wrong = await openProcess(machineOf(url, () => 5 * 60_000));
    await right.store.leases.take('run:r1', 'right', ttlMs, right.clock.now());
    expect(await wrong.store.leases.take('run:r1', 'wrong', ttlMs, wrong.clock.now())).toBeUndefined();
    await wrong.store.leases.take('run:r2', 'wrong', ttlMs, wrong.clock.now());
    const end = right.clock.now() + ttlMs + toleranceMs;
    expect(await right.store.leases.take('run:r2', 'right', ttlMs, end)).toMatchObject({ owner: 'right' });
  });

  it('records a jump of the server once, whoever sees it, and moves its leases along', async () => {
    const url = await openDatabase();
    const name = new URL(url).pathname.slice(1);
    // Hides the server's own function from the store's sessions.
    await postgres?.query(
      url,
      `create function public.clock_timestamp() returns timestamptz language sql as 'select pg_catalog.clock_timestamp()';
       alter database ${name} set search_path = public, pg_catalog`,
    );
    const one = await openProcess(machineOf(url, () => 0));
    const two = await openProcess(machineOf(url, () => 0));
    const startedAt = one.clock.now();
    await one.store.leases.take('run:r1', 'one', ttlMs, startedAt);
    await postgres?.query(
      url,
      `create or replace function public.clock_timestamp() returns timestamptz language sql
       as $$ select pg_catalog.clock_timestamp() + interval '25 hours' $$`,
    );
    await one.clock.check();
    await two.clock.check();
    for (const { clock } of [one, two]) {
      expect(clock.jumps()).toHaveLength(1);
      expect(Math.abs(clock.now() - startedAt - 25 * hourMs)).toBeLessThan(toleranceMs);
    }
    expect(await two.store.leases.take('run:r1', 'two', ttlMs, two.clock.now())).toBeUndefined();
    expect(one.logger.messages('error')).toEqual([expect.stringContaining('jumped 25 hours forward')]);
  });
});
