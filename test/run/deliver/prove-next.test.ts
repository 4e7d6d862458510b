import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/core/run/errors.ts';
import type { FileStatus } from '../../../src/ports/platform.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { openScene, type Scene, type SceneOptions, second, settle, trouble } from '../run-in-store.ts';

failOnLeaks();

const changes = ['ana', 'eva'].map((name) => sampleChange(name));
const pending: FileStatus = { kind: 'pending', text: 'Processing', isKnown: true };
const done: FileStatus = { kind: 'done', text: 'Processed' };

/** A run whose one file is out and whose rows have not landed. */
async function fileOut(options: Partial<SceneOptions> = {}): Promise<Scene> {
  const scene = await openScene({ changes, ...options });
  scene.script.lands = () => false;
  await scene.step();
  scene.script.status = pending;
  return scene;
}

function landAll(scene: Scene, names = [...scene.users.keys()]): void {
  for (const user of [...scene.users.values()].filter(({ identification }) => names.includes(identification))) {
    const fields = { ...user.fields, area: 'After', firstName: 'Ana' };
    scene.users.set(user.identification, { ...user, fields, lastUpdate: 'later' });
  }
}

describe('the status of a file', () => {
  it('is polled at growing intervals, at most a minute, while it is pending', async () => {
    const scene = await fileOut({ settle: { deadlineMs: 1_000_000 * second } });
    const waits: number[] = [];
    for (let poll = 0; poll < 9; poll++) {
      const outcome = await scene.step();
      const afterMs = outcome.kind === 'again' ? outcome.afterMs : -1;
      waits.push(afterMs);
      scene.clock.jumpTo(scene.clock.now() + afterMs * 4);
    }
    expect(waits).toEqual([250, 333, 777, 1813, 4231, 9872, 23_035, 53_748, 60_000]);
    const [batch] = await scene.batches();
    expect(batch).toMatchObject({
      state: 'sent',
      status: 'Processing',
      polls: 9,
      final: undefined,
      finalAt: undefined,
    });
    expect(scene.calls).toMatchObject({ status: 9, find: 2 });
    expect(scene.places).not.toContain('status-final');
  });

  it('reports since when it is pending, until when, and what follows', async () => {
    const scene = await fileOut({ settle: { deadlineMs: 60 * second } });
    const sinceMs = scene.clock.now();
    scene.clock.jumpTo(sinceMs + 30 * second);
    await scene.step();
    const until = sinceMs + 60 * second;
    expect(scene.events).toContainEqual({ step: 'proving', batch: 1, batches: 0, status: 'Processing' });
    const waiting = { for: 'file', since: sinceMs, until, setting: 'settle.deadline' };
    expect(scene.events.at(-1)).toMatchObject({ step: 'waiting', waiting });
    expect((await scene.run()).waiting).toMatchObject(waiting);
    scene.script.status = done;
    await scene.step();
    expect(scene.events).toContainEqual({ step: 'proving', batch: 1, batches: 0, status: 'Processed' });
    await scene.play();
    expect((await scene.run()).waiting).toBeUndefined();
  });

  it('that is final is stored with its time, and not asked for again', async () => {
    const scene = await fileOut();
    scene.script.status = done;
    await scene.step();
    expect(await scene.batches()).toMatchObject([
      { status: 'Processed', final: 'done', finalAt: scene.clock.now(), state: 'sent' },
    ]);
    expect(scene.places).toContain('status-final');
    await scene.step();
    expect(scene.calls.status).toBe(1);
  });

  it('of the next file is first requested when the last one was done, if that is known', async () => {
    const scene = await openScene({ changes, batches: [['ana'], ['eva']] });
    await scene.step();
    scene.script.status = pending;
    scene.clock.jumpTo(scene.clock.now() + 20 * second);
    await scene.step();
    scene.script.status = done;
    scene.clock.jumpTo(scene.clock.now() + 10 * second);
    await scene.step();
    expect((await scene.run()).delivery?.filePace).toEqual({ tookMs: 30 * second, tooSoonMs: 18 * second });
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 24 * second });
  });

  it('that the platform does not have says nothing about how long files take', async () => {
    const scene = await fileOut();
    scene.script.status = { kind: 'no-status' };
    await scene.step();
    expect((await scene.run()).delivery?.filePace).toBeUndefined();
  });

  it('that dialect.status does not name is waited for, with one warning and one finding', async () => {
    const scene = await fileOut();
    scene.script.status = { kind: 'pending', text: 'unknown status', isKnown: false, raw: 'Archived' };
    await scene.step();
    expect(await scene.findings()).toHaveLength(1);
    await scene.step();
    const [finding, ...others] = await scene.findings();
    expect(finding).toMatch(
      /^file-status: batch 1: the platform returned a status that dialect\.status does not name; treated as pending\. "rollcall show \S+ --raw" shows it$/,
    );
    expect(others).toEqual([]);
    expect(scene.log.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'unknown file status: waiting',
        fields: { run: 'run_1', batch: 1, status: 'unknown status' },
      },
    ]);
    expect(await scene.rawTexts()).toEqual(['file status of batch 1: Archived']);
  });

  it.each([
    { name: 'was refused', error: trouble('PLATFORM_FAILED', 'backoff', 500), text: 'no status: answered 500' },
    { name: 'got no answer', error: trouble('PLATFORM_UNREACHABLE'), text: 'no status: no complete answer' },
  ])('that $name is pending until the deadline, then its users are read back', async ({ error, text }) => {
    const scene = await fileOut();
    scene.script.status = error;
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 250 });
    expect(await scene.batches()).toMatchObject([{ status: text, final: undefined }]);
    expect(await scene.findings()).toEqual([]);
    expect(scene.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { level: 'warn', fields: { run: 'run_1', batch: 1, status: text, code: error.code, error: error.message } },
    ]);
    await scene.step();
    expect(scene.log.messages('warn')).toHaveLength(1);
    landAll(scene);
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'applied' });
    expect(await scene.findings()).toEqual([
      expect.stringContaining(`no final status until settle.deadline (last: ${text})`),
    ]);
  });

  it('that was refused with a text of the platform keeps the text beside the run, once', async () => {
    const scene = await fileOut();
    const refusal = {
      code: 'PLATFORM_FAILED',
      retry: 'backoff',
      effect: 'none',
      operation: 'GET /',
      status: 500,
    } as const;
    scene.script.status = new PlatformError('the platform is in trouble', { ...refusal, raw: 'out of order' });
    await scene.step();
    await scene.step();
    expect(await scene.rawTexts()).toEqual(['file status of batch 1: out of order']);
  });

  it('is asked for no sooner than the platform wants', async () => {
    const scene = await fileOut();
    scene.script.status = trouble('PLATFORM_BUSY', { afterMs: 40 * second }, 503);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 40 * second });
  });

  it('that can never be had fails the step', async () => {
    const scene = await fileOut();
    scene.script.status = trouble('PLATFORM_UNAUTHORIZED', 'never', 401);
    await expect(scene.step()).rejects.toBe(scene.script.status);
    scene.script.status = new TypeError('a bug');
    await expect(scene.step()).rejects.toBe(scene.script.status);
  });
});

describe('settle.deadline', () => {
  it('ends the polls of a pending file, neither sooner nor later', async () => {
    const scene = await fileOut();
    const sentAt = scene.clock.now();
    scene.clock.jumpTo(sentAt + settle.deadlineMs - 1);
    expect((await scene.step()).kind).toBe('again');
    expect(await scene.batches()).toMatchObject([{ state: 'sent' }]);
    scene.clock.jumpTo(sentAt + settle.deadlineMs);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.batches()).toMatchObject([{ state: 'unresolved', finalAt: scene.clock.now() }]);
  });

  it('ends the wait even where settle.visibleWithin is longer', async () => {
    const scene = await fileOut({ settle: { deadlineMs: settle.visibleWithinMs / 2 } });
    scene.clock.jumpTo(scene.clock.now() + settle.visibleWithinMs / 2);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved' });
  });

  it('is not slept past because the platform asks to be asked late', async () => {
    const scene = await fileOut();
    scene.clock.jumpTo(scene.clock.now() + settle.deadlineMs - 2 * second);
    scene.script.status = trouble('PLATFORM_BUSY', { afterMs: 600 * second }, 503);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 2 * second });
  });

  it('leaves what is not seen unresolved, writes no ledger for it and takes what is seen', async () => {
    const scene = await fileOut();
    const [ana] = [...scene.users.values()];
    if (ana !== undefined) scene.users.set('ana', { ...ana, fields: { area: 'After', firstName: 'Ana' } });
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'unresolved' });
    expect((await scene.reasons()).eva).toBe('the outcome is not known: the platform still shows the former area');
    expect(await scene.findings()).toMatchObject([
      expect.stringMatching(/^unresolved: batch 1: the outcome of 1 change is not known/),
    ]);
    expect(await scene.ledger('ana')).toMatchObject({ owner: 'people', writtenAt: scene.clock.now() });
    expect(await scene.ledger('eva')).toBeUndefined();
    expect(await scene.run()).toMatchObject({ outcome: 'partial', counts: { applied: 1, unresolved: 1 } });
  });
});

describe('a file without a status', () => {
  it('is read back until settle.deadline', async () => {
    const scene = await fileOut();
    const sentAt = scene.clock.now();
    scene.script.status = { kind: 'no-status' };
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 5_000 });
    expect(await scene.batches()).toMatchObject([{ final: 'no-status', status: 'the platform has no file status' }]);
    scene.clock.jumpTo(sentAt + settle.deadlineMs - 1);
    expect((await scene.step()).kind).toBe('again');
    expect(scene.calls.status).toBe(1);
    scene.clock.jumpTo(sentAt + settle.deadlineMs);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved' });
  });
});

describe('settle.visibleWithin', () => {
  it('is waited for after the file is done, and then what is not seen has failed', async () => {
    const scene = await fileOut();
    scene.clock.jumpTo(scene.clock.now() + 60 * second);
    scene.script.status = done;
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 5_000 });
    const finalAt = scene.clock.now();
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs - 1);
    expect((await scene.step()).kind).toBe('again');
    expect(await scene.states()).toEqual({ ana: 'sent', eva: 'sent' });
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'failed', eva: 'failed' });
    expect((await scene.reasons()).ana).toBe(
      'the platform reported done, but the platform still shows the former area',
    );
    expect(await scene.batches()).toMatchObject([{ state: 'settled', finalAt }]);
    expect(await scene.ledger('ana')).toBeUndefined();
    expect((await scene.run()).delivery?.failedFile).toBeUndefined();
  });

  it('is waited for after direct calls, and then what was accepted and is not seen has failed', async () => {
    const scene = await openScene({ changes, kind: 'direct' });
    scene.script.lands = ({ identification }) => identification === 'ana';
    const from = scene.clock.now();
    await scene.play(async () => (await scene.run()).delivery?.provedAt !== undefined);
    expect([await scene.states(), (await scene.batches())[0]?.state]).toEqual([
      { ana: 'applied', eva: 'sent' },
      'sent',
    ]);
    expect(await scene.ledger('ana')).toMatchObject({ owner: 'people' });
    await scene.play(async () => (await scene.batches())[0]?.state === 'settled');
    expect(scene.clock.now() - from).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'failed' });
    expect(scene.calls.status).toBe(0);
  });

  it('is reported while it passes: how many changes are not shown, and when the last lookup is', async () => {
    const scene = await fileOut();
    scene.script.status = done;
    landAll(scene, ['ana']);
    await scene.step();
    const untilMs = scene.clock.now() + settle.visibleWithinMs;
    const waiting = { for: 'not-shown', about: '1 change', until: untilMs, setting: 'settle.visibleWithin' };
    expect(scene.events.at(-1)).toMatchObject({ step: 'waiting', waiting });
    landAll(scene);
    await scene.play();
    expect(scene.events.filter((event) => event.step === 'waiting' && event.waiting.for === 'not-shown')).toHaveLength(
      1,
    );
  });

  it.each([
    { what: 'one without a status', setting: 'settle.deadline', for: 'not-shown' },
    { what: 'one whose answer was lost', setting: 'settle.visibleWithin', for: 'not-shown' },
  ])('is told of a file that is done and $what as one wait, since the first of them ended', async (row) => {
    const scene = await openScene({ changes, batches: [['ana'], ['eva']] });
    scene.script.lands = () => false;
    await scene.step();
    await scene.step();
    const since = (await scene.batches())[0]?.finalAt;
    scene.clock.jumpTo(scene.clock.now() + second);
    if (row.setting === 'settle.deadline') scene.script.status = { kind: 'no-status' };
    else scene.script.submit = () => ({ kind: 'unknown', reason: 'no answer' });
    await scene.play(async () => (await scene.run()).waiting?.for === 'not-shown');
    const waiting = { for: row.for, about: '2 changes', since, setting: row.setting };
    expect((await scene.run()).waiting).toMatchObject(waiting);
  });

  it('is not slept past: the last proof starts when it ends', async () => {
    const scene = await fileOut();
    scene.script.status = done;
    await scene.step();
    const finalAt = scene.clock.now();
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs - 8 * second);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: 8 * second });
    scene.clock.jumpTo(finalAt + settle.visibleWithinMs - second);
    expect(await scene.step()).toEqual({ kind: 'again', afterMs: settle.everyMs });
  });

  it('passes for a lost answer too, which then stays unresolved and never fails', async () => {
    const scene = await openScene({ changes });
    scene.script.submit = () => ({ kind: 'unknown', reason: 'no answer' });
    await scene.step();
    const sentAt = scene.clock.now();
    scene.clock.jumpTo(sentAt + settle.visibleWithinMs - 1);
    expect((await scene.step()).kind).toBe('again');
    scene.clock.jumpTo(sentAt + settle.visibleWithinMs);
    expect(await scene.step()).toMatchObject({ kind: 'done' });
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved' });
    expect(await scene.batches()).toMatchObject([{ state: 'unresolved', finalAt: scene.clock.now() }]);
  });
});

describe('a new user whom the platform does not show', () => {
  const rewritten = (form: string, name = 'E1') =>
    `identification-rewritten: the platform keeps the identification ${name} as ${form}, so new users are not found. Map it that way, for example with transform: [lowercase]`;
  const after = { firstName: 'Ana', lastName: 'Paz', email: 'Ana@x.com' };
  const create = (name: string, left = {}) =>
    sampleChange(name, 'create', { after: { ...after, ...left }, changed: ['firstName', 'lastName', 'email'] });

  it.each([
    { what: 'in lower case', name: 'E1', form: 'e1' },
    { what: 'in upper case', name: 'e1', form: 'E1' },
    { what: 'without leading zeros', name: '0010', form: '10' },
    { what: 'with other letters of the same fields', name: 'E1', form: 'e1', fields: { email: 'ana@X.COM' } },
    { what: 'with another last name', name: 'E1', form: 'e1', fields: { ...after, lastName: 'Gil' }, isOther: true },
    { what: 'with a field that it does not have', name: 'E1', form: 'e1', left: { email: undefined }, isOther: true },
    { what: 'without a field', name: 'E1', form: 'e1', fields: undefined, isOther: true },
    { what: 'under a form that is none of its own', name: 'E1', form: 'e2', isOther: true },
  ])('is looked for once $what', async ({ name, form, isOther, left = {}, ...given }) => {
    const fields = 'fields' in given ? (given.fields ?? {}) : after;
    const scene = await openScene({ changes: [sampleChange('ben'), create(name, left), create('zoe')] });
    scene.users.set(form, { id: '7', identification: form, enabled: true, fields, unreadable: [] });
    scene.script.lands = () => false;
    await scene.step();
    await scene.step();
    // After a lookup and a proof of each of the three.
    expect(scene.asked.slice(6)).toEqual([name === 'E1' ? 'e1' : form]);
    await scene.play();
    const told = (await scene.findings()).filter((text) => text.startsWith('identification-rewritten'));
    expect(told).toEqual(isOther === true ? [] : [rewritten(form, name)]);
    expect(scene.asked).not.toContain('ZOE');
    expect(scene.asked.filter((asked) => asked === (name === 'E1' ? 'e1' : form))).toHaveLength(1);
  });
});

describe('reading a change back', () => {
  const hiddenOnly = sampleChange('ana', 'update', { after: { job: 'Baker' }, changed: ['job'] });

  it('that shows nothing by nature is unverified once the file is done', async () => {
    const scene = await openScene({ changes: [hiddenOnly] });
    scene.script.lands = () => false;
    const took = await scene.play();
    expect(took).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect(await scene.states()).toEqual({ ana: 'unverified' });
    expect(await scene.ledger('ana')).toMatchObject({ hidden: { job: 'Baker' }, unverified: 1 });
    expect(await scene.findings()).toMatchObject([expect.stringMatching(/^unverified: only write-only fields/)]);
  });

  it('that shows nothing by nature stays unresolved where the answer was lost', async () => {
    const scene = await openScene({ changes: [hiddenOnly] });
    scene.script.submit = () => ({ kind: 'unknown', reason: 'no answer' });
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'unresolved' });
    expect((await scene.reasons()).ana).toBe(
      'the outcome is not known: nothing shows that the platform applied the change',
    );
    expect(await scene.ledger('ana')).toBeUndefined();
  });

  it('whose user the platform contradicts itself about is unresolved, never accepted and never failed', async () => {
    const scene = await fileOut();
    scene.script.status = done;
    scene.script.find = (name) =>
      name === 'eva' ? { found: 'unclear', reason: 'read and search disagree' } : undefined;
    landAll(scene);
    const took = await scene.play(async () => (await scene.batches())[0]?.state === 'unresolved');
    expect(took).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect(await scene.states()).toEqual({ ana: 'applied', eva: 'unresolved' });
    expect(await scene.ledger('eva')).toBeUndefined();
  });

  it('whose user the platform contradicts itself about does not keep the others of a file that is done from failing', async () => {
    const scene = await fileOut({ changes: ['ana', 'eva'].map((name) => sampleChange(name)) });
    scene.script.status = done;
    scene.script.find = (name) =>
      name === 'eva' ? { found: 'unclear', reason: 'read and search disagree' } : undefined;
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'failed', eva: 'unresolved' });
  });

  it('of which a field was ignored has failed, is reported, and is remembered in the ledger', async () => {
    const change = sampleChange('ana', 'update', {
      after: { area: 'After', project: 'Alpha' },
      changed: ['area', 'project'],
    });
    const scene = await openScene({ changes: [change] });
    scene.script.lands = () => false;
    await scene.step();
    const user = scene.users.get('ana');
    if (user !== undefined) scene.users.set('ana', { ...user, fields: { area: 'After' }, lastUpdate: 'later' });
    await scene.play();
    expect(await scene.reasons()).toEqual({ ana: 'the platform ignored project' });
    expect(await scene.findings()).toMatchObject([
      expect.stringMatching(/^ignored-field: .* ignored project\. Check that the field is writable/),
    ]);
    expect((await scene.ledger('ana'))?.quirks).toEqual({ project: { sent: 'Alpha', observed: '', ignored: 1 } });
  });

  it('that someone else has edited fails after settle.visibleWithin, with a finding, and is not remembered', async () => {
    const scene = await fileOut();
    landAll(scene);
    const ana = scene.users.get('ana');
    if (ana !== undefined) scene.users.set('ana', { ...ana, fields: { area: 'Elsewhere', firstName: 'Ana' } });
    scene.script.status = done;
    expect((await scene.step()).kind).toBe('again');
    expect(await scene.batches()).toMatchObject([{ state: 'sent' }]);
    const took = await scene.play();
    expect(took).toBeGreaterThanOrEqual(settle.visibleWithinMs);
    expect(await scene.states()).toEqual({ ana: 'failed', eva: 'applied' });
    expect(await scene.findings()).toEqual([
      'changed-elsewhere: area was changed by another person or system; the next run plans again',
    ]);
    expect(await scene.ledger('ana')).toBeUndefined();
  });

  it('that someone else has edited is unresolved where the file never ended', async () => {
    const scene = await fileOut();
    const ana = scene.users.get('ana');
    if (ana !== undefined) scene.users.set('ana', { ...ana, fields: { area: 'Elsewhere', firstName: 'Ana' } });
    await scene.play();
    expect(await scene.states()).toEqual({ ana: 'unresolved', eva: 'unresolved' });
    expect((await scene.findings()).join()).not.toContain('changed-elsewhere');
  });
});
