import { describe, expect, it } from 'vitest';
import type { Change } from '../../../src/core/plan/change.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { Killed, minute, openScene, type Scene, type SceneOptions, second, settle } from '../run-in-store.ts';

failOnLeaks();

const changesOf = (count: number): Change[] =>
  Array.from({ length: count }, (_, i) => sampleChange(`u${i + 10}`, 'disable'));

/** A platform that fails every file with one of the bad rows and takes nothing of it; of other files it takes all. */
async function platformWithBad(bad: readonly string[], options: Partial<SceneOptions> & { count: number }) {
  const scene = await openScene({ changes: changesOf(options.count), ...options });
  const take = scene.script.lands;
  scene.script.submit = ({ id, changes }) => {
    const isBad = changes.some(({ identification }) => bad.includes(identification));
    scene.script.status = isBad ? { kind: 'failed', text: 'Rejected' } : { kind: 'done', text: 'Processed' };
    for (const { identification } of isBad ? [] : changes.filter(take)) {
      const user = scene.users.get(identification);
      if (user !== undefined) scene.users.set(identification, { ...user, enabled: false });
    }
    return { kind: 'file', fileId: `file of ${id}`, fileName: `${id}.csv` };
  };
  return scene;
}

async function countsOf(scene: Scene) {
  const { applied, failed } = (await scene.run()).counts;
  return { applied, failed };
}

describe('a file that failed', () => {
  it('is halved until the bad row stands alone; every other row is applied, once', async () => {
    const scene = await platformWithBad(['u14'], { count: 8 });
    await scene.play();
    expect(await countsOf(scene)).toEqual({ applied: 7, failed: 1 });
    expect((await scene.reasons()).u14).toBe('the platform says "Rejected": a file with this row alone also fails');
    expect(scene.sent.map((rows) => rows.length)).toEqual([8, 4, 4, 2, 2, 1, 1]);
    expect((await scene.run()).delivery?.splits).toBe(3);
    expect(await scene.findings()).toEqual([
      'batch-failed: batch 6: the platform says "Rejected": a file with this row alone also fails (u14)',
    ]);
  });

  it('is halved so that each row is in exactly one of the halves', async () => {
    const scene = await platformWithBad(['u10', 'u16'], { count: 7 });
    await scene.play(async () => (await scene.batches()).length === 3);
    const [whole, ...halves] = await scene.batches();
    expect(whole).toMatchObject({ state: 'settled', reason: 'the platform says "Rejected"' });
    expect(halves.map(({ size, number, parent, state }) => ({ size, number, parent, state }))).toEqual([
      { size: 4, number: 2, parent: whole?.id, state: 'planned' },
      { size: 3, number: 3, parent: whole?.id, state: 'planned' },
    ]);
    await scene.play();
    expect(scene.sent.slice(0, 3)).toEqual([
      ['u10', 'u11', 'u12', 'u13', 'u14', 'u15', 'u16'],
      ['u10', 'u11', 'u12', 'u13'],
      ['u14', 'u15', 'u16'],
    ]);
    expect(await countsOf(scene)).toEqual({ applied: 5, failed: 2 });
  });

  it('is not halved further than settle.maxSplits, and says which rows are left', async () => {
    const scene = await platformWithBad(['u10'], { count: 8, settle: { maxSplits: 1 } });
    await scene.play();
    expect(scene.sent.map((rows) => rows.length)).toEqual([8, 4, 4]);
    expect(await countsOf(scene)).toEqual({ applied: 4, failed: 4 });
    expect(await scene.findings()).toEqual([
      'batch-failed: batch 2: the platform says "Rejected": in a failed file of 4 rows (u10, u11, u12, …)',
    ]);
  });

  it('is sent again only in part when some of its rows have landed', async () => {
    const scene = await platformWithBad([], { count: 4 });
    const take = scene.script.submit;
    scene.script.submit = (batch) => {
      scene.script.submit = take;
      const user = scene.users.get('u12');
      if (user !== undefined) scene.users.set('u12', { ...user, enabled: false });
      scene.script.status = { kind: 'failed', text: 'Failed' };
      return { kind: 'file', fileId: batch.id, fileName: 'f.csv' };
    };
    await scene.play();
    expect(scene.sent).toEqual([['u10', 'u11', 'u12', 'u13'], ['u10', 'u11'], ['u13']]);
    expect(await countsOf(scene)).toEqual({ applied: 4, failed: 0 });
    expect(await scene.ledger('u12')).toMatchObject({ owner: 'people' });
  });

  it('is halved anew, losing and doubling no row, by the worker after one that died in between', async () => {
    const scene = await platformWithBad([], { count: 4 });
    const take = scene.script.submit;
    scene.script.submit = (batch) => {
      scene.script.submit = take;
      scene.script.status = { kind: 'failed', text: 'Failed' };
      return { kind: 'file', fileId: batch.id, fileName: 'f.csv' };
    };
    scene.script.dieAt = 'batch-split';
    await expect(scene.play()).rejects.toThrow(Killed);
    await scene.play();
    expect(scene.sent.slice(1)).toEqual([
      ['u10', 'u11'],
      ['u12', 'u13'],
    ]);
    expect(await countsOf(scene)).toEqual({ applied: 4, failed: 0 });
  });
});

it('creates of a failed file that the platform does not know yet go again with their half', async () => {
  const scene = await openScene({
    changes: changesOf(4).map(({ identification }) => sampleChange(identification, 'create')),
  });
  scene.script.submit = ({ id }) => {
    scene.script.submit = undefined;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    return { kind: 'file', fileId: id, fileName: 'f.csv' };
  };
  scene.script.lands = () => {
    scene.script.status = { kind: 'done', text: 'Processed' };
    return true;
  };
  await scene.play();
  expect(scene.sent.map((rows) => rows.length)).toEqual([4, 2, 2]);
  expect(await countsOf(scene)).toEqual({ applied: 4, failed: 0 });
});

describe('the rows of a failed file', () => {
  /** Fails every file of more than one row `lateMs` before it shows those of its rows that are not bad. */
  async function failsButTakes(lateMs: number, options: { readonly count: number; readonly bad: readonly string[] }) {
    const scene = await openScene({ changes: changesOf(options.count) });
    const showAt: { readonly at: number; readonly name: string }[] = [];
    scene.script.submit = ({ id, changes }) => {
      scene.script.status = { kind: 'failed', text: 'Failed' };
      for (const { identification: name } of changes) {
        if (!options.bad.includes(name)) showAt.push({ at: scene.clock.now() + lateMs, name });
      }
      return { kind: 'file', fileId: id, fileName: 'f.csv' };
    };
    scene.script.find = (name) => {
      const user = scene.users.get(name);
      const isShown = showAt.some((late) => late.name === name && late.at <= scene.clock.now());
      return user && { found: true, user: { ...user, enabled: !isShown } };
    };
    return scene;
  }

  it('have settle.visibleWithin to show before it is split, and those that show are not sent again', async () => {
    const scene = await failsButTakes(settle.visibleWithinMs - second, { count: 6, bad: ['u12', 'u14'] });
    await scene.play();
    expect(scene.sent).toEqual([['u10', 'u11', 'u12', 'u13', 'u14', 'u15'], ['u12'], ['u14']]);
    expect(await countsOf(scene)).toEqual({ applied: 4, failed: 2 });
    expect((await scene.run()).delivery).toMatchObject({ failedFile: { seen: 0, showsLate: true }, splits: 1 });
  });

  it('have that time from when the file was known to have failed, not from when it was sent', async () => {
    const scene = await openScene({ changes: changesOf(2) });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'pending', text: 'Processing', isKnown: true };
    await scene.step();
    scene.clock.jumpTo(scene.clock.now() + settle.visibleWithinMs);
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.step();
    scene.clock.jumpTo(scene.clock.now() + settle.visibleWithinMs - 1);
    expect((await scene.step()).kind).toBe('again');
    scene.clock.jumpTo(scene.clock.now() + 1);
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(await scene.batches()).toHaveLength(3);
  });

  it('that all show late leave nothing to split', async () => {
    const scene = await failsButTakes(minute, { count: 3, bad: [] });
    await scene.play();
    expect(scene.sent).toHaveLength(1);
    expect((await scene.run()).outcome).toBe('succeeded');
    expect((await scene.run()).delivery?.failedFile).toMatchObject({ seen: 0, showsLate: true });
  });

  it('have that time in every file of a run whose first one showed rows late', async () => {
    const scene = await failsButTakes(minute, { count: 8, bad: ['u10', 'u11', 'u12', 'u13'] });
    const took = await scene.play();
    // The first file, its two halves, and the four single rows that are bad. Two halves of a file share their proof.
    expect(scene.sent.map((rows) => rows.length)).toEqual([8, 2, 2, 1, 1, 1, 1]);
    expect(took).toBeGreaterThanOrEqual(4 * settle.visibleWithinMs);
  });

  it.each([
    { name: 'showed nothing', bad: ['u10', 'u11', 'u12', 'u13'], seen: 0 },
    { name: 'showed all it took at once', bad: ['u10', 'u11'], seen: 2 },
  ])('have that time once in a run whose first failed file $name', async ({ bad, seen }) => {
    const scene = await failsButTakes(0, { count: 4, bad });
    const took = await scene.play();
    expect((await scene.run()).delivery?.failedFile).toMatchObject({ seen, showsLate: false });
    expect(took).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect(took).toBeLessThan(settle.visibleWithinMs + minute);
    expect(scene.sent.length).toBeGreaterThan(2);
  });

  it('of another file say nothing about whether the rows of the first one show late', async () => {
    const scene = await openScene({
      changes: changesOf(4),
      batches: [
        ['u10', 'u11'],
        ['u12', 'u13'],
      ],
    });
    scene.script.submit = ({ id }) => ({ kind: 'file', fileId: id, fileName: 'f.csv' });
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play(async () => (await scene.run()).delivery?.failedFile !== undefined);
    expect((await scene.run()).delivery?.failedFile).toEqual({ seen: 0, batch: 'run_1_b00001' });
    await scene.store.runs.update((await scene.context()).owned, { phase: 'delivering' });
    await scene.store.batches.update((await scene.context()).owned, 'run_1_b00002', {
      state: 'sent',
      sentAt: scene.clock.now(),
      final: 'failed',
      finalAt: scene.clock.now(),
    });
    for (const name of ['u12', 'u13']) {
      const user = scene.users.get(name);
      if (user !== undefined) scene.users.set(name, { ...user, enabled: false });
    }
    await scene.step();
    await scene.step();
    expect((await scene.run()).delivery?.failedFile).toEqual({ seen: 0, batch: 'run_1_b00001' });
  });

  it('are not sent again while read and search disagree about one of them: they are unresolved', async () => {
    const scene = await openScene({ changes: changesOf(3), delivery: { failedFile: { seen: 0, showsLate: false } } });
    scene.script.lands = ({ identification }) => identification === 'u10';
    scene.script.status = { kind: 'failed', text: 'Failed' };
    scene.script.find = (name) =>
      name === 'u11' ? { found: 'unclear', reason: 'read and search disagree' } : undefined;
    await scene.step();
    await scene.step();
    const finalAt = scene.clock.now();
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs - 1);
    expect((await scene.step()).kind).toBe('again');
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ u10: 'applied', u11: 'unresolved', u12: 'unresolved' });
    await scene.play();
    expect(scene.sent).toHaveLength(1);
  });

  it('that show nothing by nature have failed, not been taken', async () => {
    const hidden = sampleChange('ana', 'update', { after: { job: 'Baker' }, changed: ['job'] });
    const scene = await openScene({ changes: [hidden] });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play();
    expect([await scene.states(), await scene.ledger('ana')]).toEqual([{ ana: 'failed' }, undefined]);
  });

  it('that someone else has edited are not sent again', async () => {
    const scene = await openScene({ changes: ['ana', 'eva', 'leo'].map((name) => sampleChange(name)) });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.step();
    const ana = scene.users.get('ana');
    if (ana !== undefined) scene.users.set('ana', { ...ana, fields: { area: 'Elsewhere', firstName: 'Ana' } });
    await scene.play();
    expect(scene.sent.slice(1).flat()).not.toContain('ana');
    expect((await scene.reasons()).ana).toBe('area was changed by another person or system');
    expect(await scene.findings()).toContain(
      'changed-elsewhere: area was changed by another person or system; the next run plans again',
    );
    expect(await scene.ledger('ana')).toBeUndefined();
  });
});

describe('a platform that is ill', () => {
  it('is recognised by seven failed files and a failed row alone, of which nothing landed: the rest is not sent', async () => {
    const everybody = changesOf(40).map(({ identification }) => identification);
    const scene = await platformWithBad(everybody, { count: 40 });
    await scene.play();
    expect(scene.sent).toHaveLength(8);
    expect(scene.sent[7]).toHaveLength(1);
    const { outcome, reason } = await scene.run();
    expect([outcome, reason]).toEqual([
      'failed',
      '8 files in a row failed, and no change was applied. The platform does not seem to process files, so the rest was not sent',
    ]);
    expect(await scene.findings()).toContain(`platform-ill: ${reason}`);
    expect(Object.values(await scene.states()).filter((state) => state === 'applied')).toEqual([]);
  });

  it('is not suspected for a bad row in each quarter of the first file: each stands alone in the end', async () => {
    const scene = await platformWithBad(['u12', 'u22', 'u32', 'u42'], { count: 40, settle: { maxSplits: 100 } });
    await scene.play();
    expect(await countsOf(scene)).toEqual({ applied: 36, failed: 4 });
    const [probe, ...others] = scene.sent.slice(7);
    expect(probe).toHaveLength(1);
    expect(others.flat()).not.toContain(probe?.[0]);
    expect((await scene.run()).outcome).toBe('partial');
  });

  it('is asked with a single row although settle.maxSplits is used up', async () => {
    const bad = changesOf(40).map(({ identification }) => identification);
    const scene = await platformWithBad(bad, { count: 40, settle: { maxSplits: 3 } });
    await scene.play();
    expect(scene.sent).toHaveLength(8);
    expect((await scene.run()).outcome).toBe('failed');
  });

  it('is not suspected while it applies the good rows of the files that it fails', async () => {
    const changes = changesOf(28);
    const names = changes.map(({ identification }) => identification);
    const batches = Array.from({ length: 7 }, (_, i) => names.slice(i * 4, i * 4 + 4));
    const bad = batches.flatMap((file) => file.slice(0, 2));
    const delivery = { failedFile: { seen: 0, showsLate: false } };
    const scene = await openScene({ changes, batches, delivery });
    scene.script.lands = ({ identification }) => !bad.includes(identification);
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play();
    expect(await countsOf(scene)).toEqual({ applied: 14, failed: 14 });
    expect(scene.sent).toHaveLength(21);
    expect((await scene.findings()).filter((text) => text.startsWith('platform-ill'))).toEqual([]);
  });

  it('is not suspected while one file of the run was taken', async () => {
    const bad = changesOf(41).map(({ identification }) => identification);
    const names = bad.splice(0, 1);
    const scene = await platformWithBad(bad, { count: 41, batches: [names, bad] });
    await scene.play();
    expect(scene.sent.length).toBeGreaterThan(8);
    expect((await scene.run()).outcome).toBe('partial');
  });
});
