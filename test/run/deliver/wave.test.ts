import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { Change } from '../../../src/core/plan/change.ts';
import { readPlanned } from '../../../src/run/deliver/wave.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { Killed, land, minute, openScene, type Scene, type SceneOptions, second, settle } from '../run-in-store.ts';

failOnLeaks();

/** Disables of `count` users, `perFile` in each file. Disables need no lookup before they are sent. */
function disables(count: number, perFile: number): Pick<SceneOptions, 'changes' | 'batches'> {
  const changes = Array.from({ length: count }, (_, i) => sampleChange(`u${i + 1000}`, 'disable'));
  return { changes, batches: filesOf(changes, perFile) };
}

function creates(count: number, perFile: number): Pick<SceneOptions, 'changes' | 'batches'> {
  const changes = Array.from({ length: count }, (_, i) => sampleChange(`u${i + 1000}`, 'create'));
  return { changes, batches: filesOf(changes, perFile) };
}

function filesOf(changes: readonly Change[], perFile: number): string[][] {
  const names = changes.map(({ identification }) => identification);
  return Array.from({ length: Math.ceil(names.length / perFile) }, (_, i) => {
    return names.slice(i * perFile, (i + 1) * perFile);
  });
}

const statesOf = async (scene: Scene) => (await scene.batches()).map(({ state }) => state);

const someone = (identification: string, enabled = true): User => {
  return { id: `9${identification}`, identification, enabled, fields: {}, unreadable: [] };
};

/** The platform shows what it takes only after `lateMs`. */
function showLate(scene: Scene, lateMs: (file: number) => number): () => void {
  const hidden: { readonly at: number; readonly change: Change }[] = [];
  let files = 0;
  scene.script.submit = ({ id, changes }) => {
    files += 1;
    const at = scene.clock.now() + lateMs(files);
    for (const change of changes) hidden.push({ at, change });
    return { kind: 'file', fileId: `file of ${id}`, fileName: `${id}.csv` };
  };
  const show = (): void => {
    for (const { at, change } of hidden) if (at <= scene.clock.now()) land(change, scene.users);
  };
  return show;
}

describe('a wave of files', () => {
  it('is read back by one scan after the last file, and each file is polled once', async () => {
    const scene = await openScene(disables(400, 100));
    await scene.play();
    expect(scene.calls).toEqual({ find: 0, scan: 1, status: 4 });
    expect((await scene.run()).counts).toMatchObject({ applied: 400 });
    expect(scene.sent.map((rows) => rows.length)).toEqual([100, 100, 100, 100]);
  });

  it('is read back one by one where that needs fewer requests', async () => {
    const scene = await openScene({
      ...disables(60, 20),
      users: Array.from({ length: 940 }, (_, i) => someone(`x${i}`)),
    });
    scene.script.pageSize = 10;
    await scene.play();
    expect(scene.calls.find).toBe(60);
    expect((await scene.run()).counts).toMatchObject({ applied: 60 });
  });

  it('stores nothing of a file that is done before the proof', async () => {
    const scene = await openScene(disables(60, 20));
    await scene.play(async () => scene.sent.length === 3);
    expect((await statesOf(scene)).slice(0, 2)).toEqual(['sent', 'sent']);
    expect(await scene.batches()).toMatchObject([{ final: 'done' }, { final: 'done' }, {}]);
    expect(await readPlanned((await scene.context()).owned, scene.io)).toEqual([]);
    expect(await scene.ledger('u1000')).toBeUndefined();
    expect(Object.values(await scene.states())).not.toContain('applied');
  });

  it('is proven when settle.proofWithin has passed since the oldest file ended', async () => {
    const scene = await openScene(disables(600, 100));
    const plain = scene.script.submit;
    scene.script.submit = async (batch) => {
      scene.clock.jumpTo(scene.clock.now() + settle.proofWithinMs / 2);
      for (const change of batch.changes) land(change, scene.users);
      return plain?.(batch) ?? { kind: 'file', fileId: batch.id, fileName: 'f.csv' };
    };
    await scene.play();
    // After the third file, when the first one is old enough, and after the last one.
    expect(scene.calls.scan).toBe(2);
    expect((await scene.run()).counts).toMatchObject({ applied: 600 });
  });

  it('is proven file by file where settle.proofWithin is 0s', async () => {
    const scene = await openScene({ ...disables(300, 100), settle: { proofWithinMs: 0 } });
    await scene.play();
    expect(scene.calls.scan).toBe(3);
  });

  it('carries a file that is not shown to the next proof, and settles the others', async () => {
    const scene = await openScene({ ...disables(400, 100), settle: { proofWithinMs: second } });
    const show = showLate(scene, (file) => (file === 2 ? minute : 0));
    await scene.play(async () => {
      show();
      return scene.calls.scan === 1;
    });
    scene.clock.jumpTo(scene.clock.now() + minute);
    show();
    await scene.play(async () => {
      show();
      return false;
    });
    expect((await scene.run()).counts).toMatchObject({ applied: 400, failed: 0 });
    expect(scene.sent).toHaveLength(4);
  });

  it('fails a row that is not shown only by a lookup that began settle.visibleWithin after the end of its file', async () => {
    const scene = await openScene(disables(200, 100));
    scene.script.lands = ({ identification }) => identification !== 'u1150';
    const took = await scene.play();
    expect(took).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect((await scene.run()).counts).toMatchObject({ applied: 199, failed: 1 });
    const ended = (await scene.batches()).map(({ finalAt = 0 }) => finalAt);
    expect((await scene.run()).delivery?.provedAt).toBeGreaterThanOrEqual((ended[1] ?? 0) + settle.visibleWithinMs);
  });

  it('waits for the next proof as long as the file that is not shown has waited, not an older one', async () => {
    const scene = await openScene(disables(4, 2));
    scene.script.submit = ({ id }) => ({ kind: 'file', fileId: id, fileName: `${id}.csv` });
    await scene.play(async () => scene.sent.length === 1);
    for (const name of ['u1000', 'u1001']) scene.users.set(name, someone(name, false));
    await scene.step();
    scene.clock.jumpTo(scene.clock.now() + minute);
    await scene.play(async () => scene.sent.length === 2);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 5 * second });
    scene.clock.jumpTo(scene.clock.now() + minute);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 30 * second });
  });

  it('that is read back by a scan looks at the users of later files too, and of calls that were not tried', async () => {
    const scene = await openScene({ ...creates(60, 30), settle: { proofWithinMs: 0 } });
    await scene.play(async () => (await scene.run()).delivery?.provedAt !== undefined);
    const { lookedAt, provedAt } = (await scene.run()).delivery ?? {};
    expect([lookedAt, provedAt]).toEqual([scene.clock.now(), scene.clock.now()]);
    await scene.play();
    expect((await scene.run()).delivery?.lookedAt).toBe(lookedAt);

    const direct = await openScene({ ...creates(30, 30), kind: 'direct' });
    const whole = direct.script.submit;
    direct.script.submit = async ({ onResult }) => {
      direct.script.submit = whole;
      await onResult('u1000', { kind: 'accepted' });
      direct.users.set('u1000', { ...someone('u1000'), fields: { area: 'After', firstName: 'Ana' } });
      direct.users.set('u1001', someone('u1001'));
      direct.clock.jumpTo(direct.clock.now() + minute);
      return { kind: 'direct' };
    };
    await direct.play(async () => (await direct.run()).delivery?.provedAt !== undefined);
    expect((await direct.run()).delivery?.lookedAt).toBe((await direct.run()).delivery?.provedAt);
    expect(await direct.batches()).toMatchObject([{ state: 'planned' }]);
    await direct.play(async () => direct.sent.length === 2);
    expect(await direct.states()).toMatchObject({ u1000: 'applied', u1001: 'failed' });
    expect(direct.sent[1]).toHaveLength(28);
  });

  it('that is read back one by one says nothing about the users of later files', async () => {
    const scene = await openScene({ ...creates(2, 1), settle: { proofWithinMs: 0 } });
    await scene.play(async () => (await statesOf(scene))[0] === 'settled');
    expect(scene.asked).not.toContain('u1001');
    expect((await scene.run()).delivery?.lookedAt).toBeUndefined();
  });

  it('is proven before a change that takes over an e-mail', async () => {
    const [ana, eva] = ['ana', 'eva'].map((name) => sampleChange(name, 'disable'));
    const tom = sampleChange('tom', 'update', { after: { email: 'eva@example.com' }, waitsFor: 'eva' });
    if (ana === undefined || eva === undefined) throw new RangeError('two changes are needed');
    const scene = await openScene({ changes: [ana, eva, tom], batches: [['ana'], ['eva'], ['tom']] });
    await scene.play(async () => scene.sent.length === 3);
    expect((await statesOf(scene)).slice(0, 2)).toEqual(['settled', 'settled']);
  });

  it.each(['cancel', 'reason', 'age'] as const)('is proven before the run stops (%s)', async (why) => {
    const scene = await openScene(disables(60, 20));
    await scene.play(async () => scene.sent.length === 2);
    if (why === 'cancel') await scene.store.runs.requestCancel('run_1');
    if (why === 'reason') await scene.store.runs.update((await scene.context()).owned, { reason: 'ill' });
    if (why === 'age') scene.clock.jumpTo(scene.clock.now() + 24 * 60 * minute);
    await scene.play();
    const { counts } = await scene.run();
    expect(counts).toMatchObject({ applied: 40, unresolved: 0 });
    expect(scene.sent).toHaveLength(2);
  });

  it.each(['batch-sent', 'status-final', 'read-back', 'batch-settled'] as const)(
    'goes on after a kill at %s: nothing is sent twice, and everything is applied once it is shown',
    async (place) => {
      const scene = await openScene(disables(30, 10));
      for (let kill = 0; kill < 2; kill += 1) {
        scene.script.dieAt = place;
        await expect(scene.play()).rejects.toThrow(Killed);
      }
      await scene.play();
      expect(scene.sent.flat()).toHaveLength(30);
      expect((await scene.run()).counts).toMatchObject({ applied: 30, unresolved: 0 });
    },
  );

  it('leaves its users to no other run of the connection', async () => {
    const first = await openScene(disables(60, 20));
    await first.play(async () => first.sent.length === 2);
    const options = { beside: first, run: 'run_2', settings: { name: 'guests' } };
    const other = await openScene({
      ...options,
      changes: [sampleChange('u1003', 'disable'), sampleChange('zoe', 'disable')],
    });
    const { owned } = await other.context();
    expect(await other.store.batches.claimed(owned, ['u1003', 'u1045', 'zoe'])).toEqual(new Set(['u1003']));
    expect((await other.store.batches.unknown(['acme'])).unproven.map(({ run }) => run)).toEqual(['run_1', 'run_1']);
    await first.play();
    expect(await other.store.batches.claimed(owned, ['u1003'])).toEqual(new Set());
  });
});

describe('the lookup before a file', () => {
  it('is the one of the plan while it is young enough', async () => {
    const scene = await openScene({ ...creates(300, 100), delivery: { lookedAt: 0 } });
    await scene.store.runs.update((await scene.context()).owned, {
      delivery: { ...(await scene.run()).delivery, lookedAt: scene.clock.now() },
    });
    await scene.play();
    expect(scene.calls).toMatchObject({ find: 0, scan: 1 });
  });

  it('is one scan for all files where that of the plan is too old', async () => {
    const scene = await openScene(creates(300, 100));
    scene.users.set('u1250', someone('u1250'));
    await scene.play();
    expect(scene.calls).toMatchObject({ find: 0, scan: 2 });
    expect(scene.sent.map((rows) => rows.length)).toEqual([100, 100, 99]);
    expect(await scene.findings()).toEqual([
      'lookup-disagrees: create not sent: the user is on the platform now; the next run checks it again',
    ]);
  });

  it('is the scan of the last proof: it leaves out who has come onto the platform since', async () => {
    const scene = await openScene({ ...creates(300, 100), settle: { proofWithinMs: 0 } });
    await scene.play(async () => scene.sent.length === 1);
    scene.users.set('u1250', someone('u1250'));
    await scene.play();
    expect(scene.calls).toMatchObject({ find: 0, scan: 4 });
    expect(scene.sent.flat()).not.toContain('u1250');
  });
});
