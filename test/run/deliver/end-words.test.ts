import { describe, expect, it } from 'vitest';
import type { FileStatus } from '../../../src/ports/platform.ts';
import type { LearnedFacts } from '../../../src/ports/store.ts';
import { afterPoll, isReadBackDue, learnEndWord, unnamedWord } from '../../../src/run/deliver/end-words.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { minute, openScene, type Scene, type SceneOptions, second, settle, takeBatch } from '../run-in-store.ts';

const archived: FileStatus = { kind: 'pending', text: 'unknown status', isKnown: false, raw: ' Archived ' };
const released: FileStatus = { kind: 'pending', text: 'Processing', isKnown: true, isReleased: true };
const processing: FileStatus = { kind: 'pending', text: 'Processing', isKnown: true };

it.each<[raw: string | undefined, word: string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  [' Archived ', 'archived'],
  ['Procesado con-éxito_ya', 'procesado con-éxito_ya'],
  ['one two three four five', undefined],
  ['row 7 of Ana', undefined],
  ['a'.repeat(40), 'a'.repeat(40)],
  ['a'.repeat(41), undefined],
])('of the status %j the word is %j', (raw, word) => {
  const status = { kind: 'pending', text: 'unknown status', isKnown: false } as const;
  expect(unnamedWord(raw === undefined ? status : { ...status, raw })).toBe(word);
  expect(unnamedWord({ ...status, raw: raw ?? 'Archived', isKnown: true })).toBeUndefined();
  expect(unnamedWord({ kind: 'done', text: 'Archived' })).toBeUndefined();
});

it('a word stands since the first of the polls of the same file that showed it', () => {
  const first = { batch: 'b1', word: 'archived', isUnnamed: true, isReleased: true, now: 10 };
  const known = { batch: 'b1', since: 10, word: 'archived', isUnnamed: true, isReleased: true } as const;
  const read = { ...known, readBackAt: 15 };
  expect(afterPoll(undefined, first)).toStrictEqual(known);
  expect(afterPoll(read, { ...first, now: 20 })).toStrictEqual(read);
  expect(afterPoll(known, { ...first, now: 20 })).toStrictEqual(known);
  const plain = { ...first, word: undefined, isUnnamed: false, isReleased: false, now: 20 };
  expect(afterPoll(read, plain)).toEqual({ batch: 'b1', since: 20, readBackAt: 15 });
  expect(afterPoll(read, { ...first, batch: 'b2', now: 20 })).toEqual({ ...known, batch: 'b2', since: 20 });
});

it.each([
  { standing: {}, due: false },
  { standing: {}, neverEnds: true, due: true },
  { standing: { isUnnamed: true }, due: true },
  { standing: { isUnnamed: true, since: 101 }, due: false },
  { standing: { isReleased: true, since: 109 }, due: true },
  { standing: { isReleased: true, readBackAt: 80 }, due: true },
  { standing: { isReleased: true, readBackAt: 81 }, due: false },
] as const)('users of a pending file are read back before the deadline: %j', ({ standing, due, ...given }) => {
  const facts = { everyMs: 10, now: 110, sentAt: 50, neverEnds: false, ...given };
  expect(isReadBackDue({ batch: 'b1', since: 100, ...standing }, facts)).toBe(due);
});

describe('the users of a file whose status is no end', () => {
  const changes = ['ana', 'eva'].map((name) => sampleChange(name));
  const learnedBy = (scene: Scene): Promise<LearnedFacts> => scene.store.learned.get('acme');

  /** A run whose file is out, with this status, and has landed except for the rows of `late`. */
  async function fileOut(status: FileStatus, options: Partial<SceneOptions> & { late?: readonly string[] } = {}) {
    const { late = [], ...others } = options;
    const scene = await openScene({ changes, ...others });
    scene.script.lands = ({ identification }) => !late.includes(identification);
    scene.script.status = status;
    await scene.step();
    return scene;
  }

  /** Polls once after so many seconds. */
  async function pollAfter(scene: Scene, seconds: number): Promise<void> {
    scene.clock.jumpTo(scene.clock.now() + seconds * second);
    await scene.step();
  }

  it('are read back when an unnamed status has stood, which is learned, told once, and an end for later files', async () => {
    const scene = await fileOut(archived);
    await scene.step();
    await pollAfter(scene, 4);
    expect([await scene.states(), (await learnedBy(scene)).endWords]).toEqual([
      { ana: 'sent', eva: 'sent' },
      undefined,
    ]);
    await pollAfter(scene, 1);
    expect(await scene.run()).toMatchObject({ phase: 'done', outcome: 'succeeded', counts: { applied: 2 } });
    expect(await learnedBy(scene)).toEqual({ endWords: { archived: scene.clock.now() } });
    const told = (await scene.findings()).filter((text) => text.includes('"archived"'));
    expect(told).toEqual([
      'file-status: files end with the status "archived", which dialect.status does not name; later files are polled until then. Set connections.acme.dialect.status.done: [Processed, Completed, Finished, Done, Success, archived]',
    ]);
    const message = 'an unknown file status was learned as final';
    expect(scene.log.lines).toContainEqual({ level: 'warn', message, fields: { run: 'run_1' } });

    const next = await openScene({ beside: scene, run: 'run_2', changes: [sampleChange('leo')] });
    next.script.status = archived;
    await next.play();
    expect(await next.batches()).toMatchObject([{ final: 'learned', status: 'archived', state: 'settled', polls: 1 }]);
    expect(await next.findings()).toEqual([]);
  });

  it.each([
    { known: { archived: 1 }, final: 'learned', status: 'archived' },
    { known: { stored: 1 }, final: undefined, status: 'unknown status' },
  ])('wait for no other status than a learned one: $known', async ({ known, final, status }) => {
    const scene = await fileOut(archived);
    await scene.store.learned.update('acme', () => ({ endWords: known as Record<string, number> }));
    await scene.step();
    expect(await scene.batches()).toMatchObject([{ final, status }]);
    expect('standing' in ((await scene.run()).delivery ?? {})).toBe(final === undefined);
    expect(await scene.findings()).toHaveLength(final === undefined ? 1 : 0);
  });

  it('keep a learned word that is older than settle.visibleWithin when they show all rows', async () => {
    const scene = await fileOut(archived, { batches: [['ana'], ['eva']] });
    await scene.store.learned.update('acme', () => ({ endWords: { archived: 1 } }));
    await scene.step();
    await pollAfter(scene, (2 * settle.visibleWithinMs) / second);
    await scene.play();
    expect(await scene.batches()).toMatchObject([{ state: 'settled' }, { state: 'settled' }]);
    expect(await learnedBy(scene)).toEqual({ endWords: { archived: 1 } });
  });

  it('teach a word once, though several runs see it', async () => {
    const scene = await openScene({ changes });
    const context = await scene.context();
    for (const at of [1, 2]) {
      scene.clock.jumpTo(scene.clock.now() + at);
      await learnEndWord(context, 'archived', scene.io);
    }
    expect(await learnedBy(scene)).toEqual({ endWords: { archived: scene.clock.now() - 2 } });
    expect(await scene.findings()).toHaveLength(1);
  });

  it('are read back again only after twice the time, and the word is no end while a row lacks', async () => {
    const scene = await fileOut(archived, { late: ['eva'] });
    await scene.step();
    await pollAfter(scene, 10);
    const readBackAt = scene.clock.now();
    expect((await scene.run()).delivery?.standing).toMatchObject({ word: 'archived', isUnnamed: true, readBackAt });
    expect(await scene.batches()).toMatchObject([{ state: 'sent', final: undefined }]);
    const { find } = scene.calls;
    await pollAfter(scene, 9);
    expect(scene.calls.find).toBe(find);
    await pollAfter(scene, 1);
    expect(scene.calls.find).toBe(find + 2);
    expect(await learnedBy(scene)).toEqual({});
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'unresolved' });
    expect(await learnedBy(scene)).toEqual({});
  });

  it('are read back at once when the record no longer blocks others, and nothing is learned of that', async () => {
    const scene = await fileOut(released);
    await scene.step();
    expect((await scene.run()).outcome).toBe('succeeded');
    expect(await learnedBy(scene)).toEqual({});
  });

  it('are read back at the deadline, which is told once; from then on, files of the connection as soon as their status stands', async () => {
    const scene = await fileOut(processing);
    expect(await scene.play()).toBeGreaterThanOrEqual(settle.deadlineMs);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'applied' });
    expect(await learnedBy(scene)).toEqual({ neverEnds: true });
    expect(await scene.findings()).toEqual([
      expect.stringMatching(
        /^file-status: batch 1: the status of its file was still "Processing" at settle.deadline, although all rows are shown.* Set connections.acme.dialect.status.path .* or syncs.people.settle.deadline$/,
      ),
    ]);
    const next = await openScene({ beside: scene, run: 'run_2', changes: [sampleChange('leo')] });
    next.script.status = processing;
    expect(await next.play()).toBeLessThan(minute);
    expect(await next.states()).toEqual({ leo: 'applied' });
    expect(await next.findings()).toEqual([]);
  });

  it('wait for a final status when the upload itself was answered with that word', async () => {
    const scene = await openScene({ changes });
    scene.script.status = archived;
    scene.script.submit = async (batch) =>
      ({ ...(await takeBatch('csv', batch, scene.script, scene.users)), status: archived }) as never;
    await scene.step();
    await scene.step();
    await pollAfter(scene, 10);
    expect([(await scene.run()).outcome, await learnedBy(scene)]).toEqual(['succeeded', {}]);
    await scene.store.learned.update('acme', () => ({ endWords: { archived: 1 } }));
    const next = await openScene({ beside: scene, run: 'run_2', changes: [sampleChange('leo')] });
    next.script.status = archived;
    next.script.lands = () => false;
    next.script.submit = async (batch) =>
      ({ ...(await takeBatch('csv', batch, next.script, next.users)), status: archived }) as never;
    await next.step();
    await next.step();
    expect(await next.batches()).toMatchObject([{ final: undefined, status: 'unknown status' }]);
  });

  it('take a learned word back when they do not show all rows after settle.visibleWithin', async () => {
    const scene = await openScene({ changes });
    await scene.store.learned.update('acme', () => ({ endWords: { archived: 1, stored: 2 } }));
    scene.script.lands = ({ identification }) => identification === 'ana';
    scene.script.status = archived;
    await scene.step();
    await scene.step();
    expect(await scene.batches()).toMatchObject([{ final: 'learned' }]);
    await pollAfter(scene, settle.visibleWithinMs / second);
    expect(await learnedBy(scene)).toEqual({ endWords: { stored: 2 } });
    expect(await scene.batches()).toMatchObject([
      { state: 'sent', final: undefined, finalAt: undefined, status: 'unknown status' },
    ]);
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'unresolved' });
  });
});
