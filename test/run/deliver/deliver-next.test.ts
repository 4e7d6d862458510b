import { describe, expect, it } from 'vitest';
import { PlatformError, RollcallError } from '../../../src/core/run/errors.ts';
import { given } from '../../../src/core/run/given.ts';
import type { BatchToSubmit, Submission } from '../../../src/ports/delivery.ts';
import { takeFileLease } from '../../../src/run/deliver/file-lease.ts';
import type { JobOutcome } from '../../../src/run/work.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { hour, Killed, land, minute, openScene, type Scene, second, settle } from '../run-in-store.ts';

failOnLeaks();

const three = ['ana', 'eva', 'leo'].map((name) => sampleChange(name));
const creates = ['ana', 'eva', 'leo'].map((name) => sampleChange(name, 'create'));

describe('sending a batch', () => {
  it('sends each batch once, in order, and ends when each is settled', async () => {
    const scene = await openScene({ changes: three, batches: [['ana', 'eva'], ['leo']] });
    await scene.play();
    expect(scene.sent).toEqual([['ana', 'eva'], ['leo']]);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'applied', leo: 'applied' });
    expect(await scene.run()).toMatchObject({ phase: 'done', outcome: 'succeeded', counts: { applied: 3 } });
  });

  it('says sending, with the time and its changes, before anything goes out', async () => {
    const scene = await openScene({ changes: three });
    scene.script.submit = async () => {
      expect(await scene.batches()).toMatchObject([{ state: 'sending', sentAt: scene.clock.now() }]);
      expect(await scene.states()).toEqual({ ana: 'sent', eva: 'sent', leo: 'sent' });
      return { kind: 'file', fileId: '17', fileName: 'f.csv' };
    };
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: settle.everyMs / 20 });
    expect(await scene.batches()).toMatchObject([{ state: 'sent', fileId: '17', fileName: 'f.csv' }]);
    expect((await scene.run()).phase).toBe('proving');
  });

  it('sends direct calls without marking them beforehand, and counts visibleWithin from the last call', async () => {
    const scene = await openScene({ changes: three, kind: 'direct' });
    scene.script.submit = async ({ onResult }) => {
      expect(await scene.states()).toMatchObject({ ana: 'planned' });
      await onResult('ana', { kind: 'sending' });
      expect(await scene.states()).toMatchObject({ ana: 'sent', eva: 'planned' });
      await onResult('ana', { kind: 'not-tried' });
      await onResult('eva', { kind: 'refused', reason: 'no' });
      await onResult('leo', { kind: 'unknown', reason: 'lost' });
      scene.clock.jumpTo(scene.clock.now() + minute);
      return { kind: 'direct' };
    };
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(await scene.batches()).toMatchObject([{ state: 'sent', sentAt: scene.clock.now() }]);
    expect(await scene.states()).toEqual({ ana: 'planned', eva: 'failed', leo: 'unresolved' });
    expect(await scene.reasons()).toMatchObject({ eva: 'no', leo: 'lost' });
  });

  it('keeps what the platform answered beside the run, and quotes it nowhere', async () => {
    const scene = await openScene({ changes: three, batches: [['ana'], ['eva'], ['leo']] });
    const answers = ['wait', 'unknown', 'refused'] as const;
    let count = 0;
    scene.script.submit = () => {
      const kind = answers[count++ % 3] ?? 'wait';
      return { kind, afterMs: 1, reason: 'no success', raw: `answer ${count}` } as Submission;
    };
    await scene.play(async () => count >= 3);
    expect(await scene.rawTexts()).toEqual([
      'batch 1: answer 1',
      'batch 1: answer 2',
      expect.stringMatching(/^batch \d: answer 3$/),
    ]);
    const direct = await openScene({ changes: three, kind: 'direct' });
    direct.script.submit = async ({ changes, onResult }) => {
      for (const { identification } of changes) {
        await onResult(identification, { kind: 'sending' });
        await onResult(identification, { kind: 'refused', reason: 'no success', raw: `answer of ${identification}` });
      }
      return { kind: 'direct' };
    };
    await direct.play(async () => (await direct.rawTexts()).length === 3);
    expect(await direct.rawTexts()).toEqual(['ana', 'eva', 'leo'].map((id) => `change of ${id}: answer of ${id}`));
    for (const { log, findings, reasons } of [scene, direct]) {
      expect([log.text(), await findings(), await reasons()].flat().join()).not.toMatch(/answer/);
    }
  });

  it.each([
    { name: 'the first refusal', before: undefined, refused: { count: 1 }, after: { count: 1 } },
    { name: 'one refusal more', before: { count: 1 }, refused: { count: 2 }, after: { count: 2 } },
    { name: 'an accepted call', before: { count: 2 }, refused: undefined, after: undefined },
    { name: 'no call that was answered', before: { count: 1 }, refused: { count: 1 }, after: { count: 1 } },
  ])('tells a direct delivery which writes were refused in a row, and keeps $name', async (row) => {
    const { before, refused, after } = row;
    const scene = await openScene({ changes: three, kind: 'direct', delivery: given({ refusedInRow: before }) });
    let told: BatchToSubmit | undefined;
    scene.script.submit = (batch) => {
      told = batch;
      return { kind: 'direct', ...given({ refusedInRow: refused }) };
    };
    await scene.step();
    expect(told).toMatchObject({ id: 'run_1_b00001', ...given({ refusedInRow: before }) });
    expect(Object.hasOwn(told ?? {}, 'refusedInRow')).toBe(before !== undefined);
    expect((await scene.run()).delivery?.refusedInRow).toEqual(after);
  });

  it('sends nothing more after direct calls that show trouble, and keeps what the platform answered', async () => {
    const scene = await openScene({ changes: three, kind: 'direct', batches: [['ana'], ['eva', 'leo']] });
    scene.script.submit = async ({ onResult }) => {
      await onResult('ana', { kind: 'refused', reason: 'no' });
      return { kind: 'direct', trouble: { reason: '3 changes in a row were refused', raw: 'no right' } };
    };
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'failed', eva: 'dropped', leo: 'dropped' });
    expect(await scene.run()).toMatchObject({ outcome: 'failed', reason: '3 changes in a row were refused' });
    expect(await scene.rawTexts()).toEqual(['batch 1: no right']);
  });

  it('writes an outbox file, looks at no user and ends exported', async () => {
    const scene = await openScene({ changes: three, kind: 'outbox', batches: [['ana'], ['eva', 'leo']] });
    expect(await scene.step()).toEqual({ kind: 'next' });
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'exported', eva: 'exported', leo: 'exported' });
    const { delivery, outcome } = await scene.run();
    expect(outcome).toBe('exported');
    expect(delivery?.exportedTo).toEqual(['outbox/run_1_b00001.csv', 'outbox/run_1_b00002.csv']);
    expect(await scene.batches()).toMatchObject([{ state: 'settled', fileName: 'outbox/run_1_b00001.csv' }, {}]);
    expect(scene.calls).toEqual({ find: 0, scan: 0, status: 0 });
    expect(await scene.ledger('ana')).toBeUndefined();
  });

  it('reads back, and never repeats, a submission whose answer was lost', async () => {
    const scene = await openScene({ changes: three });
    scene.script.submit = () => ({ kind: 'unknown', reason: 'no answer' });
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 0 });
    expect(await scene.batches()).toMatchObject([{ state: 'unresolved', reason: 'no answer' }]);
    expect(await scene.reasons()).toEqual({ ana: 'no answer', eva: 'no answer', leo: 'no answer' });
    await scene.play();
    expect(scene.sent).toHaveLength(1);
    expect(await scene.run()).toMatchObject({ outcome: 'partial', counts: { unresolved: 3 } });
  });

  it('settles a batch of which nothing is left to be sent', async () => {
    const scene = await openScene({ changes: creates.slice(0, 1), users: [] });
    scene.users.set('ana', { id: '1', identification: 'ana', enabled: true, fields: {}, unreadable: [] });
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(scene.sent).toEqual([]);
    expect(await scene.batches()).toMatchObject([
      { state: 'settled', sentAt: undefined, reason: 'no change of the batch had to be sent' },
    ]);
  });
});

it('a run of files tells each step on its way', async () => {
  const batches = [['ana', 'eva'], ['leo']];
  const scene = await openScene({ changes: creates, batches, settle: { proofWithinMs: 0 } });
  await scene.play();
  expect(scene.events.slice(0, 7)).toEqual([
    { step: 'looking-up', users: 0, total: 2 },
    { step: 'looking-up', users: 1, total: 2 },
    { step: 'looking-up', users: 2, total: 2 },
    { step: 'delivering', batch: 1, batches: 2, changes: 2 },
    { step: 'proving', batch: 1, batches: 0, status: 'Processed', wait: undefined },
    { step: 'reading-back', users: 1, total: 2 },
    { step: 'reading-back', users: 2, total: 2 },
  ]);
});

describe('waiting for a turn', () => {
  const busy: Submission = { kind: 'wait', afterMs: 7 * second, reason: 'another file is processing' };

  it('waits as long as the platform asks, with every change planned again', async () => {
    const scene = await openScene({ changes: three });
    scene.script.submit = () => busy;
    const from = scene.clock.now();
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 7 * second });
    expect(await scene.states()).toEqual({ ana: 'planned', eva: 'planned', leo: 'planned' });
    expect(await scene.batches()).toMatchObject([{ state: 'planned', reason: 'another file is processing' }]);
    const waiting = {
      for: 'platform',
      about: 'another file is processing',
      since: from,
      until: from + scene.sync.settings.settle.deadlineMs,
      setting: 'settle.deadline',
    };
    expect(scene.events.at(-1)).toMatchObject({ step: 'waiting', waiting });
    expect(await scene.run()).toMatchObject({ phase: 'delivering', delivery: { waitingSince: from }, waiting });
    scene.clock.jumpTo(from + minute);
    await scene.step();
    expect((await scene.run()).delivery?.waitingSince).toBe(from);
    scene.script.submit = undefined;
    await scene.step();
    expect((await scene.run()).delivery).not.toHaveProperty('waitingSince');
    await scene.play();
    expect((await scene.run()).outcome).toBe('succeeded');
  });

  it('gives up at settle.deadline, not before and not later', async () => {
    const scene = await openScene({ changes: three });
    scene.script.submit = () => busy;
    const from = scene.clock.now();
    await scene.step();
    scene.clock.jumpTo(from + settle.deadlineMs - 1);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 7 * second });
    scene.clock.jumpTo(from + settle.deadlineMs);
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'dropped', eva: 'dropped', leo: 'dropped' });
    const { outcome, reason } = await scene.run();
    expect(outcome).toBe('failed');
    expect(reason).toMatch(
      /^the platform is busy: nothing more could be sent for 10 min \(settle.deadline\).*another file is processing$/,
    );
  });

  it.each([
    { deadlineMs: 90 * second, text: '90 s' },
    { deadlineMs: 119_999, text: '120 s' },
    { deadlineMs: 120_000, text: '2 min' },
  ])('tells a deadline of $deadlineMs ms as $text', async ({ deadlineMs, text }) => {
    const scene = await openScene({ changes: three, settle: { deadlineMs } });
    scene.script.submit = () => busy;
    await scene.play();
    expect((await scene.run()).reason).toContain(`could be sent for ${text} (`);
  });

  it('sends no file while another run of the connection has one out, and sends when it is free', async () => {
    const first = await openScene({ changes: three });
    const second = await openScene({
      beside: first,
      run: 'run_2',
      settings: { name: 'guests' },
      changes: [sampleChange('tom')],
    });
    await first.step();
    expect(await second.step()).toEqual({ kind: 'again', afterMs: settle.everyMs / 20 });
    expect(second.sent).toEqual([]);
    const about = '1 other run of this connection sends a file first';
    expect(second.events.at(-1)).toMatchObject({ step: 'waiting', waiting: { for: 'turn', about } });
    const { waiting, delivery } = await second.run();
    expect(delivery).not.toHaveProperty('waitingSince');
    first.clock.jumpTo(first.clock.now() + minute);
    await second.step();
    expect((await second.run()).waiting).toEqual(waiting);
    await first.play();
    await second.play();
    expect(second.sent).toEqual([['tom']]);
  });

  it('sends direct calls beside the file of another run', async () => {
    const first = await openScene({ changes: three });
    const options = { beside: first, run: 'run_2', settings: { name: 'guests' } };
    const second = await openScene({ ...options, kind: 'direct', changes: [sampleChange('tom', 'create')] });
    await first.step();
    await second.step();
    expect(second.sent).toEqual([['tom']]);
  });

  it('sends files of two connections side by side', async () => {
    const first = await openScene({ changes: three });
    const settings = { name: 'guests', connection: 'other' };
    const second = await openScene({ beside: first, run: 'run_2', settings, changes: [sampleChange('tom')] });
    await first.step();
    await second.step();
    expect(second.sent).toEqual([['tom']]);
  });

  it('keeps its file lease while the platform works on the file, and loses it ten minutes after the last poll', async () => {
    const first = await openScene({ changes: three, settle: { deadlineMs: hour } });
    const second = await openScene({ beside: first, run: 'run_2', settings: { name: 'guests' }, changes: [] });
    first.script.status = { kind: 'pending', text: 'Processing', isKnown: true };
    await first.step();
    for (const _poll of [1, 2, 3]) {
      first.clock.jumpTo(first.clock.now() + 9 * minute);
      await first.step();
    }
    const { owned } = await second.context();
    expect((await takeFileLease(owned, second.io)).isTaken).toBe(false);
    first.clock.jumpTo(first.clock.now() + 10 * minute - 1);
    expect((await takeFileLease(owned, second.io)).isTaken).toBe(false);
    first.clock.jumpTo(first.clock.now() + 1);
    expect((await takeFileLease(owned, second.io)).isTaken).toBe(true);
  });
});

describe('what stops a run from sending', () => {
  it.each([
    { name: 'cancelled', act: 'cancel', outcome: 'cancelled' },
    { name: 'ended for a reason', act: 'reason', outcome: 'failed' },
  ])('a run that is $name sends nothing more, and drops what was not sent', async ({ act, outcome }) => {
    const batches = [['ana'], ['eva', 'leo']];
    const scene = await openScene({ changes: three, batches, settle: { proofWithinMs: 0 } });
    await scene.play(async () => (await scene.batches())[0]?.state === 'settled');
    const { owned } = await scene.context();
    if (act === 'cancel') await scene.store.runs.requestCancel('run_1');
    else await scene.store.runs.update(owned, { reason: 'the platform is ill' });
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(scene.sent).toEqual([['ana']]);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'dropped', leo: 'dropped' });
    expect((await scene.run()).outcome).toBe(outcome);
  });

  it.each([
    { ageMs: 24 * hour - 1, sent: 1 },
    { ageMs: 24 * hour, sent: 0 },
  ])('a plan that is $ageMs ms old sends $sent batches', async ({ ageMs, sent }) => {
    const scene = await openScene({ changes: three });
    scene.clock.jumpTo(scene.clock.now() + ageMs);
    await scene.step();
    expect(scene.sent).toHaveLength(sent);
    expect((await scene.run()).phase).toBe(sent === 0 ? 'reading' : 'proving');
    const told = scene.log.lines.filter(({ message }) => message.startsWith('the plan is a day old'));
    expect(told.map(({ fields }) => fields)).toEqual(sent === 0 ? [{ run: 'run_1', sync: 'people' }] : []);
  });

  it.each([
    { name: 'something was sent', act: 'sent' },
    { name: 'it is canceled', act: 'cancel' },
    { name: 'it was given up', act: 'reason' },
    { name: 'no change had to be sent', act: 'none' },
  ])('a run with an old plan ends without a new one when $name', async ({ act }) => {
    const scene = await openScene({ changes: three, batches: [['ana'], ['eva', 'leo']] });
    if (act === 'none') {
      scene.users.clear();
      await scene.play(async () => (await scene.batches()).every(({ state }) => state === 'settled'));
    }
    if (act === 'sent') await scene.play(async () => scene.sent.length === 1);
    if (act === 'cancel') await scene.store.runs.requestCancel('run_1');
    if (act === 'reason') await scene.store.runs.update((await scene.context()).owned, { reason: 'ill' });
    scene.clock.jumpTo(scene.clock.now() + 24 * hour);
    if (act !== 'sent') expect(await scene.step()).toMatchObject({ kind: 'done' });
    await scene.play();
    const { phase, reason } = await scene.run();
    expect(phase).toBe('done');
    expect(scene.sent).toEqual(act === 'sent' ? [['ana']] : []);
    if (act === 'sent') expect(reason).toContain('its plan is 24 h old');
  });

  it('the day for which a run waited belongs to delivering in its timeline, not to the reading that follows', async () => {
    const scene = await openScene({ changes: three });
    scene.clock.jumpTo(scene.clock.now() + 24 * hour);
    expect(await scene.step()).toEqual({ kind: 'next' });
    const timeline = await scene.store.reports.timeline('run_1', scene.clock.now());
    expect(timeline.map(({ phase, ms, isCurrent }) => [phase, ms, isCurrent])).toEqual([
      ['reading', 0, true],
      ['planning', 0, false],
      ['delivering', 24 * hour, false],
    ]);
  });

  it.each([
    { ageMs: 2 * hour - 1, sent: ['ana', 'eva', 'leo', 'mia'] },
    { ageMs: 2 * hour, sent: ['ana', 'leo'] },
  ])('of a plan that is $ageMs ms old $sent are sent', async ({ ageMs, sent }) => {
    const disabled = { userId: '9eva', enabled: false, fields: {} };
    const changes = [
      sampleChange('ana', 'create'),
      sampleChange('eva', 'enable', { before: disabled }),
      sampleChange('leo', 'update'),
      sampleChange('mia', 'disable'),
    ];
    const scene = await openScene({ changes });
    scene.clock.jumpTo(scene.clock.now() + ageMs);
    await scene.play();
    expect(scene.sent).toEqual([sent]);
    if (sent.length === 4) return;
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'failed', leo: 'applied', mia: 'failed' });
    expect((await scene.reasons()).mia).toMatch(/^planned 2 h ago, which is too old for enables, disables and removes/);
    expect(await scene.findings()).toMatchObject([
      expect.stringMatching(/^plan-outdated: batch 1: 2 changes left out/),
    ]);
  });
});

describe('a worker that died', () => {
  it('before the call leaves a file whose outcome is not known: it is read back, never sent again', async () => {
    const scene = await openScene({ changes: three });
    scene.script.dieAt = 'batch-sending';
    await expect(scene.step()).rejects.toThrow(Killed);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 0 });
    expect(await scene.batches()).toMatchObject([{ state: 'unresolved' }]);
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved', leo: 'unresolved' });
    await scene.play();
    expect(scene.sent).toEqual([]);
    expect(await scene.findings()).toMatchObject([
      expect.stringMatching(/^unresolved: batch 1: the outcome of 3 changes is not known/),
    ]);
  });

  it('after the platform took the file finds its rows applied', async () => {
    const scene = await openScene({ changes: three });
    scene.script.dieAt = 'batch-accepted';
    await expect(scene.step()).rejects.toThrow(Killed);
    await scene.play();
    expect(scene.sent).toHaveLength(1);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'applied', leo: 'applied' });
  });

  const again = { kind: 'again', afterMs: 0 } as const;
  const both = { ana: 'applied', eva: 'applied' };
  const whole = ['sending', 'accepted'] as const;
  type Results = Readonly<Record<string, readonly ('sending' | 'accepted' | 'refused')[]>>;

  it.each<[what: string, results: Results, next: JobOutcome, sent: string[][], states: object]>([
    ['before the first direct call sends the batch as if never tried', {}, { kind: 'next' }, [['ana', 'eva']], both],
    [
      'between direct calls sends what was not tried, and reads the rest back',
      { ana: ['sending'] },
      again,
      [['eva']],
      both,
    ],
    [
      'after a direct call that was refused sends what was not tried',
      { ana: ['refused'] },
      { kind: 'next' },
      [['eva']],
      { ana: 'failed', eva: 'applied' },
    ],
    [
      'after direct calls that were all refused sends nothing',
      { ana: ['refused'], eva: ['refused'] },
      again,
      [],
      { ana: 'failed', eva: 'failed' },
    ],
    ['after the last direct call reads each back', { ana: whole, eva: whole }, again, [], both],
  ])('%s', async (_, ...line) => {
    const [results, next, sent, states] = line;
    const scene = await openScene({ changes: creates.slice(0, 2), kind: 'direct' });
    scene.script.submit = async ({ changes, onResult }) => {
      scene.script.submit = undefined;
      for (const change of changes) {
        for (const kind of results[change.identification] ?? []) {
          await onResult(change.identification, { kind, reason: 'no' });
          if (kind === 'sending') land(change, scene.users, 'direct');
        }
      }
      throw new Killed('between');
    };
    await expect(scene.step()).rejects.toThrow(Killed);
    await scene.store.batches.update((await scene.context()).owned, 'run_1_b00001', { state: 'sending' });
    expect(await scene.step()).toEqual(next);
    await scene.play();
    expect([scene.sent.slice(1), await scene.states()]).toEqual([sent, states]);
  });

  it('between calls of leaders sends them again, because the lists show what lacks', async () => {
    const scene = await openScene({ changes: [sampleChange('ana', 'lead')], kind: 'leaders' });
    const { owned } = await scene.context();
    const marks = [{ identification: 'ana', part: 'leaders', state: 'sent' }] as const;
    await scene.store.batches.update(owned, 'run_1_b00001', { state: 'sending' }, { marks });
    expect(await scene.step()).toEqual({ kind: 'next' });
    expect(await scene.batches()).toMatchObject([{ state: 'planned' }]);
    expect([await scene.states(), await scene.reasons()]).toEqual([
      { ana: 'planned' },
      { ana: 'the worker stopped before it knew whether the platform accepted the batch' },
    ]);
  });

  it('while a file was out lets the run go on with it', async () => {
    const scene = await openScene({ changes: three });
    await scene.step();
    const { owned } = await scene.context();
    await scene.store.runs.update(owned, { phase: 'delivering' });
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 0 });
    expect(await scene.batches()).toMatchObject([{ state: 'sent' }]);
    await scene.play();
    expect([scene.sent.length, (await scene.run()).outcome]).toEqual([1, 'succeeded']);
  });
});

describe('a delivery that throws', () => {
  const refused = new RollcallError('not authorized', { code: 'PLATFORM_UNAUTHORIZED' });

  type Act = (scene: Scene, send: () => Promise<void>) => unknown;
  it.each<[what: string, kind: 'csv' | 'direct', act: Act, batch: string, ana: string]>([
    ['leaves a file as if never tried', 'csv', () => {}, 'planned', 'planned'],
    ['leaves direct calls as if never tried', 'direct', () => {}, 'planned', 'planned'],
    ['leaves direct calls to be read back when one had gone out', 'direct', (_, send) => send(), 'sending', 'sent'],
    [
      'because the run was taken away leaves the file to be read back',
      'csv',
      ({ lost }) => lost.abort(refused),
      'sending',
      'sent',
    ],
    [
      'because the process stops leaves the file to be read back',
      'csv',
      ({ stopping }) => stopping.abort(refused),
      'sending',
      'sent',
    ],
    [
      'of itself while the process stops leaves the file as if never tried',
      'csv',
      ({ stopping }) => stopping.abort(new Error('stop')),
      'planned',
      'planned',
    ],
  ])('%s', async (_, ...line) => {
    const [kind, act, state, ana] = line;
    const scene = await openScene({ changes: three, kind });
    scene.script.submit = async ({ onResult }) => {
      await act(scene, () => onResult('ana', { kind: 'sending' }));
      throw refused;
    };
    await expect(scene.step()).rejects.toBe(refused);
    expect([await scene.batches(), await scene.states()]).toMatchObject([[{ state }], { ana }]);
  });

  it.each([
    { status: 403, code: 'PLATFORM_FORBIDDEN' },
    { status: 501, code: 'PLATFORM_FAILED' },
  ] as const)('with $status proves what was sent before, and fails with its reason', async ({ status, code }) => {
    const changes = [sampleChange('ana', 'disable'), sampleChange('eva'), sampleChange('leo')];
    const scene = await openScene({ changes, batches: [['ana'], ['eva'], ['leo']] });
    const said = { code, status, retry: 'never', effect: 'none', operation: 'POST files', raw: 'no right' } as const;
    scene.script.submit = ({ changes: [first] }) =>
      first?.identification === 'eva' ? Promise.reject(new PlatformError('refused', said)) : undefined;
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'dropped', leo: 'dropped' });
    expect(await scene.run()).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('refused') });
    expect(await scene.rawTexts()).toContainEqual(expect.stringContaining('no right'));
  });

  const never = { retry: 'never', effect: 'none', operation: 'POST files' } as const;
  it.each([
    ['may be repeated', new PlatformError('busy', { ...never, code: 'PLATFORM_BUSY', retry: 'backoff' })],
    ['may have had an effect', new PlatformError('lost', { ...never, code: 'PLATFORM_FAILED', effect: 'unknown' })],
    ['is not of the platform', refused],
  ])('with an error that %s throws it, whatever was sent before', async (_, error) => {
    const scene = await openScene({ changes: three, batches: [['ana'], ['eva'], ['leo']] });
    scene.script.submit = ({ changes: [first] }) =>
      first?.identification === 'eva' ? Promise.reject(error) : undefined;
    await expect(scene.play()).rejects.toBe(error);
    expect(await scene.states()).toEqual({ ana: 'sent', eva: 'planned', leo: 'planned' });
    expect((await scene.run()).reason).toBeUndefined();
  });

  it('with a refusal throws it when nothing is left to prove, or the run was taken away', async () => {
    const forbidden = new PlatformError('no right', { ...never, code: 'PLATFORM_FORBIDDEN' });
    const scene = await openScene({ changes: three, batches: [['ana'], ['eva'], ['leo']] });
    scene.script.submit = () => Promise.reject(forbidden);
    await expect(scene.step()).rejects.toBe(forbidden);
    scene.script.submit = undefined;
    await scene.play(async () => scene.sent.length === 2 && (await scene.run()).phase === 'delivering');
    scene.script.submit = () => {
      scene.lost.abort(forbidden);
      throw forbidden;
    };
    await expect(scene.play()).rejects.toBe(forbidden);
    expect((await scene.run()).reason).toBeUndefined();
  });

  it('because the process stops leaves direct calls to be read back, and starts no further call', async () => {
    const scene = await openScene({ changes: three, kind: 'direct' });
    scene.script.submit = async ({ onResult }) => {
      await onResult('ana', { kind: 'sending' });
      await onResult('ana', { kind: 'accepted' });
      scene.stopping.abort(refused);
      await onResult('eva', { kind: 'sending' });
      throw new Error('the call was made');
    };
    await expect(scene.step()).rejects.toBe(refused);
    expect(await scene.states()).toEqual({ ana: 'sent', eva: 'planned', leo: 'planned' });
    expect(await scene.batches()).toMatchObject([{ state: 'sending' }]);
  });

  it('stores the result of a call that ends after the process was asked to stop', async () => {
    const scene = await openScene({ changes: creates, kind: 'direct' });
    scene.script.submit = async ({ onResult }) => {
      await onResult('ana', { kind: 'sending' });
      scene.stopping.abort(refused);
      await onResult('ana', { kind: 'refused', reason: 'no' });
      throw refused;
    };
    await expect(scene.step()).rejects.toBe(refused);
    expect(await scene.states()).toMatchObject({ ana: 'failed', eva: 'planned' });
  });

  it('sends nothing when the lease was lost before the call', async () => {
    const scene = await openScene({ changes: three });
    const { plans } = scene.store;
    const find = scene.script.find;
    scene.script.find = (name) => {
      scene.lost.abort(refused);
      return find(name);
    };
    await expect(scene.step()).rejects.toBe(refused);
    expect(scene.sent).toEqual([]);
    expect((await plans.page('run_1', { limit: 3 })).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });
});
