import { expect, it } from 'vitest';
import type { FieldRule, SyncSettings, WriteRule } from '../../../src/core/run/settings.ts';
import { explain } from '../../../src/run/why.ts';
import { plainSettings } from '../plain-settings.ts';
import { account, all, only, openPlanScene, type Planned, row } from '../plan-scene.ts';

function areaBy(write: WriteRule): Partial<SyncSettings> {
  const { mapping } = plainSettings;
  const area = { ...(mapping.fields.area as FieldRule), write };
  return { mapping: { ...mapping, fields: { ...mapping.fields, area } } };
}

const told = ({ changes, plan }: Planned) => [
  Object.fromEntries(changes.map(({ identification, kind }) => [identification, kind])),
  plan.facts.respectedEdits,
];
const full = { kind: 'all', isFull: true } as const;

it('an edit on the platform is respected in whole, named and delta runs, until HR changes the value', async () => {
  const records = [row('a1'), row('b2')];
  const users = [account('a1'), account('b2')];
  const scene = await openPlanScene({
    records,
    users,
    settings: { ...areaBy('keepLocalEdits'), deltas: { fullEveryMs: 86_400_000, overlapMs: 60_000 } },
  });
  await scene.run();
  scene.users.set('a1', account('a1', { fields: { area: 'Local' } }));
  const kept = [{}, 1];
  expect(told(await scene.show(all))).toEqual(kept);
  expect(told(await scene.show(only('a1')))).toEqual(kept);
  expect(told(await scene.run(full))).toEqual(kept);
  scene.source.changed = [row('a1')];
  expect(told(await scene.run(all))).toEqual(kept);
  expect(scene.source.requests.at(-1)?.kind).toBe('delta');
  const { decision } = await explain('a1', scene.sync, scene.io, scene.stopping.signal);
  expect(decision).toMatchObject({ rule: 'active-equal', kept: { area: 'keepLocalEdits' } });

  scene.source.records = [row('a1', { area: 'Finance' }), row('b2')];
  scene.source.changed = undefined;
  expect(told(await scene.run(full))).toEqual([{ a1: 'update' }, 0]);
  expect(scene.users.get('a1')?.fields.area).toBe('Finance');
  expect(told(await scene.run(full))).toEqual([{}, 0]);
});

it('an account that Rollcall creates has the values at once, so an edit before the next read is respected', async () => {
  const scene = await openPlanScene({ records: [row('a1')], settings: areaBy('keepLocalEdits') });
  await scene.run();
  scene.users.set('a1', account('a1', { id: scene.users.get('a1')?.id ?? '', fields: { area: 'Local' } }));
  scene.source.records = [row('a1', { area: 'Finance' })];
  expect((await scene.show()).kinds).toEqual({ a1: 'update' });
});

it('fields of a create only, and of empty fields only, settle without a change in each run', async () => {
  for (const write of ['onCreate', 'ifEmpty'] as const) {
    const records = [row('a1', { area: 'Finance' }), row('b2', { area: 'Finance' }), row('c3', { area: 'Finance' })];
    const users = [account('a1'), account('b2', { fields: { area: '' } })];
    const scene = await openPlanScene({ records, users, settings: areaBy(write) });
    const fills = write === 'ifEmpty' ? { b2: 'update' } : {};
    expect(told(await scene.run())[0]).toEqual({ c3: 'create', ...fills });
    expect([...scene.users.values()].map(({ fields }) => fields.area)).toEqual([
      'Sales',
      write === 'ifEmpty' ? 'Finance' : '',
      'Finance',
    ]);
    expect((await scene.run()).kinds).toEqual({});
  }
});
