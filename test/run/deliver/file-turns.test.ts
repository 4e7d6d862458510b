import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/core/run/errors.ts';
import type { Submission } from '../../../src/ports/delivery.ts';
import type { FileStatus } from '../../../src/ports/platform.ts';
import { takeFileLease } from '../../../src/run/deliver/file-lease.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { hour, minute, openScene, type Scene, second, settle, takeBatch } from '../run-in-store.ts';

const pending: FileStatus = { kind: 'pending', text: 'Processing', isKnown: true };
const done: FileStatus = { kind: 'done', text: 'Processed' };

function namesOf(sync: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${sync}${i}`);
}

/** Runs of as many syncs of one connection, with one change per file. */
async function openRuns(syncs: number, files: number, deadlineMs = settle.deadlineMs): Promise<readonly Scene[]> {
  const scenes: Scene[] = [];
  for (let i = 0; i < syncs; i += 1) {
    const names = namesOf(`s${i}_`, files);
    const [beside] = scenes;
    scenes.push(
      await openScene({
        run: `run_${i + 1}`,
        settings: { name: `s${i}` },
        changes: names.map((name) => sampleChange(name)),
        batches: names.map((name) => [name]),
        settle: { deadlineMs },
        ...(beside === undefined ? {} : { beside }),
      }),
    );
  }
  return scenes;
}

/** Advances every run when its wait is over, as workers do. Returns the syncs in the order of their files. */
async function playAll(scenes: readonly Scene[]): Promise<string[]> {
  const due = new Map(scenes.map((scene) => [scene, 0]));
  const order: string[] = [];
  const clock = scenes[0]?.clock ?? expect.fail('there is no scene');
  for (let steps = 0; due.size > 0; steps += 1) {
    if (steps > 5000) throw new Error('the runs do not end');
    const [next] = [...due].sort(([, a], [, b]) => a - b);
    if (next === undefined) break;
    const [scene, at] = next;
    clock.jumpTo(Math.max(clock.now(), at));
    const sent = scene.sent.length;
    const outcome = await scene.step();
    if (scene.sent.length > sent) order.push(scene.sync.settings.name);
    if (outcome.kind === 'done') due.delete(scene);
    else due.set(scene, clock.now() + (outcome.kind === 'again' ? outcome.afterMs : 0));
  }
  return order;
}

const lost: Submission = { kind: 'unknown', reason: 'no answer' };

describe('the turns of runs that send files to one connection', () => {
  it('alternate, one file each', async () => {
    const scenes = await openRuns(2, 4);
    expect(await playAll(scenes)).toEqual(['s0', 's1', 's0', 's1', 's0', 's1', 's0', 's1']);
    for (const scene of scenes) expect((await scene.run()).outcome).toBe('succeeded');
  });

  it('never fail a run, however long it waits', async () => {
    const scenes = await openRuns(3, 2, minute);
    for (const { script, users, clock } of scenes) {
      let sentAt = 0;
      script.submit = (batch) => {
        sentAt = clock.now();
        return takeBatch('csv', batch, script, users);
      };
      Object.defineProperty(script, 'status', {
        get: () => (clock.now() < sentAt + 50 * second ? pending : done),
      });
    }
    const order = await playAll(scenes);
    expect(order.slice(0, 3)).toEqual(order.slice(3));
    expect(new Set(order).size).toBe(3);
    for (const scene of scenes) expect(await scene.run()).toMatchObject({ outcome: 'succeeded', reason: undefined });
  });

  it('pass over a run whose process died while it waited, and give it its place again', async () => {
    const [first, dead, third] = await openRuns(3, 1);
    if (first === undefined || dead === undefined || third === undefined) throw new Error('there are three');
    first.script.status = pending;
    await first.step();
    await dead.step();
    await third.step();
    first.script.status = done;
    await first.play();
    expect(await third.step()).toMatchObject({ kind: 'again' });
    third.clock.jumpTo(third.clock.now() + minute);
    await third.step();
    expect(third.sent).toHaveLength(1);
    await dead.step();
    await third.play();
    await dead.play();
    expect((await dead.run()).outcome).toBe('succeeded');
  });

  it('free the connection while a run waits for its next try, and when its plan has nothing left to send', async () => {
    const [first, other] = await openRuns(2, 1);
    if (first === undefined || other === undefined) throw new Error('there are two');
    const failure = { code: 'PLATFORM_UNREACHABLE', retry: 'backoff', effect: 'none', operation: 'POST' } as const;
    first.script.submit = () => Promise.reject(new PlatformError('no answer', failure));
    await expect(first.step()).rejects.toThrow('no answer');
    await other.step();
    expect(other.sent).toHaveLength(1);
  });

  it.each([
    [
      'the platform refuses it',
      ({ script }: Scene) => {
        script.submit = () => ({ kind: 'refused', reason: 'too large' });
      },
    ],
    [
      'no change of it has to be sent',
      ({ script }: Scene) => {
        script.find = () => ({ found: 'unclear', reason: 'read and search disagree' });
      },
    ],
  ])('pass to the next run at once when a file does not go out because %s', async (_why, spoil) => {
    const [first, other] = await openRuns(2, 2);
    if (first === undefined || other === undefined) throw new Error('there are two');
    spoil(first);
    await first.step();
    expect((await first.batches()).map(({ state }) => state)).toEqual(['settled', 'planned']);
    await other.step();
    expect(other.sent).toHaveLength(1);
  });

  it('are taken again before a file goes out when the lookups took long: another run may have the turn by then', async () => {
    const [first, other] = await openRuns(2, 1);
    if (first === undefined || other === undefined) throw new Error('there are two');
    other.script.status = pending;
    first.script.find = async () => {
      // Longer than the lease of a file lasts.
      first.clock.jumpTo(first.clock.now() + hour);
      await other.step();
      return undefined;
    };
    expect(await first.step()).toEqual({ kind: 'next' });
    expect([first.sent.length, other.sent.length]).toEqual([0, 1]);
  });

  it('last for ten minutes more when the lookups took five', async () => {
    const [first, other] = await openRuns(2, 1);
    if (first === undefined || other === undefined) throw new Error('there are two');
    first.script.find = () => void first.clock.jumpTo(first.clock.now() + 5 * minute);
    await first.step();
    expect(first.sent).toHaveLength(1);
    first.clock.jumpTo(first.clock.now() + 10 * minute - 1);
    expect(await other.step()).toMatchObject({ kind: 'again' });
    first.clock.jumpTo(first.clock.now() + 1);
    await other.step();
    expect(other.sent).toHaveLength(1);
  });

  it.each([
    { what: 'of a file that has ended', spoil: () => {}, isFree: true },
    {
      what: 'of a file whose answer was lost',
      spoil: ({ script }: Scene) => Object.assign(script, { submit: () => lost }),
      isFree: false,
    },
    {
      what: 'of a file without a status',
      spoil: ({ script }: Scene) => Object.assign(script, { status: { kind: 'no-status' } }),
      isFree: false,
    },
  ])('are free while the users $what are read back: $isFree', async ({ spoil, isFree }) => {
    const [first, other] = await openRuns(2, 2);
    if (first === undefined || other === undefined) throw new Error('there are two');
    spoil(first);
    await first.step();
    const free: boolean[] = [];
    const ask = async () => {
      const { isTaken } = await takeFileLease((await other.context()).owned, other.io);
      free.push(isTaken);
    };
    first.script.find = async () => void (await ask());
    await first.step();
    await ask();
    expect(new Set(free)).toEqual(new Set([isFree]));
  });

  it('cost a waiting run few queries: it asks more seldom, the more runs are ahead', async () => {
    const scenes = await openRuns(6, 1, hour);
    const waits: unknown[] = [];
    for (const scene of scenes) waits.push(await scene.step());
    expect(waits.slice(1)).toEqual([250, 1000, 1500, 2000, 2500].map((afterMs) => ({ kind: 'again', afterMs })));
    const about = '2 other runs of this connection send a file first';
    expect(scenes[2]?.events.at(-1)).toMatchObject({ step: 'waiting', waiting: { about } });
  });
});

describe('the time, just before a file goes out', () => {
  it('makes the run look again when the lookup became too old meanwhile', async () => {
    const scene = await openScene({ changes: [sampleChange('ana', 'update')] });
    await scene.store.runs.update((await scene.context()).owned, {
      read: { kind: 'full', at: scene.clock.now(), fingerprint: 'f1' },
      delivery: { lookedAt: scene.clock.now() - settle.lookWithinMs + second },
    });
    scene.script.find = () => {
      scene.clock.jumpTo(scene.clock.now() + second);
      return undefined;
    };
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(scene.sent).toEqual([]);
    await scene.step();
    expect(scene.sent).toEqual([['ana']]);
  });

  it('ends a run that was canceled while its users were looked up', async () => {
    const scene = await openScene({ changes: [sampleChange('ana', 'update')] });
    scene.script.find = () => {
      void scene.store.runs.requestCancel('run_1');
      return undefined;
    };
    await scene.play();
    expect(scene.sent).toEqual([]);
    expect((await scene.run()).outcome).toBe('cancelled');
  });
});
