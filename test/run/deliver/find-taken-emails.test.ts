import { describe, expect, it } from 'vitest';
import { findTakenEmails } from '../../../src/run/deliver/check-before-sending.ts';
import { sampleChange } from '../../contracts/store-samples.ts';
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
