import { describe, expect, it } from 'vitest';
import { refusalReason } from '../../../src/core/plan/refused-create.ts';
import { PlatformError } from '../../../src/core/run/errors.ts';
import type { BatchToSubmit, Submission } from '../../../src/ports/delivery.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { minute, openScene, type Scene, second, settle } from '../run-in-store.ts';

failOnLeaks();

const names = ['ana', 'eva', 'leo', 'tom'];
const changes = names.map((name) => sampleChange(name));
const badRequest: Submission = { kind: 'refused', reason: 'the upload was answered 400', mayBeBusy: true };

/** Refuses each file that holds one of the rows, and takes the others. */
function refuseRows(scene: Scene, rows: readonly string[]): void {
  scene.script.submit = (batch: BatchToSubmit) =>
    batch.changes.some(({ identification }) => rows.includes(identification)) ? badRequest : undefined;
}

describe('an upload that is answered 400', () => {
  it('is sent again after 15 s and after 30 s, and counts only then', async () => {
    const scene = await openScene({ changes });
    scene.script.submit = () => badRequest;
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 15 * second });
    expect(await scene.states()).toMatchObject({ ana: 'planned', tom: 'planned' });
    expect(await scene.batches()).toMatchObject([
      {
        state: 'planned',
        reason: expect.stringContaining('400, which can mean that another file is processing (try 1 of 3)'),
      },
    ]);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 30 * second });
    expect(await scene.step()).toMatchObject({ kind: 'again', afterMs: 0 });
    expect(await scene.run()).toMatchObject({ phase: 'proving' });
    expect((await scene.run()).delivery).not.toHaveProperty('refusedUploads');
    expect(await scene.batches()).toMatchObject([{ state: 'sent', final: 'failed', status: 'refused with 400' }]);
  });

  it('starts to count anew with each file', async () => {
    const scene = await openScene({
      changes,
      batches: [
        ['ana', 'eva'],
        ['leo', 'tom'],
      ],
    });
    let uploads = 0;
    const isRefused = (): boolean => [0, 1, 3, 4].includes(uploads++);
    scene.script.submit = () => (isRefused() ? badRequest : undefined);
    await scene.play();
    expect(await scene.run()).toMatchObject({ outcome: 'succeeded', counts: { applied: 4 } });
    expect(uploads).toBe(6);
  });

  it('is split until the row at fault is alone, and the others are applied', async () => {
    const scene = await openScene({ changes });
    refuseRows(scene, ['leo']);
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'applied', leo: 'failed', tom: 'applied' });
    expect((await scene.reasons()).leo).toBe(
      'the platform says "refused with 400": a file with this row alone also fails',
    );
    expect(await scene.run()).toMatchObject({ outcome: 'partial' });
  });
});

describe('while the platform still processes a file that an earlier run gave up', () => {
  async function openAfterStuckFile(): Promise<Scene> {
    const earlier = await openScene({ changes: [sampleChange('sue')] });
    earlier.script.lands = () => false;
    earlier.script.status = { kind: 'pending', text: 'PROCESSING', isKnown: true };
    await earlier.play();
    expect(await earlier.batches()).toMatchObject([{ state: 'unresolved' }]);
    return openScene({ beside: earlier, run: 'run_2', changes });
  }

  it('a 400 means busy, whatever the number of tries', async () => {
    const scene = await openAfterStuckFile();
    scene.script.submit = () => badRequest;
    scene.script.status = { kind: 'pending', text: 'PROCESSING', isKnown: true };
    for (let i = 0; i < 5; i++) expect(await scene.step()).toEqual({ kind: 'again', afterMs: 15 * second });
    expect((await scene.run()).delivery).not.toHaveProperty('refusedUploads');
    expect((await scene.batches()).at(-1)?.reason).toBe('file file of run_1_b00001 of run run_1 is still processing');
    scene.script.status = { kind: 'done', text: 'PROCESSED' };
    scene.script.submit = undefined;
    await scene.play();
    expect(await scene.run()).toMatchObject({ outcome: 'succeeded', counts: { applied: 4 } });
  });

  it('the run ends as failed, because the platform is busy, at settle.deadline; nobody is changed or split', async () => {
    const scene = await openAfterStuckFile();
    scene.script.submit = () => badRequest;
    scene.script.status = { kind: 'pending', text: 'PROCESSING', isKnown: true };
    const tookMs = await scene.play();
    expect(tookMs).toBeGreaterThanOrEqual(settle.deadlineMs);
    const { outcome, reason } = await scene.run();
    expect(outcome).toBe('failed');
    expect(reason).toMatch(
      /^the platform is busy: nothing more could be sent for 10 min .* file file of run_1_b00001 of run run_1 is still processing$/,
    );
    expect(await scene.batches()).toHaveLength(1);
    expect(Object.values(await scene.states())).toEqual(names.map(() => 'dropped'));
  });

  it.each([
    { what: 'has ended', status: { kind: 'failed', text: 'ERROR' } as const },
    { what: 'has no status', status: { kind: 'no-status' } as const },
    {
      what: 'cannot be asked for',
      status: new PlatformError('no', { code: 'PLATFORM_FAILED', retry: 'backoff', effect: 'none', operation: 'GET' }),
    },
  ])('a 400 counts as a try when that file $what', async ({ status }) => {
    const scene = await openAfterStuckFile();
    scene.script.submit = () => badRequest;
    scene.script.status = status;
    await scene.step();
    expect((await scene.run()).delivery?.refusedUploads).toBe(1);
  });

  it('a 400 counts as a try when the earlier file was lost on its way, or has ended and is not proven yet', async () => {
    const earlier = await openScene({ changes: [sampleChange('sue')] });
    earlier.script.submit = () => ({ kind: 'unknown', reason: 'no answer' });
    await earlier.play();
    const scene = await openScene({ beside: earlier, run: 'run_2', changes, batches: names.map((name) => [name]) });
    await scene.play(async () => scene.sent.length === 1 && (await scene.run()).phase === 'delivering');
    scene.script.submit = () => badRequest;
    scene.script.status = { kind: 'pending', text: 'PROCESSING', isKnown: true };
    await scene.step();
    expect((await scene.run()).delivery?.refusedUploads).toBe(1);
  });

  it('an error that is not of the platform ends the step', async () => {
    const scene = await openAfterStuckFile();
    scene.script.submit = () => badRequest;
    scene.script.status = new TypeError('a bug');
    await expect(scene.step()).rejects.toThrow('a bug');
  });
});

it('is not mistaken for busy because of files that were proven', async () => {
  const earlier = await openScene({ changes: [sampleChange('sue')] });
  await earlier.play();
  const scene = await openScene({ beside: earlier, run: 'run_2', changes });
  scene.script.submit = () => badRequest;
  const before = scene.calls.status;
  await scene.step();
  expect(scene.calls.status).toBe(before);
  expect(scene.clock.now()).toBeGreaterThan(minute);
});

const numbered = (count: number, kind: 'update' | 'disable' = 'update') =>
  Array.from({ length: count }, (_, i) => sampleChange(`u${i + 10}`, kind));

/** Plays a run whose uploads are answered with `answer` where it has one. Returns the rows of each try. */
async function playTries(scene: Scene, answer: (rows: readonly string[]) => Submission | undefined) {
  const tries: number[] = [];
  scene.script.submit = ({ changes: rows }) => {
    tries.push(rows.length);
    return answer(rows.map(({ identification }) => identification));
  };
  await scene.play();
  return tries;
}

describe('a file that is refused for its rows', () => {
  const why = 'the upload was answered 403';
  const otherHalf = 'the platform refuses these rows, and accepted the other half of their file';

  it.each([
    {
      what: 'is halved until the row at fault is alone',
      ...{ rows: 8, bad: ['u13'], maxSplits: 12, tries: [8, 4, 4, 2, 2, 1, 1], splits: 2, failed: ['u13'] },
      finding: `batch 7: 1 change refused (u13). ${why}`,
    },
    {
      what: 'is halved once without a limit, then as often as settle.maxSplits says',
      ...{ rows: 8, bad: ['u10'], maxSplits: 1, tries: [8, 4, 4, 2, 2], splits: 1, failed: ['u10', 'u11'] },
      finding: `batch 4: 2 changes refused (u10, u11). ${why}`,
    },
    {
      what: 'fails with three names and dots where it may not be halved further',
      ...{
        rows: 8,
        bad: ['u10'],
        maxSplits: 0,
        tries: [8, 4, 4],
        splits: undefined,
        failed: ['u10', 'u11', 'u12', 'u13'],
      },
      finding: `batch 2: 4 changes refused (u10, u11, u12, …). ${otherHalf}`,
    },
    {
      what: 'fails as a whole when both halves are refused',
      ...{
        rows: 3,
        bad: ['u10', 'u12'],
        maxSplits: 12,
        tries: [3, 2, 1],
        splits: undefined,
        failed: ['u10', 'u11', 'u12'],
      },
      finding: `batch 3: both halves of 3 changes refused (u10, u11, u12). ${why}`,
    },
  ])('$what', async ({ rows, bad, maxSplits, tries, splits, failed, finding }) => {
    const scene = await openScene({ changes: numbered(rows), settle: { maxSplits } });
    const seen = await playTries(scene, (names) =>
      names.some((name) => bad.includes(name)) ? { kind: 'refused', reason: why } : undefined,
    );
    expect(seen).toEqual(tries);
    const states = Object.entries(await scene.states());
    expect(states.flatMap(([name, state]) => (state === 'failed' ? [name] : []))).toEqual(failed);
    expect(await scene.findings()).toEqual([`batch-failed: ${finding}`]);
    expect((await scene.run()).delivery?.splits).toBe(splits);
    for (const { state, status, final } of await scene.batches())
      expect([state, status, final]).toEqual(
        final === 'done' ? ['settled', 'Processed', 'done'] : ['settled', 'refused', 'failed'],
      );
  });

  it.each([
    { rows: 'halves of a refused file', answer: { kind: 'refused', reason: why } },
    { rows: 'halves of a file that is too large', answer: { kind: 'too-large', reason: why } },
  ] as const)('whose $rows are sent without a lookup: nothing of it was applied', async ({ answer }) => {
    const scene = await openScene({ changes: numbered(4, 'disable') });
    const asked: number[] = [];
    const tries = await playTries(scene, (names) => {
      asked.push(scene.calls.find);
      return names.length === 4 ? answer : undefined;
    });
    expect([tries, asked]).toEqual([
      [4, 2, 2],
      [0, 0, 0],
    ]);
  });

  it('fails alone for a create, with the causes that it may have; of several rows, with what the platform says', async () => {
    const creates = ['ana', 'eva', 'leo'].map((name) => sampleChange(name, 'create'));
    const scene = await openScene({ changes: creates, batches: [['ana'], ['eva', 'leo']] });
    await playTries(scene, () => ({ kind: 'refused', reason: why }));
    expect(await scene.reasons()).toEqual({ ana: refusalReason('create', why), eva: why, leo: why });
  });

  it('of disables counts as such also after another one was refused', async () => {
    const [ana, eva, leo] = [sampleChange('ana'), sampleChange('eva', 'disable'), sampleChange('leo')];
    const scene = await openScene({ changes: [ana, eva, leo], batches: [['ana'], ['eva'], ['leo']] });
    expect(await playTries(scene, () => ({ kind: 'refused', reason: why }))).toHaveLength(2);
    expect((await scene.run()).delivery?.refusedInRow).toEqual({ count: 2, hasDisables: true, isMixed: true });
    const mixed = await openScene({ changes: [eva, leo, ana], batches: [['ana', 'leo'], ['eva']] });
    await playTries(mixed, () => ({ kind: 'refused', reason: why }));
    expect((await mixed.run()).delivery?.refusedInRow).toEqual({ count: 2, hasDisables: true, isMixed: true });
  });

  it.each([
    { kind: 'update', tries: 3, trouble: '3 files or changes in a row were refused' },
    { kind: 'disable', tries: 2, trouble: 'the file of disables and another one were refused' },
  ] as const)('ends the run after $tries in a row ($kind)', async ({ kind, tries, trouble }) => {
    const rows = numbered(4, kind);
    const scene = await openScene({ changes: rows, batches: rows.map(({ identification }) => [identification]) });
    expect(await playTries(scene, () => ({ kind: 'refused', reason: why }))).toHaveLength(tries);
    const { outcome, reason, delivery } = await scene.run();
    expect([outcome, reason]).toEqual(['failed', expect.stringContaining(`${why} ${trouble}, and no write`)]);
    expect(delivery?.refusedInRow?.count).toBe(tries);
    expect(Object.values(await scene.states()).filter((state) => state === 'dropped')).toHaveLength(4 - tries);
  });
});

it('a file that is too large goes in halves at once; its size is known to the rest of the run and to the next one', async () => {
  const tooLarge = (names: readonly string[]): Submission | undefined =>
    names.length > 2 ? { kind: 'too-large', reason: 'the upload was answered 413' } : undefined;
  const scene = await openScene({ changes: numbered(8) });
  expect(await playTries(scene, tooLarge)).toEqual([8, 4, 2, 2, 2, 2]);
  expect(await scene.run()).toMatchObject({ outcome: 'succeeded', counts: { applied: 8 } });
  expect(await scene.findings()).toEqual([
    'file-too-large: the platform refuses a file of 4 rows as too large (413), and accepts 2 rows: files are cut to that size. Set syncs.people.batchRows to 2',
  ]);
  const known = 'files of more than 2 rows are too large for the platform';
  expect((await scene.batches()).slice(0, 3)).toMatchObject([
    { size: 8, state: 'settled', status: 'too large', reason: 'the upload was answered 413' },
    { size: 4, state: 'settled', status: 'too large' },
    { size: 4, state: 'settled', reason: known },
  ]);
  const next = await openScene({ beside: scene, run: 'run_2', changes: numbered(5, 'disable') });
  expect(await playTries(next, tooLarge)).toEqual([2, 2, 1]);
  expect(await next.findings()).toEqual([]);
});

it('a single row that is too large fails, and the others of its file are applied', async () => {
  const scene = await openScene({ changes: numbered(4) });
  const reason = 'the upload was answered 413';
  const tries = await playTries(scene, (names) =>
    names.includes('u11') ? { kind: 'too-large', reason, raw: 'too much' } : undefined,
  );
  expect(tries).toEqual([4, 2, 1, 1, 1, 1]);
  expect(await scene.states()).toEqual({ u10: 'applied', u11: 'failed', u12: 'applied', u13: 'applied' });
  expect((await scene.reasons()).u11).toBe(reason);
  expect(await scene.rawTexts()).toContain('batch 1: too much');
});

it('a file is cut to the size that is known only when more rows than that are left to send', async () => {
  const scene = await openScene({ changes: numbered(4), batches: [['u10', 'u11', 'u12'], ['u13']] });
  const { owned } = await scene.context();
  await scene.store.plans.setStates(owned, [{ identification: 'u10', state: 'failed', reason: 'left out' }]);
  await scene.store.learned.update(owned.run.connection, (known) => ({
    ...known,
    fileRows: { accepted: 2, tooLarge: 3, at: scene.clock.now() },
  }));
  expect(await playTries(scene, () => undefined)).toEqual([2, 1]);
  expect((await scene.batches()).map(({ parent }) => parent)).toEqual([undefined, undefined]);
});
