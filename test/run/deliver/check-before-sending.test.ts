import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import { RollcallError } from '../../../src/core/run/errors.ts';
import { releaseFileLease, takeFileLease } from '../../../src/run/deliver/file-lease.ts';
import { sampleChange, sampleEntry } from '../../contracts/store-samples.ts';
import { failOnLeaks } from '../../support/leak-check.ts';
import { hour, openScene, type SceneOptions } from '../run-in-store.ts';

failOnLeaks();

const someone = (identification: string, enabled: boolean): User => {
  return { id: `9${identification}`, identification, enabled, fields: {}, unreadable: [] };
};
const was = (enabled: boolean) => ({ before: { userId: '9ana', enabled, fields: { area: 'Before' } } });

describe('a last look before a change goes out', () => {
  it.each([
    {
      name: 'a create of a user who is there by now',
      change: sampleChange('ana', 'create'),
      now: someone('ana', true),
      finding: 'lookup-disagrees: create not sent: the user is on the platform now; the next run checks it again',
    },
    {
      name: 'an update of a user who was disabled since',
      change: sampleChange('ana', 'update'),
      now: someone('ana', false),
      finding: 'foreign-disable: update not sent: the account was disabled after the plan was made',
    },
    {
      name: 'an update of a user who is gone',
      change: sampleChange('ana', 'update'),
      now: undefined,
      finding: 'lookup-disagrees: update not sent: the platform no longer has this user',
    },
    {
      name: 'a remove of a user who was enabled since',
      change: sampleChange('ana', 'remove', was(false)),
      kind: 'direct' as const,
      now: someone('ana', true),
      finding: 'lookup-disagrees: remove not sent: the account was enabled after the plan was made',
    },
  ])('leaves out $name', async ({ change, kind = 'csv' as const, now, finding }) => {
    const scene = await openScene({ changes: [change], kind });
    scene.users.clear();
    if (now !== undefined) scene.users.set('ana', now);
    await scene.play();
    expect(scene.sent).toEqual([]);
    expect(await scene.states()).toEqual({ ana: 'failed' });
    expect((await scene.reasons()).ana).toBe(finding.slice(finding.indexOf('not sent: ') + 'not sent: '.length));
    expect(await scene.findings()).toEqual([finding]);
    expect(await scene.ledger('ana')).toBeUndefined();
  });

  it.each(['create', 'update', 'remove'] as const)(
    'leaves out a %s of a user about whom read and search disagree',
    async (kind) => {
      const change = sampleChange('ana', kind, kind === 'create' ? {} : was(kind === 'update'));
      const scene = await openScene({ changes: [change], kind: kind === 'remove' ? 'direct' : 'csv' });
      scene.script.find = () => ({ found: 'unclear', reason: 'read and search disagree' });
      await scene.play();
      expect(scene.sent).toEqual([]);
      expect(await scene.findings()).toEqual([`lookup-disagrees: ${kind} not sent: read and search disagree`]);
    },
  );

  it.each([
    { name: 'an update', change: sampleChange('ana', 'update'), now: someone('ana', true) },
    { name: 'a create', change: sampleChange('ana', 'create'), now: undefined },
    { name: 'a remove', change: sampleChange('ana', 'remove', was(false)), now: someone('ana', false) },
    { name: 'a remove of a user who is gone', change: sampleChange('ana', 'remove', was(false)), now: undefined },
  ])('sends $name as planned', async ({ change, now }) => {
    const scene = await openScene({ changes: [change], kind: change.kind === 'remove' ? 'direct' : 'csv' });
    scene.users.clear();
    if (now !== undefined) scene.users.set('ana', now);
    await scene.step();
    expect(scene.sent).toEqual([['ana']]);
  });

  it.each(['enable', 'disable'] as const)(
    'asks for no %s: it may be done whatever the account is now',
    async (kind) => {
      const scene = await openScene({ changes: [sampleChange('ana', kind, was(kind === 'disable'))] });
      await scene.step();
      expect([scene.sent, scene.calls.find]).toEqual([[['ana']], 0]);
    },
  );

  it.each([
    { name: 'a run of 20 changes', files: [20], find: 20 },
    { name: 'a run of 21 changes', files: [21], find: 0 },
    { name: 'a file of 20 changes in a larger run', files: [20, 1], find: 0 },
    { name: 'a file of one change in a run of 21 such files', files: Array.from({ length: 21 }, () => 1), find: 0 },
  ])('reads the users of $name $find times where a lookup is young enough', async ({ files, find }) => {
    const names = files.map((count, file) => Array.from({ length: count }, (_, i) => `u${file}_${i}`));
    const changes = names.flat().map((name) => sampleChange(name));
    const scene = await openScene({ changes, batches: names });
    const at = scene.clock.now();
    await scene.store.runs.update((await scene.context()).owned, {
      read: { kind: 'full', at, fingerprint: 'f1' },
      delivery: { lookedAt: at },
    });
    await scene.step();
    expect([scene.sent.length, scene.calls]).toEqual([1, { find, scan: 0, status: 0 }]);
    const [first] = scene.events;
    expect(first).toMatchObject(find === 0 ? { step: 'delivering' } : { step: 'looking-up', users: 0, total: find });
  });

  it('reads each user who is to be removed, however many, and the others by one scan', async () => {
    const removes = Array.from({ length: 25 }, (_, i) => sampleChange(`r${i + 10}`, 'remove', was(false)));
    const creates = Array.from({ length: 25 }, (_, i) => sampleChange(`c${i + 10}`, 'create'));
    const scene = await openScene({ changes: [...removes, ...creates], kind: 'direct' });
    await scene.step();
    expect(scene.calls).toMatchObject({ find: 25, scan: 1 });
    expect(scene.events).toContainEqual({ step: 'looking-up', users: 0, total: 25 });
  });

  it('during a freeze leaves disables and removes to the run after it', async () => {
    const kinds = ['create', 'disable', 'remove', 'update'] as const;
    const changes = kinds.map((kind) => sampleChange(kind, kind));
    const scene = await openScene({ changes, kind: 'direct' });
    const until = scene.clock.now() + hour;
    Object.assign(scene.sync, { frozenUntil: () => until });
    await scene.play();
    expect(scene.sent).toEqual([['create', 'update']]);
    expect(await scene.states()).toEqual({
      create: 'applied',
      disable: 'dropped',
      remove: 'dropped',
      update: 'applied',
    });
    const { disable = '' } = await scene.reasons();
    expect(disable).toContain('freeze');
    expect(await scene.findings()).toEqual(['disable', 'remove'].map((kind) => `frozen: ${kind} not sent: ${disable}`));
  });

  it('leaves out a change whose new e-mail is still on another account', async () => {
    const change = { after: { email: 'old@x.com' }, changed: ['email'], waitsFor: 'ben' } as const;
    const ben = { ...someone('ben', true), fields: { email: 'old@x.com' } };
    const scene = await openScene({ changes: [sampleChange('ana', 'update', change)], users: [ben] });
    await scene.play();
    expect(scene.sent).toEqual([]);
    expect(await scene.reasons()).toEqual({ ana: 'its e-mail is still on user ben' });
    expect(await scene.findings()).toEqual(['email-conflict: update not sent: its e-mail is still on user ben']);
  });
});

describe('a last look at a large file', () => {
  const updates = Array.from({ length: 60 }, (_, i) => sampleChange(`u${i + 100}`));
  const others = (count: number) => Array.from({ length: count }, (_, i) => someone(`x${i + 100}`, true));

  it('leaves out the updates of users who were disabled since, by one scan', async () => {
    const scene = await openScene({ changes: updates });
    scene.users.set('u107', someone('u107', false));
    scene.users.delete('u108');
    await scene.step();
    expect(scene.sent[0]).toHaveLength(58);
    expect(scene.calls).toMatchObject({ scan: 1, find: 0 });
    expect(await scene.states()).toMatchObject({ u106: 'sent', u107: 'failed', u108: 'failed' });
    expect(await scene.findings()).toEqual([
      'foreign-disable: update not sent: the account was disabled after the plan was made',
      'lookup-disagrees: update not sent: the platform no longer has this user',
    ]);
  });

  it('reads each user where the scan would take more requests', async () => {
    const scene = await openScene({ changes: updates, users: others(100) });
    scene.script.pageSize = 2;
    scene.users.set('u107', someone('u107', false));
    await scene.step();
    expect(scene.sent[0]).toHaveLength(59);
    expect(scene.calls.find).toBe(60);
  });

  it('reads each user where the directory changes too fast for a scan, and fails with any other error', async () => {
    const scene = await openScene({ changes: updates });
    scene.script.scanError = new RollcallError('never still', { code: 'SCAN_INCOMPLETE' });
    scene.users.set('u107', someone('u107', false));
    await scene.step();
    expect([scene.sent[0]?.length, scene.calls.find]).toEqual([59, 60]);
    const failing = await openScene({ changes: updates });
    failing.script.scanError = new RollcallError('down', { code: 'PLATFORM_UNREACHABLE' });
    await expect(failing.step()).rejects.toBe(failing.script.scanError);
    failing.script.scanError = new TypeError('a bug');
    await expect(failing.step()).rejects.toBe(failing.script.scanError);
  });

  it('leaves out an update of an identification that two users have', async () => {
    const scene = await openScene({ changes: updates });
    scene.users.set('twin', { ...someone('u107', true), id: '1' });
    await scene.step();
    expect(await scene.findings()).toEqual(['lookup-disagrees: update not sent: 2 users claim the identification']);
  });

  it('reads no create of many one by one: the scan shows who is there by now', async () => {
    const creates = Array.from({ length: 60 }, (_, i) => sampleChange(`u${i + 100}`, 'create'));
    const scene = await openScene({ changes: creates, users: [someone('u107', true)] });
    await scene.step();
    expect(scene.calls).toMatchObject({ scan: 1, find: 0 });
    expect(scene.sent[0]).toHaveLength(59);
  });
});

describe('a piece of a failed file', () => {
  it('is not sent where its rows landed meanwhile: they are applied, and the ledger says so', async () => {
    const names = ['ana', 'eva', 'leo', 'mia'];
    const scene = await openScene({ changes: names.map((name) => sampleChange(name, 'disable')) });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play(async () => (await scene.batches()).length === 3);
    for (const name of ['ana', 'eva', 'leo']) scene.users.set(name, someone(name, false));
    scene.script.lands = () => true;
    scene.script.status = { kind: 'done', text: 'Processed' };
    await scene.play();
    expect(scene.sent).toEqual([names, ['mia']]);
    expect((await scene.run()).counts).toMatchObject({ applied: 4, failed: 0 });
    expect(await scene.ledger('ana')).toMatchObject({ owner: 'people', disabledAt: expect.any(Number) });
  });

  it.each([
    {
      name: 'of many rows is looked up one by one where the directory changes too fast for a scan',
      code: 'SCAN_INCOMPLETE',
    },
    { name: 'is not sent where its rows cannot be looked up', code: 'PLATFORM_BUSY' },
    { name: 'of many rows is looked up by one scan', code: undefined },
  ] as const)('$name', async ({ code }) => {
    const changes = Array.from({ length: 120 }, (_, i) => sampleChange(`u${i + 100}`));
    const scene = await openScene({ changes, delivery: { failedFile: { seen: 0, showsLate: false } } });
    scene.script.lands = () => false;
    scene.script.status = { kind: 'failed', text: 'Failed' };
    await scene.play(async () => (await scene.batches()).length === 3);
    const before = scene.calls.find;
    if (code !== undefined) scene.script.scanError = new RollcallError('the directory changes', { code });
    const scans = scene.calls.scan;
    if (code === undefined) {
      scene.users.delete('u107');
      scene.users.set('u108', someone('u108', false));
      await scene.step();
      expect([scene.calls.find - before, scene.calls.scan - scans]).toEqual([0, 1]);
      expect(scene.sent.map((rows) => rows.length)).toEqual([120, 58]);
    } else if (code === 'SCAN_INCOMPLETE') {
      await scene.step();
      expect([scene.calls.find - before, scene.sent.map((rows) => rows.length)]).toEqual([60, [120, 60]]);
    } else {
      await expect(scene.step()).rejects.toBe(scene.script.scanError);
      expect(scene.sent).toHaveLength(1);
    }
  });
});

it('sends nothing when the plan became too old during the lookups', async () => {
  const scene = await openScene({ changes: [sampleChange('ana')] });
  scene.script.find = () => void scene.clock.jumpTo(scene.clock.now() + 25 * hour);
  expect(await scene.step()).toEqual({ kind: 'next' });
  await scene.step();
  expect([scene.sent, (await scene.run()).phase], 'it plans again').toEqual([[], 'reading']);
});

it('leaves out a user of whom another run has sent a change that is not proven', async () => {
  const other = await openScene({ changes: [sampleChange('ana')], settings: { name: 'guests' } });
  await other.step();
  const scene = await openScene({
    beside: other,
    run: 'run_2',
    changes: ['ana', 'eva'].map((name) => sampleChange(name)),
  });
  await takeFileLease((await scene.context()).owned, scene.io);
  await releaseFileLease((await other.context()).owned, other.io);
  await scene.step();
  expect(scene.sent).toEqual([['eva']]);
  const reason = 'another run sent a change of this user whose outcome is not known yet; the next run checks again';
  expect([(await scene.reasons()).ana, await scene.findings()]).toEqual([reason, [`unresolved: ${reason}`]]);
});

it('looks a user up, before and after, as the platform shows the identification', async () => {
  const before = { userId: '9', enabled: true, fields: {}, rawIdentification: ' ana ' };
  const scene = await openScene({ changes: [sampleChange('ana', 'update', { before })] });
  await scene.play();
  expect(new Set(scene.asked)).toEqual(new Set([' ana ']));
  expect(await scene.states()).toEqual({ ana: 'applied' });
});

describe('a user of another sync', () => {
  const other = { name: 'guests' };

  async function ownedBy(owner: string, options: Partial<SceneOptions> = {}, removed?: true) {
    const first = await openScene({ changes: [], settings: other });
    const entry = sampleEntry('ana', { owner, ...(removed ? { removed: { at: 1, blacklist: false } } : {}) });
    return openScene({ beside: first, run: 'run_2', changes: [sampleChange('ana')], ledger: [entry], ...options });
  }

  it.each(['update', 'disable', 'create', 'enable'] as const)('is not touched by a %s', async (kind) => {
    const change = sampleChange('ana', kind, kind === 'create' ? {} : was(kind !== 'enable'));
    const scene = await ownedBy('guests', { changes: [change] });
    await scene.play();
    expect(scene.sent).toEqual([]);
    expect(await scene.states()).toEqual({ ana: 'failed' });
    expect(await scene.findings()).toEqual([
      'owned-by-other-sync: now belongs to sync guests, so people does not change it',
    ]);
    expect((await scene.ledger('ana'))?.owner).toBe('guests');
  });

  it.each([
    { name: 'its own sync', owner: 'people' },
    { name: 'a sync that is configured no more', owner: 'gone' },
    { name: 'another sync that removed it', owner: 'guests', removed: true as const },
  ])('is written where it belongs to $name', async ({ owner, removed }) => {
    const scene = await ownedBy(owner, {}, removed);
    await scene.step();
    expect(scene.sent).toEqual([['ana']]);
  });
});
