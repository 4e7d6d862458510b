import { describe, expect, it } from 'vitest';
import { RollcallError } from '../../src/core/run/errors.ts';
import { noPlan, type PlanFacts } from '../../src/core/run/facts.ts';
import type { ChangeState } from '../../src/core/run/run.ts';
import type { RunEffects } from '../../src/ports/runs.ts';
import type { Run, RunPatch } from '../../src/ports/store.ts';
import { advanceRun } from '../../src/run/advance-run.ts';
import { takeFileLease } from '../../src/run/deliver/file-lease.ts';
import { failRun, finishRun } from '../../src/run/finish-run.ts';
import { sampleChange } from '../contracts/store-samples.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { Killed, minute, openScene } from './run-in-store.ts';

failOnLeaks();

const three = ['ana', 'eva', 'leo'].map((name) => sampleChange(name));

describe('ending a run', () => {
  it('that fails while a file is out leaves the file unresolved and drops what was not sent', async () => {
    const scene = await openScene({ changes: three, batches: [['ana', 'eva'], ['leo']] });
    await scene.step();
    expect(await finishRun(await scene.context(), scene.io, 'the disk is full')).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved', leo: 'dropped' });
    expect((await scene.reasons()).ana).toBe('the run ended before its effect was known');
    expect(await scene.batches()).toMatchObject([
      { state: 'unresolved', finalAt: scene.clock.now() },
      { state: 'settled', finalAt: undefined, reason: 'not sent: the run ended first' },
    ]);
    expect(await scene.findings()).toEqual([
      'unresolved: 1 batch was still without an outcome when the run ended: later runs first check whether the changes were applied',
    ]);
    const run = await scene.run();
    expect(run).toMatchObject({ phase: 'done', outcome: 'failed', reason: 'the disk is full' });
    expect(run).toMatchObject({ endedAt: scene.clock.now(), counts: { unresolved: 2 } });
  });

  it('leaves a batch unresolved whose worker died while it was sending', async () => {
    const scene = await openScene({ changes: three });
    scene.script.dieAt = 'batch-sending';
    await expect(scene.step()).rejects.toThrow(Killed);
    await finishRun(await scene.context(), scene.io, 'no longer configured');
    expect(await scene.batches()).toMatchObject([{ state: 'unresolved' }]);
    expect((await scene.run()).counts).toMatchObject({ unresolved: 3, applied: 0 });
  });

  it('that was killed while it dropped what was not sent still ends with the reason of the failure', async () => {
    const scene = await openScene({ changes: three });
    const { plans } = scene.store;
    const setStates = () => Promise.reject(new Killed());
    const io = { ...scene.io, store: { ...scene.store, plans: { ...plans, setStates } } };
    await expect(finishRun(await scene.context(), io, 'the disk is full')).rejects.toThrow(Killed);
    await finishRun(await scene.context(), scene.io);
    expect(await scene.run()).toMatchObject({ phase: 'done', outcome: 'failed', reason: 'the disk is full' });
  });

  it('that failed while it planned, and was killed before it ended, ends with the reason and reads nothing', async () => {
    const scene = await openScene({ changes: [] });
    await scene.store.runs.update((await scene.context()).owned, { phase: 'planning', reason: 'the disk is full' });
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.run()).toMatchObject({ phase: 'done', outcome: 'failed', reason: 'the disk is full' });
  });

  it('twice changes nothing the second time', async () => {
    const scene = await openScene({ changes: three });
    await scene.play();
    const before = await scene.run();
    scene.clock.jumpTo(scene.clock.now() + minute);
    expect(await finishRun(await scene.context(), scene.io, 'again')).toMatchObject({ kind: 'done' });
    expect(await scene.run()).toEqual(before);
  });

  it('gives the file lease back, and never that of another run', async () => {
    const scene = await openScene({ changes: three });
    const next = await openScene({ beside: scene, run: 'run_2', settings: { name: 'guests' }, changes: [] });
    const last = await openScene({ beside: scene, run: 'run_3', settings: { name: 'third' }, changes: [] });
    await scene.play();
    const { owned } = await next.context();
    expect((await takeFileLease(owned, next.io)).isTaken).toBe(true);
    await last.play();
    expect((await takeFileLease((await scene.context()).owned, scene.io)).isTaken).toBe(false);
    await next.play();
    expect((await takeFileLease((await scene.context()).owned, scene.io)).isTaken).toBe(true);
  });

  it('drops more changes than one write holds', async () => {
    const many = Array.from({ length: 1001 }, (_, i) => sampleChange(`u${i + 1000}`));
    const scene = await openScene({ changes: many });
    await scene.store.runs.requestCancel('run_1');
    await scene.play();
    expect((await scene.store.plans.count('run_1')).states).toMatchObject({ dropped: 1001, planned: 0 });
    expect((await scene.run()).reason).toBe('cancelled: 1001 changes not sent');
  });

  it('logs what became of it, without a name', async () => {
    const scene = await openScene({ changes: three });
    await scene.play();
    expect(scene.log.lines.at(-1)).toMatchObject({
      message: 'run ended',
      fields: { run: 'run_1', sync: 'people', outcome: 'succeeded', update: 3, failed: 0, unresolved: 0, ms: 250 },
    });
    expect(scene.log.text()).not.toMatch(/ana|eva|leo/);
  });

  it('with trouble warns of the first five batches that failed, with their file, and not of those that were split', async () => {
    const changes = Array.from({ length: 8 }, (_, i) => sampleChange(`u${i}`, 'disable'));
    const names = changes.map(({ identification }) => identification);
    const files = [names.slice(0, 2), ...names.slice(2).map((name) => [name])];
    const delivery = { failedFile: { seen: 0, showsLate: false } };
    const scene = await openScene({ changes, batches: files, delivery });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play();
    const last = scene.log.lines.at(-1) ?? expect.fail('nothing was logged');
    expect(last).toMatchObject({ level: 'warn', message: 'run ended', fields: { outcome: 'failed' } });
    const { reason, failures } = last.fields as { readonly reason: string; readonly failures: readonly string[] };
    expect(reason).toBe((await scene.run()).reason);
    expect(failures).toHaveLength(6);
    expect(failures[0]).toMatch(/^batch 2 \(1 row\), file file of run_1_b00002: /);
    expect(failures[5]).toContain('more');
  });

  it('because of a bug says only that it was unexpected and where', async () => {
    const scene = await openScene({ changes: three });
    await failRun(await scene.context(), new TypeError('x is no function'), scene.io);
    expect(await scene.run()).toMatchObject({
      outcome: 'failed',
      reason: expect.stringMatching(/^unexpected: TypeError at test\/run\/finish-run/),
    });
  });

  it('because the HR system refuses the credentials says that the schedule waits, and marks the run for it', async () => {
    const scene = await openScene({ changes: three });
    const error = new RollcallError('the HR system answered 401', { code: 'SOURCE_REFUSED', raw: 'locked soon' });
    await failRun(await scene.context(), error, scene.io);
    const { outcome, reason, end } = await scene.run();
    expect(outcome).toBe('failed');
    expect(reason).toMatch(
      /^the HR system answered 401 The schedule now waits until .* UTC, longer .*"rollcall resync people"/,
    );
    const refusedUntil = scene.clock.now() + 3_600_000;
    expect(end).toEqual({ failure: 'SOURCE_REFUSED', refusedUntil, reasons: [reason], created: 0 });
    expect(await scene.rawTexts()).toEqual(['end of the run: locked soon']);
  });

  it('keeps the text of an unexpected error beside the run, and ends it even where that fails', async () => {
    const scene = await openScene({ changes: three });
    const { store } = scene;
    const add = () => Promise.reject(new TypeError('the disk is full'));
    const io = { ...scene.io, store: { ...store, rawTexts: { ...store.rawTexts, add } } };
    await failRun(await scene.context(), new TypeError('x is no function'), io);
    expect((await scene.run()).outcome).toBe('failed');
    expect(scene.log.lines[0]).toEqual({
      level: 'warn',
      message: 'a raw answer of another system could not be stored with the run',
      fields: { run: 'run_1', about: 'raw text' },
    });
    const other = await openScene({ beside: scene, run: 'run_2', settings: { name: 'guests' }, changes: [] });
    await failRun(await other.context(), new TypeError('x is no function'), other.io);
    expect(await other.rawTexts()).toEqual(['end of the run: TypeError: x is no function']);
  });

  it.each(['done', 'a phase of a newer version'])('is not continued in phase "%s"', async (phase) => {
    const scene = await openScene({ changes: three });
    const { owned, ...context } = await scene.context();
    const run = { ...owned.run, phase: phase as 'done' };
    expect(await advanceRun({ ...context, owned: { ...owned, run } }, scene.io)).toMatchObject({ kind: 'done' });
    expect(scene.sent).toEqual([]);
  });
});

/** Ends a run that the store shows so, and returns what is stored with its end. */
async function endOf(over: object, states: Partial<Record<ChangeState, number>> = {}) {
  const scene = await openScene({ changes: [] });
  const { runs, baselines, plans } = scene.store;
  const plain = { ...(await scene.run()), trigger: 'schedule', plan: noPlan, outcome: undefined };
  const stored: { patch: RunPatch; also: RunEffects }[] = [];
  let advanced = 0;
  const store = {
    ...scene.store,
    runs: {
      ...runs,
      get: async () => ({ ...plain, ...over }) as Run,
      update: (async (owned, patch, also = {}) => {
        stored.push({ patch, also });
        return owned;
      }) as typeof runs.update,
    },
    baselines: {
      ...baselines,
      advance: async () => {
        advanced += 1;
      },
    },
    plans: {
      ...plans,
      count: async (id: string) => {
        const count = await plans.count(id);
        return { ...count, states: { ...count.states, ...states } };
      },
    },
  };
  await finishRun(await scene.context(), { ...scene.io, store });
  const { patch, also } = stored.at(-1) ?? expect.fail('nothing was stored');
  return { patch, also, plain, places: scene.places, last: scene.log.lines.at(-1), writes: stored.length, advanced };
}

describe('the end of a run', () => {
  const read = { kind: 'full', at: 5, fingerprint: 'f1' } as const;
  const mark = { at: 5, fullAt: 5, fullRun: 'run_1', fingerprint: 'f1' };
  const before = { at: 1, fullAt: 1, fullRun: 'run_0', fingerprint: 'f1' };

  const found = (plan: Partial<PlanFacts>) => ({ read, plan: { ...noPlan, ...plan } });

  it.each<[what: string, over: Partial<Run>, states: object, after: object | undefined]>([
    ['that processed all people of a full read', { read }, {}, mark],
    ['of another kind of read', { read: { ...read, kind: 'delta' } }, {}, { ...before, at: 5 }],
    ['that read nothing', {}, {}, before],
    ['that asks for a full read', found({ needsFull: true }), {}, undefined],
    ['of which some people were postponed', found({ postponed: 1 }), {}, undefined],
    ['of which only rejected changes were dropped', found({ rejected: 2 }), { dropped: 2 }, mark],
    ['of which other changes were dropped', found({ rejected: 1 }), { dropped: 2 }, undefined],
    ['of which changes were dropped and none rejected', { read }, { dropped: 1 }, undefined],
  ])('%s decides from where the next one reads', async (_, over, states, after) => {
    const { also } = await endOf(over, states);
    expect(also.watermark?.(before)).toEqual(after);
  });

  it.each([
    { what: 'that did its work', states: { applied: 1 }, level: 'info' },
    { what: 'of which a change failed', states: { failed: 1 }, level: 'warn' },
    { what: 'that failed', over: { reason: 'no right' }, level: 'warn' },
    { what: 'that was canceled', over: { isCancelRequested: true }, level: 'info' },
  ])('$what is told in the log as $level', async ({ over = {}, states = {}, level }) => {
    const { last, patch, places } = await endOf(over, states);
    expect(last).toMatchObject({ level, message: 'run ended', fields: { outcome: patch.outcome, ms: 0 } });
    const told = last?.fields ?? {};
    expect(['failures' in told, told.reason]).toEqual([level === 'warn', level === 'warn' ? patch.reason : undefined]);
    expect(places).toEqual(['run-finished']);
  });

  it('forgets what the run waited for, and keeps its reasons beside what failed before', async () => {
    const { patch } = await endOf({ end: { failure: 'PLATFORM_BUSY', reasons: [] } }, { failed: 1, unresolved: 1 });
    const reasons = ['1 change failed', '1 change has an unknown outcome'];
    expect(patch).toMatchObject({ waiting: undefined, end: { failure: 'PLATFORM_BUSY', reasons } });
  });

  it.each([
    { edit: undefined, advanced: 0 },
    { edit: {}, advanced: 1 },
  ])('lets an edit of the configuration count as measured: $edit', async ({ edit, advanced }) => {
    expect(await endOf({ plan: { ...noPlan, edit } })).toMatchObject({ advanced, writes: 1 });
  });
});
