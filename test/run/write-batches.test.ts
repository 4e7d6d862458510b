import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/core/plan/change.ts';
import type { BatchLoad } from '../../src/core/run/requests.ts';
import type { SyncSettings } from '../../src/core/run/settings.ts';
import type { Batch } from '../../src/ports/store.ts';
import { fewChanges } from '../../src/run/plan-changes.ts';
import { previewBatches, writeBatches } from '../../src/run/seal/write-batches.ts';
import { sampleChange } from '../contracts/store-samples.ts';
import { openScene, type Scene } from './run-in-store.ts';

const csv = { delivery: 'csv' } as const;
const open = (changes: readonly Change[], settings: Partial<SyncSettings> = {}): Promise<Scene> =>
  openScene({ changes, batches: [], settings });

const namesIn = async ({ store }: Scene, { run, id }: Batch) =>
  (await store.plans.page(run, { batch: id, limit: 100 })).map(({ identification }) => identification);

/** Writes the batches of the plan, as a run does. */
async function write(scene: Scene): Promise<readonly BatchLoad[]> {
  const context = await scene.context();
  const { loads, last } = await writeBatches(context, {}, scene.io);
  await scene.store.batches.create(context.owned, last);
  return loads;
}

/** What is sent together, in order: the route and the names. */
async function written(scene: Scene): Promise<readonly string[]> {
  await write(scene);
  return shownOf(scene);
}

async function shownOf(scene: Scene): Promise<readonly string[]> {
  const batches = await scene.batches();
  return Promise.all(
    batches.map(async (batch) => {
      const names = await namesIn(scene, batch);
      expect(batch.size).toBe(names.length);
      return [batch.kind, ...names].join(' ');
    }),
  );
}

const disable = (name: string) => sampleChange(name, 'disable');
/** A row with a write-only field, so it needs a file of its own. */
const withJob = (name: string, over: Partial<Omit<Change, 'hash'>> = {}) =>
  sampleChange(name, 'update', { after: { job: 'Boss' }, changed: ['job'], ...over });
const waits = (name: string, waitsFor: string, over: Partial<Omit<Change, 'hash'>> = {}) =>
  sampleChange(name, 'update', { after: { email: `${waitsFor}@x.com` }, changed: ['email'], waitsFor, ...over });
const numbered = (count: number) => Array.from({ length: count }, (_, i) => sampleChange(`u${i + 100}`, 'create'));

describe('a plan of delivery auto', () => {
  it.each([
    { name: '20 creates', changes: numbered(20), routes: ['direct'] },
    { name: '20 creates and removes', changes: [...numbered(20), sampleChange('zoe', 'remove')], routes: ['direct'] },
    { name: '21 creates', changes: numbered(21), routes: ['csv'] },
    { name: 'a disable after creates', changes: [...numbered(2), disable('zoe')], routes: ['csv', 'csv'] },
    { name: 'a disable before creates', changes: [disable('ana'), ...numbered(2)], routes: ['csv', 'csv'] },
    {
      name: 'a field that only files carry',
      changes: [...numbered(2), sampleChange('ana', 'create', { after: { office: 'Rome' } })],
      routes: ['csv'],
    },
  ])('with $name is sent by $routes', async ({ changes, routes }) => {
    const scene = await open(changes);
    await write(scene);
    expect((await scene.batches()).map(({ kind }) => kind)).toEqual(routes);
  });

  it('counts only the changes that are not held', async () => {
    const scene = await open([...numbered(20), disable('zoe')]);
    const { owned } = await scene.context();
    await scene.store.plans.hold(owned, 'run_1', ['disables'], 'too many');
    expect(await previewBatches({ planId: 'run_1', states: ['held'], sync: scene.sync }, scene.io)).toEqual([
      { kind: 'csv', size: 1, leads: 0 },
    ]);
    expect((await written(scene)).map((text) => text.split(' ').length)).toEqual([21]);
    expect(await scene.batches()).toMatchObject([{ kind: 'direct', number: 1, size: 20 }]);
  });
});

describe('the changes of a plan', () => {
  it('are counted by batch, and a preview counts the same without writing', async () => {
    const scene = await open(
      [
        sampleChange('ana', 'create'),
        sampleChange('ben', 'remove'),
        disable('eva'),
        sampleChange('kai', 'enable'),
        sampleChange('leo', 'update'),
        sampleChange('mia', 'update'),
        waits('tom', 'leo'),
      ],
      csv,
    );
    const loads = (['csv', 'csv', 'direct', 'csv', 'csv'] as const).map((kind, i) => ({
      ...{ kind, size: i === 3 ? 3 : 1, leads: 0 },
    }));
    expect(await previewBatches({ planId: 'run_1', states: ['planned'], sync: scene.sync }, scene.io)).toEqual(loads);
    expect(await scene.batches()).toEqual([]);
    expect(await write(scene)).toEqual(loads);
    expect(await shownOf(scene)).toEqual(['csv eva', 'csv ana', 'direct ben', 'csv kai leo mia', 'csv tom']);
    expect((await scene.batches()).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  it('are all in batches where they are more than one page', async () => {
    const scene = await open(numbered(501), csv);
    expect(await fewChanges('run_1', scene.io)).toEqual({});
    expect(await write(scene)).toMatchObject([{ kind: 'csv', size: 501 }]);
    expect(await scene.batches()).toMatchObject([{ size: 501 }]);
  });

  it('fill batches of batchRows, and each full one goes before those that are not full', async () => {
    const names = ['ben', 'eva', 'leo', 'mia', 'tom'];
    const scene = await open([withJob('ana'), ...names.map((name) => sampleChange(name))], { ...csv, batchRows: 2 });
    expect(await written(scene)).toEqual(['csv ben eva', 'csv leo mia', 'csv ana', 'csv tom']);
  });

  it.each([
    { delivery: 'csv', file: 'csv' },
    { delivery: 'outbox', file: 'outbox' },
  ] as const)('that disable go first by $delivery, in files of their own', async ({ delivery, file }) => {
    const expected = sampleChange('leo', 'disable', { classes: ['handOvers'] });
    const changes = [sampleChange('ana'), disable('ben'), sampleChange('eva'), expected, disable('zoe')];
    const scene = await open(changes, { delivery, batchRows: 2 });
    expect(await written(scene)).toEqual([`${file} ben leo`, `${file} zoe`, `${file} ana eva`]);
  });

  it('that write different write-only fields go in different files, and together by calls', async () => {
    const changes = [sampleChange('ana'), withJob('ben'), sampleChange('eva'), withJob('leo')];
    expect(await written(await open(changes, csv))).toEqual(['csv ana eva', 'csv ben leo']);
    expect(await written(await open(changes))).toEqual(['direct ana ben eva leo']);
  });

  it('that have no route are in no batch', async () => {
    const scene = await open([sampleChange('ana'), disable('eva')], { delivery: 'direct' });
    expect(await written(scene)).toEqual(['direct ana']);
  });
});

describe('changes that take over e-mails', () => {
  it('go after those that they wait for, one batch for each step, in pieces of batchRows', async () => {
    const changes = [
      waits('ana', 'ben'),
      waits('ben', 'tom'),
      waits('eva', 'zoe'),
      waits('leo', 'zoe'),
      sampleChange('tom'),
      sampleChange('zoe'),
    ];
    const scene = await open(changes, { ...csv, batchRows: 2 });
    expect(await written(scene)).toEqual(['csv tom zoe', 'csv ben eva', 'csv leo', 'csv ana']);
  });

  it('go after one that has no route, of which nothing is sent', async () => {
    const changes = [waits('ana', 'ben'), waits('ben', 'tom', { after: { office: 'Rome' } }), sampleChange('tom')];
    const scene = await open(changes, { delivery: 'direct' });
    expect(await written(scene)).toEqual(['direct tom', 'direct ana']);
  });
});
