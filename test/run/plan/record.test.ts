import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import type { RunScope } from '../../../src/ports/store.ts';
import { approve, reject } from '../../contracts/store-samples.ts';
import { compilePlainMapping, configured, plainSettings } from '../plain-settings.ts';
import { account, all, guards, only, openPlanScene, type PlanScene, row } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };
const full: RunScope = { kind: 'all', isFull: true };
const incomplete = { complete: false, rows: 2, reasons: ['a page failed'] } as const;

/** Edits the configuration of the sync. */
function edit(scene: PlanScene, over: Partial<SyncSettings>): void {
  const settings = { ...scene.sync.settings, ...over };
  const fingerprint = JSON.stringify(over);
  Object.assign(scene.sync, { settings, mapping: compilePlainMapping(settings), ...configured(settings), fingerprint });
}

/** The area comes from another column. */
const byTeam = (): Partial<SyncSettings> => {
  const { identification, fields } = plainSettings.mapping;
  return { mapping: { identification, fields: { ...fields, area: { ...fields.area, path: 'team' } as never } } };
};

/** What the store knows of the configuration: whether the present one is the baseline, or was measured, and is open. */
async function baselineOf({ store, sync }: PlanScene) {
  const { accepted, measured } = await store.baselines.read('people');
  if (accepted?.fingerprint === sync.configuration.fingerprint) return 'accepted';
  if (measured?.fingerprint !== sync.configuration.fingerprint) return accepted && 'an earlier one';
  return measured.isHeld ? 'held' : 'measured';
}

const two = [row('a1', { team: 'Sales' }), row('b2', { team: 'Sales' })];
const users = [account('a1'), account('b2')];

describe('the configuration of a sync', () => {
  it.each<[what: string, scope: RunScope, over: object, known: string | undefined]>([
    ['a full read', all, {}, 'accepted'],
    ['a read of a few people', only('a1'), {}, undefined],
    ['a read without proof', all, { end: incomplete }, undefined],
    ['a doubted read', all, { records: [row('a1'), row('b2', { status: 'odd' })] }, undefined],
  ])('is accepted first by a full read that no guard doubts: %s', async (_, scope, over, known) => {
    const blocked = { ...none, oneInRows: 0 };
    const scene = await openPlanScene({ records: two, users, settings: guards({ blocked }) });
    Object.assign(scene.source, over);
    await scene.plan(scope);
    expect(await baselineOf(scene)).toBe(known);
  });

  const other = [row('a1', { team: 'Law' }), row('b2', { team: 'Sales' })];
  const isHeld = guards({ configuration: none });

  it.each<[what: string, records: readonly SourceRecord[], scope: RunScope, known: string]>([
    ['changes no one', two, full, 'accepted'],
    ['changes one person', other, full, 'measured'],
    ['gives to one who comes', [...two, row('c3', { team: 'Law' })], full, 'measured'],
    ['is held', other, full, 'held'],
    ['is seen by a read of a few people alone', other, only('a1'), 'an earlier one'],
  ])('after an edit that %s', async (_, records, scope, known) => {
    const scene = await openPlanScene({ records: two, users, settings: known === 'held' ? isHeld : {} });
    await scene.plan();
    scene.source.records = records;
    edit(scene, byTeam());
    await scene.plan(scope);
    expect(await baselineOf(scene)).toBe(known);
  });

  it('is measured, and not accepted, while all that it changes was rejected', async () => {
    const scene = await openPlanScene({ records: two, users, settings: isHeld });
    await scene.plan();
    scene.source.records = other;
    edit(scene, byTeam());
    const { changes } = await scene.plan();
    await reject(scene.store, changes);
    expect((await scene.plan()).kinds).toEqual({ a1: 'update dropped' });
    expect(await baselineOf(scene)).toBe('measured');
  });
});

it('who comes while an edit is held gets what the earlier configuration gives, also where that was approved', async () => {
  const settings = guards({ configuration: none, creates: none });
  const scene = await openPlanScene({ records: two, users, settings });
  await scene.plan();
  scene.source.records = [...two, row('c3', { team: 'Law' }), row('d4', { team: 'Law' })];
  const before = await scene.plan();
  expect(before.kinds).toEqual({ c3: 'create held', d4: 'create held' });
  await approve(scene.store, before.changes.slice(0, 1));
  edit(scene, byTeam());
  const { kinds, changes } = await scene.plan();
  expect(kinds).toEqual({ c3: 'create', d4: 'create held' });
  expect(changes.map(({ after }) => after.area)).toEqual(['Sales', 'Sales']);
});

it.each<[what: string, rows: readonly SourceRecord[], stored: object]>([
  ['without a blocked person', [], {}],
  ['with as many rows as people', [row('c3', { status: 'odd' })], { 'status-unknown': 1 }],
  ['with more rows than people', [row('a1', { area: 'Law' })], { 'identity-conflict': 1, rows: 2 }],
  ['with an unreadable cell', [row('c3', { area: '5.99E+10' })], { cells: { area: 1 } }],
])('a read is stored with what it cannot use: %s', async (_, rows, stored) => {
  const scene = await openPlanScene({ records: [...two, ...rows], users });
  await scene.plan();
  const { filled: _filled, ...blocked } = (await scene.store.reads.last('people'))?.blocked ?? {};
  expect(blocked).toEqual(stored);
});

it('a user whom only an edit claims is not changed where another sync took over the user in the meantime', async () => {
  const guests = await openPlanScene({
    records: [row('a1'), row('g1')],
    users: [account('a1')],
    settings: { name: 'guests' },
  });
  const a1 = row('a1', { type: 'guest', area: 'Law' });
  const scene = await openPlanScene({
    beside: guests,
    records: [a1, row('b2')],
    settings: { scope: "type = 'staff'" },
  });
  await guests.plan();
  await scene.plan();
  guests.clock.advance(1000);
  guests.source.records = [row('g1')];
  await guests.plan();
  edit(scene, { scope: undefined });
  Object.assign(scene.store.ledger, { takeOver: async () => new Set() });
  const { kinds, changes, findings } = await scene.plan();
  expect([kinds, findings]).toEqual([{ a1: 'update dropped', b2: 'create' }, []]);
  expect(changes[0]?.stateReason).toBe('another sync took over the user in the meantime');
});
