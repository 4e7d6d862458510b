import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { describeRun, findChanges, findRuns } from '../../src/app/runs.ts';
import type { Run } from '../../src/ports/store.ts';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Row } from '../support/office.ts';
import type { Child } from './child.ts';
import {
  expectPromisesKept,
  type KillWorld,
  leaseEndsMs,
  openKillWorld,
  runToTheEnd,
  type WorldOptions,
} from './kill-world.ts';

const users = employees(3);
const people = employees(6, { E2: { last: 'Núñez' }, E3: { status: 'left' } });

function open(options: Partial<WorldOptions> = {}): Promise<KillWorld> {
  return openKillWorld({
    users,
    employees: people,
    speed: 15,
    ...options,
    sync: { delivery: 'csv', ...options.sync },
  });
}

async function started(world: KillWorld): Promise<Child> {
  const child = world.command({ command: 'start' });
  await child.line('ready');
  return child;
}

async function stopped(child: Child): Promise<void> {
  child.process.kill('SIGTERM');
  expect(await child.ended).toMatchObject({ code: 0, signal: null, errors: '', result: { stopped: true } });
}

async function result(child: Child): Promise<Record<string, unknown>> {
  const ended = await child.ended;
  expect(ended.errors).toBe('');
  return ended.result ?? {};
}

function runsOf(world: KillWorld): Promise<readonly Run[]> {
  return world.here((app) => findRuns(app, { limit: 100 }));
}

/** Waits until as many runs have ended, and gives all there are. */
async function untilEnded(world: KillWorld, count: number): Promise<readonly Run[]> {
  return world.here(async (app) => {
    for (;;) {
      const runs = await findRuns(app, { limit: 100 });
      if (runs.filter(({ phase }) => phase === 'done').length >= count) return runs;
      await wait(20);
    }
  });
}

/** No two runs of a sync were under way at one time. */
function expectNoOverlap(runs: readonly Run[]): void {
  const inOrder = runs.toSorted((a, b) => a.startedAt - b.startedAt);
  for (const [i, run] of inOrder.entries()) {
    const next = inOrder[i + 1];
    if (next !== undefined) expect(next.startedAt).toBeGreaterThanOrEqual(run.endedAt ?? Number.POSITIVE_INFINITY);
  }
}

describe('beside a running start', () => {
  it('apply reports its own run, resync is picked up within seconds, and a second start is refused', async () => {
    const world = await open();
    const start = await started(world);
    const report = await result(world.command({ command: 'apply' }));
    expect(report.run).toMatchObject({ trigger: 'manual', outcome: 'succeeded', counts: { applied: 5 } });
    const own = (await result(world.command({ command: 'apply' }))).run as Run;
    expect(own).toMatchObject({ trigger: 'manual', outcome: 'nothing-to-do' });
    expect(own.id).not.toBe((report.run as Run).id);
    const askedAt = world.clock.now();
    expect(await result(world.command({ command: 'resync' }))).toMatchObject({ kind: 'queued' });
    const [again] = await untilEnded(world, 3);
    expect(again).toMatchObject({ trigger: 'resync', outcome: 'nothing-to-do' });
    // Mostly the start of the process that asks, which takes real time while this clock runs faster.
    expect((again?.startedAt ?? 0) - askedAt).toBeLessThan(120_000);
    const second = await world.command({ command: 'start' }).ended;
    expect(second).toMatchObject({ code: 1, result: { error: expect.stringContaining('only one may run') } });
    await stopped(start);
    expect(await runsOf(world)).toHaveLength(3);
    await expectPromisesKept(world, people);
  });

  it('many shells at once start one run per request or share one, and none overlap', async () => {
    const world = await open();
    const start = await started(world);
    const commands = ['apply', 'resync', 'apply', 'resync'] as const;
    const reports = await Promise.all(commands.map((command) => result(world.command({ command }))));
    expect(reports.map((report) => (report.kind === 'queued' ? 'queued' : (report.run as Run).phase))).toEqual([
      'done',
      'queued',
      'done',
      'queued',
    ]);
    await world.here(async (app) => {
      while ((await findRuns(app, { limit: 100 })).some(({ phase }) => phase !== 'done')) await wait(20);
    });
    await wait(300);
    await stopped(start);
    const runs = await runsOf(world);
    expect(runs.length).toBeGreaterThanOrEqual(1);
    expect(runs.length).toBeLessThanOrEqual(4);
    expect(runs.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    expectNoOverlap(runs);
    await expectPromisesKept(world, people);
  });

  it('approve has start deliver what was held', async () => {
    const everyone = employees(12);
    const leaving = everyone.map((row, i): Row => (i < 7 ? { ...row, status: 'left' } : row));
    const world = await open({ users: everyone, employees: leaving });
    const start = await started(world);
    const held = (await result(world.command({ command: 'apply' }))).run as Run;
    expect(held).toMatchObject({ outcome: 'held', counts: { held: 7 } });
    expect(world.sandbox.state.log).toEqual([]);
    const verdict = await result(world.command({ command: 'approve', run: held.id }));
    expect(verdict).toMatchObject({ changes: 7, isDeploymentRunning: true });
    const [approved] = await untilEnded(world, 2);
    expect(approved).toMatchObject({ trigger: 'approval', outcome: 'succeeded', counts: { disable: 7, applied: 7 } });
    await stopped(start);
  });
});

describe('two shells without a start', () => {
  it('that apply at once do each change once, and both report a run', async () => {
    const world = await open();
    const reports = await Promise.all([1, 2, 3].map(() => result(world.command({ command: 'apply' }))));
    for (const { run } of reports) expect(['succeeded', 'nothing-to-do']).toContain((run as Run).outcome);
    const runs = await runsOf(world);
    expect(runs.filter(({ outcome }) => outcome === 'succeeded')).toHaveLength(1);
    expectNoOverlap(runs);
    await expectPromisesKept(world, people);
  });
});

describe('start', () => {
  /** Until a file is on the platform and being processed. */
  async function untilUploaded(world: KillWorld, files = 1): Promise<void> {
    while (world.sandbox.state.files.size < files) await wait(5);
  }

  it.each(drawFrom(['csv', 'direct'] as const, 2))(
    'asked to end stops at a safe point: what it was sending is known (%s)',
    async (delivery) => {
      const sync = delivery === 'csv' ? { batchRows: 1 } : { delivery, policy: 'upsert-only' };
      const active = employees(6, { E2: { last: 'Núñez' } });
      const world = await open({ employees: active, sync });
      world.setFaults(delivery === 'csv' ? 'upload:slow=150@2' : 'create:slow=150@2');
      const start = await started(world);
      expect(await result(world.command({ command: 'resync' }))).toMatchObject({ kind: 'queued' });
      const operation = delivery === 'csv' ? 'upload' : 'create';
      while (world.sandbox.state.requests[operation] < 2) await wait(2);
      await stopped(start);
      const sent = world.sandbox.state.requests[operation];
      expect(sent, 'the call under way ended, no further one began').toBe(2);
      const [run] = await runsOf(world);
      expect(run).toMatchObject({ outcome: undefined });
      await world.here(async (app) => {
        const { batches } = await describeRun(app, run?.id ?? '');
        // A file has its receipt. Direct calls stay in one open batch whose every call has its answer.
        if (delivery === 'csv') expect(batches.map(({ state }) => state)).not.toContain('sending');
        const states = (await findChanges(app, run?.id ?? '', { limit: 100 })).map(({ state }) => state);
        expect(states).not.toContain('unresolved');
      });
      // No lease is left: the next one goes on at once.
      const report = await world.apply();
      expect(report.resumed).toMatchObject([
        { id: run?.id, outcome: 'succeeded', counts: { unresolved: 0, repeated: 0 } },
      ]);
      await expectPromisesKept(world, active);
    },
  );

  it('killed is followed by another after its lease, which takes its run up', async () => {
    const world = await open({ sync: { batchRows: 2 } });
    const first = await started(world);
    await result(world.command({ command: 'resync' }));
    await untilUploaded(world);
    first.process.kill('SIGKILL');
    await first.ended;
    // No jump of the clock: the other one waits for the lease by itself.
    const second = world.command({ command: 'start' });
    await second.line('ready');
    const runs = await untilEnded(world, 1);
    expect(runs).toHaveLength(1);
    await stopped(second);
    await runToTheEnd(world);
    await expectPromisesKept(world, people);
  });

  it('runs its schedule, one run for a slot, also when shells apply in that very minute', async () => {
    const world = await open({
      speed: 60,
      sync: { schedule: { cron: '* * * * *', timezone: 'UTC' } },
    });
    const start = await started(world);
    const applied = await result(world.command({ command: 'apply' }));
    expect((applied.run as Run).phase).toBe('done');
    const runs = await untilEnded(world, 4);
    await stopped(start);
    expectNoOverlap(runs.filter(({ phase }) => phase === 'done'));
    world.clock.jump(leaseEndsMs);
    await runToTheEnd(world);
    await expectPromisesKept(world, people);
  });
});

describe('cancel', () => {
  it.each(drawFrom(['start', 'apply'] as const, 2))(
    'stops a run of %s before its next batch, and nothing is lost',
    async (driver) => {
      const processingMs = 900_000;
      const world = await open({ sync: { batchRows: 1 }, faults: [`file:processing=${processingMs}@1`] });
      const child = driver === 'start' ? await started(world) : world.command({ command: 'apply' });
      if (driver === 'start') await result(world.command({ command: 'resync' }));
      while (world.sandbox.state.files.size < 1) await wait(5);
      const [running] = await runsOf(world);
      await result(world.command({ command: 'cancel', run: running?.id ?? '' }));
      // Only the platform's clock jumps: the process keeps its lease.
      world.clock.jump(processingMs);
      const [run] = await untilEnded(world, 1);
      expect(world.sandbox.state.files.size).toBe(1);
      expect(run).toMatchObject({
        id: running?.id,
        outcome: 'cancelled',
        counts: { applied: 1, unresolved: 0, failed: 0 },
      });
      if (driver === 'start') await stopped(child);
      else expect((await result(child)).run).toMatchObject({ outcome: 'cancelled' });
      const states = await world.here((app) => findChanges(app, run?.id ?? '', { limit: 100 }));
      expect(states.map(({ state }) => state).toSorted()).toEqual([
        'applied',
        'dropped',
        'dropped',
        'dropped',
        'dropped',
      ]);
      const ended = await world.command({ command: 'cancel', run: run?.id ?? '' }).ended;
      expect(ended).toMatchObject({ code: 1, result: { error: expect.stringContaining('has already ended') } });
      await runToTheEnd(world);
      await expectPromisesKept(world, people);
    },
  );

  it('of a run whose process was killed lets the file that is out be settled first', async () => {
    const world = await open({ sync: { batchRows: 1 } });
    // Checkpoints of the first batch: sending, accepted, sent.
    const dead = await world.command({ command: 'apply', die: { at: 'checkpoint', n: 9 } }).ended;
    expect(dead.lines.at(-1)).toBe('died at batch-sent');
    const [left] = await runsOf(world);
    await result(world.command({ command: 'cancel', run: left?.id ?? '' }));
    world.clock.jump(leaseEndsMs);
    const report = await world.apply();
    expect(report.resumed).toMatchObject([{ outcome: 'cancelled', counts: { applied: 1, unresolved: 0 } }]);
    expect(report.run.outcome).toBe('succeeded');
    await expectPromisesKept(world, people);
  });
});
