import { describe, expect, it } from 'vitest';
import type { Case } from '../../../src/core/plan/plan.ts';
import { findTakenEmails } from '../../../src/run/deliver/check-before-sending.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { reportFoundParked, reportLeftParked } from '../../../src/run/prove/report-parked.ts';
import { endRun, openRun, sampleBatch, sampleChange, writePlan } from '../../contracts/store-samples.ts';
import { account } from '../plan-scene.ts';
import { openScene, type Scene } from '../run-in-store.ts';

const takes = (name: string, waitsFor: string, email = 'Old@x.com') =>
  sampleChange(name, 'update', { after: { email }, changed: ['email'], waitsFor });
const holder = (name: string, email = 'old@X.com', id = `9${name}`) => account(name, { id, fields: { email } });

async function reasons(scene: Scene): Promise<Record<string, string>> {
  const changes = await scene.store.plans.page('run_1', { limit: 1000 });
  return Object.fromEntries(await findTakenEmails(changes, await scene.context(), scene.io));
}

describe('an e-mail that a change takes over', () => {
  it.each([
    { name: 'is still on that account, in any case', users: [holder('b2')], taken: 'its e-mail is still on user b2' },
    { name: 'is free when the account has another one', users: [holder('b2', 'new@x.com')], taken: undefined },
    { name: 'is free when the account has none', users: [account('b2')], taken: undefined },
    { name: 'is free when the account is gone', users: [], taken: undefined },
  ])('$name', async ({ users, taken }) => {
    const scene = await openScene({ changes: [takes('a1', 'b2'), sampleChange('c3')], users });
    expect((await reasons(scene)).a1).toBe(taken);
    expect([scene.asked, scene.calls.scan]).toEqual([['b2'], 0]);
  });

  it('is not taken while read and search disagree about that account', async () => {
    const scene = await openScene({ changes: [takes('a1', 'b2')] });
    scene.script.find = () => ({ found: 'unclear', reason: 'they disagree' });
    expect(await reasons(scene)).toEqual({ a1: 'they disagree' });
  });

  it('is looked for by one scan where there are many, and two accounts of one identification are no answer', async () => {
    const names = Array.from({ length: 51 }, (_, i) => `p${i}`);
    const users = names.slice(0, 50).map((name, i) => holder(name, i === 7 ? 'old@x.com' : 'new@x.com'));
    const scene = await openScene({ changes: names.map((name) => takes(`to ${name}`, name)), users });
    scene.users.set('second', holder('p3', 'old@x.com', 'second'));
    expect(await reasons(scene)).toEqual({
      'to p3': '2 users claim the identification',
      'to p7': 'its e-mail is still on user p7',
    });
    expect([scene.calls.scan, scene.asked]).toEqual([1, []]);
  });
});

it('users are reported as parked when the last step of their change was not applied, and no others', async () => {
  const scene = await openScene({ changes: [] });
  const { store, io } = scene;
  const owned = await openRun(store, { id: 'run_2', sync: 'parking' });
  const names = ['applied', 'failed', 'half', 'parking', 'plain', 'unverified'];
  await writePlan(
    store,
    { id: 'run_2', owned, sync: 'parking' },
    names.map((name) => sampleChange(name)),
  );
  const batch = (number: number, parent?: number, isParking = false) =>
    sampleBatch(owned, number, {
      parent: parent === undefined ? undefined : `run_2_b${parent}`,
      ...(isParking ? { isParking } : {}),
    });
  await store.batches.create(owned, [
    { batch: batch(1, undefined, true), identifications: names.filter((name) => name !== 'plain') },
    { batch: batch(2, 1, true), identifications: ['parking'] },
    { batch: batch(3, 1), identifications: ['applied', 'failed', 'half', 'unverified'] },
    { batch: batch(4, 3), identifications: ['half'] },
    { batch: batch(5), identifications: ['plain'] },
    { batch: batch(6, 5), identifications: ['plain'] },
  ]);
  const states = { applied: 'applied', unverified: 'unverified' } as const;
  await store.plans.setStates(
    owned,
    names.map((name) => ({ identification: name, state: states[name as keyof typeof states] ?? 'failed' })),
  );
  const found = await reportLeftParked(await io.store.batches.ofRun('run_2'), io);
  expect(found.map(({ code, identification }) => `${code} ${identification}`)).toEqual([
    'email-parked failed',
    'email-parked half',
  ]);
  expect(await reportLeftParked(await io.store.batches.ofRun('run_1'), io)).toEqual([]);
  await endRun(store, owned);
});

it.each([
  { what: 'who works and has it, in any case', told: true },
  { what: 'who has left', says: 'leaver', told: false },
  { what: 'with an e-mail of their own', email: 'a1@x.com', told: false },
  { what: 'without an e-mail', email: undefined, told: false },
  { what: 'whose identification makes no address', identification: 'a 1', email: undefined, told: false },
  { what: 'where none is configured', parkEmail: undefined, told: false },
])(
  'users whom an earlier run has left with their parking address are reported: one $what',
  ({ what: _, told, ...over }) => {
    const { says, identification, ...given } = { says: 'active', identification: 'a1', ...over };
    const parkEmail = 'parkEmail' in given ? given.parkEmail : '{identification}@Parked.com';
    const email = 'email' in given ? given.email : 'A1@parked.com';
    const fields = email === undefined ? {} : { email };
    const subject = { identification, source: { says }, user: { fields } } as unknown as Case;
    const message = 'an earlier run left the account with its parking address (parkEmail)';
    const found = reportFoundParked(subject, { settings: { parkEmail } } as unknown as Sync);
    expect(found).toEqual(told ? { code: 'email-parked', identification, message } : undefined);
    expect(
      reportFoundParked({ ...subject, user: undefined }, { settings: { parkEmail } } as unknown as Sync),
    ).toBeUndefined();
  },
);
