import { describe, expect, it } from 'vitest';
import { formatInstant } from '../../../src/core/run/formats.ts';
import {
  blockedUsers,
  claimedElsewhere,
  resolveUnresolved,
  type Unresolved,
} from '../../../src/run/compare/unresolved.ts';
import { endRun, openRun, sampleBatch, sampleChange, writePlan } from '../../contracts/store-samples.ts';
import { someInstant } from '../../support/fake-clock.ts';
import { openScene, type Scene, type SceneOptions, settle } from '../run-in-store.ts';

const names = ['ana', 'eva', 'leo'];

/** A run about to plan, after one that ended with `ana` applied and `eva` and `leo` in an unresolved batch. */
async function afterUnresolved(
  state: 'sent' | 'unresolved' = 'unresolved',
  options: Partial<SceneOptions> = {},
  over: { readonly sync?: string; readonly finalAt?: number } = {},
): Promise<Scene> {
  const scene = await openScene({ changes: [], run: 'run_9', ...options });
  const { store } = scene;
  const owned = await openRun(store, { id: 'run_1', sync: 'leavers' });
  await writePlan(
    store,
    { id: 'run_1', owned },
    names.map((name) => sampleChange(name)),
  );
  const batch = sampleBatch(owned, 1, { size: 3, sentAt: someInstant, sync: 'people', ...over });
  await store.batches.create(owned, [{ batch, identifications: names }]);
  const marks = [
    { identification: 'ana', state: 'applied' },
    { identification: 'eva', state },
    { identification: 'leo', state: 'unresolved' },
  ] as const;
  await store.batches.update(owned, batch.id, { state: 'unresolved' }, { marks });
  await endRun(store, owned);
  for (const name of names) show(scene, name, 'Before');
  return scene;
}

function show({ users }: Scene, name: string, area: string): void {
  users.set(name, {
    id: `9${name}`,
    identification: name,
    enabled: true,
    fields: { area, firstName: 'Ana' },
    unreadable: [],
  });
}

/** Only the names of the users who wait: the reasons have a test of their own. */
const bare = ({ blocked, released }: Unresolved) => ({ blocked: new Set(blocked.keys()), released });
const unknown = ({ store, sync }: Scene) => store.batches.unknown([sync.settings.connection]);
const resolveAll = async (scene: Scene) =>
  resolveUnresolved(await scene.context(), (await unknown(scene)).unresolved, scene.io);
const lookAtAll = async (scene: Scene) => blockedUsers(scene.sync, (await unknown(scene)).unresolved, scene.io);
const resolve = async (scene: Scene) => bare(await resolveAll(scene));
const lookAt = async (scene: Scene) => bare(await lookAtAll(scene));
const claims = async (scene: Scene, run: string) => claimedElsewhere((await unknown(scene)).unproven, run, scene.io);
const claimed = async (scene: Scene, run = 'plan_1') => [...(await claims(scene, run)).keys()];
const batchOf = (scene: Scene) => scene.store.batches.get('run_1_b1');
const statesOf = async ({ store }: Scene) =>
  (await store.plans.page('run_1', { limit: 3 })).map(({ state }) => state).join();

const waiting = new Set(['eva', 'leo']);
const none = new Set();

it('users with a change that another run in progress has sent are claimed, and those of the run itself are not', async () => {
  const scene = await openScene({ changes: names.map((name) => sampleChange(name)), run: 'run_1' });
  expect(await claimed(scene, 'run_9')).toEqual([]);
  await scene.step();
  expect(await claimed(scene, 'run_9')).toEqual(names);
  expect(await claimed(scene)).toEqual(names);
  expect(await claimed(scene, 'run_1')).toEqual([]);
});

describe('users of a batch whose outcome is not known', () => {
  it.each(['sent', 'unresolved'] as const)(
    'that were left %s wait, and are planned anew after the wait',
    async (state) => {
      const scene = await afterUnresolved(state);
      expect(await lookAt(scene)).toMatchObject({ blocked: waiting, released: none });
      expect(await resolve(scene)).toMatchObject({ blocked: waiting, released: none });
      scene.clock.jumpTo(someInstant + settle.unknownAfterMs - 1);
      expect(await lookAt(scene)).toMatchObject({ blocked: waiting, released: none });
      expect(await resolve(scene)).toMatchObject({ blocked: waiting, released: none });
      scene.clock.jumpTo(someInstant + settle.unknownAfterMs);
      expect(await lookAt(scene)).toMatchObject({ blocked: none, released: waiting });
      expect(await statesOf(scene)).toBe(`applied,${state},unresolved`);
      expect(await resolve(scene)).toMatchObject({ blocked: none, released: waiting });
      expect(await statesOf(scene)).toBe('applied,failed,failed');
      expect(await batchOf(scene)).toMatchObject({
        state: 'settled',
        reason: '2 changes were not seen applied in time; planned again',
      });
      expect(await resolve(scene)).toMatchObject({ blocked: none, released: none });
    },
  );

  it('that all show their change are free at once, with the ledger written', async () => {
    const scene = await afterUnresolved();
    show(scene, 'eva', 'After');
    show(scene, 'leo', 'After');
    expect(await resolve(scene)).toMatchObject({ blocked: none, released: none });
    expect(await statesOf(scene)).toBe('applied,applied,applied');
    expect(await batchOf(scene)).toMatchObject({ state: 'settled', reason: 'every change was seen applied' });
    expect(await scene.ledger('eva')).toMatchObject({ owner: 'people', writtenAt: someInstant });
  });

  it('of whom one does not show it all wait, and nothing is stored', async () => {
    const scene = await afterUnresolved();
    show(scene, 'eva', 'After');
    expect(await resolve(scene)).toMatchObject({ blocked: waiting, released: none });
    expect([await statesOf(scene), await scene.ledger('eva')]).toEqual(['applied,unresolved,unresolved', undefined]);
    scene.clock.jumpTo(someInstant + settle.unknownAfterMs);
    expect(await resolve(scene)).toMatchObject({ blocked: none, released: new Set(['leo']) });
    expect(await statesOf(scene)).toBe('applied,applied,failed');
    expect(await scene.ledger('leo')).toBeUndefined();
  });

  it('about whom read and search disagree are not taken for applied', async () => {
    const scene = await afterUnresolved();
    show(scene, 'eva', 'After');
    show(scene, 'leo', 'After');
    scene.script.find = () => ({ found: 'unclear', reason: 'read and search disagree' });
    expect(await resolve(scene)).toMatchObject({ blocked: waiting, released: none });
  });

  it('wait for their own sync, which alone looks for them, however long it takes', async () => {
    const owner = await openScene({ changes: [], settings: { name: 'guests' }, run: 'run_8' });
    const scene = await afterUnresolved('unresolved', { beside: owner }, { sync: 'guests' });
    for (const name of names) show(scene, name, 'After');
    scene.clock.jumpTo(someInstant + 2 * settle.unknownAfterMs);
    expect(await resolve(scene)).toMatchObject({ blocked: waiting, released: none });
    const reason =
      'the outcome of a change by sync guests is not known: nothing is sent for this user until sync guests knows it';
    const { blocked } = await lookAtAll(scene);
    expect(blocked.get('eva')).toEqual({ reason, isOwn: false, run: 'run_1', until: undefined });
    expect(scene.calls.find).toBe(0);
  });

  it('are looked for by any sync when theirs is configured no more', async () => {
    const scene = await afterUnresolved('unresolved', {}, { sync: 'gone' });
    for (const name of names) show(scene, name, 'After');
    expect(await resolve(scene)).toMatchObject({ blocked: none, released: none });
    expect(await batchOf(scene)).toMatchObject({ state: 'settled' });
  });

  it('say why they wait and until when, in a plan and in a run', async () => {
    const scene = await afterUnresolved('unresolved', {}, { finalAt: someInstant + 1_000 });
    const until = formatInstant(someInstant + 1_000 + settle.unknownAfterMs);
    const wait = {
      reason: `the outcome of an earlier change is not known: nothing is sent for this user until the platform shows the change, or until ${until} (settle.unknownAfter)`,
      isOwn: true,
      run: 'run_1',
      until: someInstant + 1_000 + settle.unknownAfterMs,
    };
    const blocked = new Map([
      ['eva', wait],
      ['leo', wait],
    ]);
    expect(await lookAtAll(scene)).toEqual({ blocked, released: none });
    expect(await resolveAll(scene)).toEqual({ blocked, released: none });
  });

  it('of another run say which run they wait for', async () => {
    const scene = await openScene({ changes: [sampleChange('ana')], run: 'run_1' });
    await scene.step();
    expect((await claims(scene, 'run_9')).get('ana')).toEqual({
      reason: 'run run_1 of sync people has sent a change for this user, and has not read it back yet',
      isOwn: false,
      run: 'run_1',
      until: undefined,
    });
  });
});
