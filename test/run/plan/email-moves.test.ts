import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { SourceRecord } from '../../../src/core/person/person.ts';
import type { SyncSettings } from '../../../src/core/run/settings.ts';
import { approve, reject } from '../../contracts/store-samples.ts';
import { plainSettings } from '../plain-settings.ts';
import { account, guards, only, openPlanScene, type Planned, type PlanScene, row } from '../plan-scene.ts';

const at = (name: string): string => `${name}@x.com`;
/** An employee who is to get the e-mail that belongs to a name. */
const wants = (id: string, whose: string, over: Readonly<Record<string, unknown>> = {}): SourceRecord =>
  row(id, { email: at(whose), ...over });
const has = (id: string, over: Partial<User> = {}, whose = id): User =>
  account(id, { ...over, fields: { email: at(whose) } });
const parkEmail = '{identification}@parked.example';

const chain = [wants('a1', 'b2'), wants('b2', 'c3'), wants('c3', 'new')];
const three = ['a1', 'b2', 'c3'].map((id) => has(id));

async function planned(
  records: readonly SourceRecord[],
  users: readonly User[],
  settings: Partial<SyncSettings> = {},
): Promise<Planned> {
  return (await openPlanScene({ records, users, settings })).plan();
}

const orderOf = ({ changes }: Planned) =>
  Object.fromEntries(changes.map(({ identification, waitsFor }) => [identification, waitsFor]));

/** A leaver, and another person who is to get the e-mail. */
const left = wants('d4', 'd4', { status: 'left', first: 'Eva' });
const successor = wants('e5', 'd4', { first: 'Leo', last: 'Paz' });
const former = (over: Partial<User> = {}): User =>
  account('d4', { ...over, fields: { email: at('d4'), firstName: 'Eva', lastName: 'Li' } });

describe('an e-mail that the account of somebody who left still has', () => {
  it.each(['auto', 'csv', 'direct'] as const)(
    'goes to a new hire in the run after the disable, by %s',
    async (delivery) => {
      const scene = await openPlanScene({
        records: [left],
        users: [former()],
        settings: { parkEmail, delivery: 'csv' },
      });
      scene.source.records = [left, successor];
      const first = await scene.run();
      expect(first.kinds).toEqual({ d4: 'disable applied' });
      expect(first.findings).toEqual(['email-conflict e5']);
      expect(scene.message(first, 'email-conflict')).toContain(
        'user d4, a leaver, still has the e-mail of e5 (line of e5). A later run gives it the parking address (parkEmail)',
      );
      const later = await openPlanScene({
        beside: scene,
        records: [left, successor],
        settings: { parkEmail, delivery },
      });
      const second = await later.run();
      expect(second.kinds).toEqual({ d4: 'update applied', e5: 'create applied' });
      expect(orderOf(second)).toEqual({ d4: undefined, e5: 'd4' });
      expect(later.sent.slice(-2)).toEqual([['d4'], ['e5']]);
      expect(later.users.get('d4')).toMatchObject({ enabled: false, fields: { email: 'd4@parked.example' } });
      expect(later.users.get('e5')?.fields.email).toBe(at('d4'));
      const entry = await later.store.ledger.get('acme', 'd4');
      expect(entry).toMatchObject({ disabledAt: expect.any(Number), goneSince: expect.any(Number) });
      const third = await later.run();
      expect([third.kinds, third.findings]).toEqual([{}, []]);
    },
  );
});

describe('an e-mail that an active employee’s account still has', () => {
  it('goes to the next one after that account has its own new e-mail', async () => {
    const plan = await planned(chain, three);
    expect([orderOf(plan), plan.findings]).toEqual([{ a1: 'b2', b2: 'c3', c3: undefined }, []]);
    expect(plan.changes.map(({ reason }) => reason)).toEqual([
      'differs in email; sent after the change of b2, whose account has this e-mail',
      'differs in email; sent after the change of c3, whose account has this e-mail',
      'differs in email',
    ]);
    expect(plan.plan.facts.postponed).toBe(0);
  });

  it('stays where the account’s own change cannot be sent', async () => {
    const users = [has('a1'), has('b2', { enabled: false })];
    const plan = await planned([wants('a1', 'b2'), wants('b2', 'new')], users, { delivery: 'direct' });
    expect(plan.kinds).toEqual({});
    expect(plan.findings).toEqual(['email-conflict a1', 'email-conflict b2', 'not-deliverable b2']);
  });

  it('is no matter for a change that leaves the e-mail as it is', async () => {
    const users = [has('a1', {}, 'b2'), has('b2')];
    const plan = await planned([wants('a1', 'b2', { area: 'X' }), wants('b2', 'new')], users);
    expect([orderOf(plan), plan.kinds]).toEqual([{}, { a1: 'update', b2: 'update' }]);
  });

  it.each([
    { name: 'a chain', records: chain, users: three, named: ['a1'], waiting: ['a1'] },
    { name: 'a chain, its end too', records: chain, users: three, named: ['a1', 'b2', 'c3'], waiting: [] },
  ])(
    'waits in a run about named people for a holder whom it does not name, before the first full read: $name',
    async ({ waiting, ...one }) => {
      const scene = await openPlanScene(one);
      const { run, changes } = await scene.run(only(...one.named));
      expect(changes.map(({ identification, state }) => `${identification} ${state}`)).toEqual(
        one.named.filter((name) => !waiting.includes(name)).map((name) => `${name} applied`),
      );
      expect(run.plan).toMatchObject({ postponed: waiting.length });
      expect(run.outcome).toBe(waiting.length > 0 ? 'nothing-to-do' : 'succeeded');
    },
  );
});

describe('changes that wait for one that is not sent', () => {
  const held = guards({ emailChanges: { absolute: 0, percent: 0, cap: undefined } });

  /** All were held; then some were approved. */
  async function decided(
    records: readonly SourceRecord[],
    users: readonly User[],
    approved: readonly string[],
    settings: Partial<SyncSettings> = {},
  ): Promise<{ scene: PlanScene; changeOf: (name: string) => Planned['changes'][number] }> {
    const scene = await openPlanScene({ records, users, settings: { ...held, ...settings } });
    const { changes } = await scene.plan();
    expect(new Set(changes.map(({ state }) => state))).toEqual(new Set(['held']));
    await approve(
      scene.store,
      changes.filter(({ identification }) => approved.includes(identification)),
    );
    const changeOf = (name: string) => changes.find(({ identification }) => identification === name) as never;
    return { scene, changeOf };
  }
  const reasons = ({ changes }: Planned) =>
    Object.fromEntries(changes.map(({ identification, stateReason }) => [identification, stateReason]));

  it('are held with it, all along the chain', async () => {
    const { scene } = await decided(chain, three, ['a1', 'b2']);
    const plan = await scene.plan();
    expect(plan.kinds).toEqual({ a1: 'update held', b2: 'update held', c3: 'update held' });
    expect(reasons(plan)).toMatchObject({
      a1: 'held with the change of b2, whose e-mail it takes over',
      b2: 'held with the change of c3, whose e-mail it takes over',
    });
    expect(plan.findings).toEqual(['held', 'held a1', 'held b2']);
    const about = plan.plan.findings.find(({ identification }) => identification === 'b2');
    expect(about?.message).toBe('b2 takes over the e-mail of c3, whose change is held: both wait');
  });

  it('are dropped when it was rejected, until it is sent after all', async () => {
    const { scene, changeOf } = await decided(chain, three, ['a1', 'b2']);
    await reject(scene.store, [changeOf('c3')]);
    const plan = await scene.plan();
    expect(plan.kinds).toEqual({ a1: 'update dropped', b2: 'update dropped', c3: 'update dropped' });
    expect(reasons(plan).b2).toBe('rejected with the change of c3, whose e-mail it takes over');
    expect(plan.findings).toEqual(['email-conflict a1', 'email-conflict b2']);
  });

  it('are dropped when only the e-mail of its change was rejected', async () => {
    const scene = await openPlanScene({
      records: [...chain.slice(0, 2), wants('c3', 'new', { area: 'X' })],
      users: three,
    });
    const { changes } = await scene.plan();
    await reject(
      scene.store,
      changes.slice(2).map((one) => ({ ...one, changed: ['email'] })),
    );
    const plan = await scene.plan();
    expect(plan.kinds).toEqual({ a1: 'update dropped', b2: 'update dropped', c3: 'update' });
    expect(plan.findings).toEqual(['email-conflict a1', 'email-conflict b2']);
  });

  it('go when it goes: what they wait for is approved, and what waits for them is held', async () => {
    const { scene } = await decided(chain, three, ['b2', 'c3']);
    const plan = await scene.plan();
    expect(plan.kinds).toEqual({ a1: 'update held', b2: 'update', c3: 'update' });
    expect(plan.findings).toEqual(['held']);
  });

  it('are others than those that pass nothing on', async () => {
    const { scene } = await decided([...chain, wants('d4', 'newer')], [...three, has('d4')], ['a1', 'b2', 'c3']);
    expect((await scene.plan()).kinds).toEqual({ a1: 'update', b2: 'update', c3: 'update', d4: 'update held' });
  });
});

it.each([
  ['comes back where no one else has it', {}, ['a1'], { a1: 'update held' }],
  ['stays with an employee of this read', { email: at('a1') }, ['a1', 'b2'], {}],
  ['stays with an employee of the last full read', { email: at('a1') }, ['a1'], {}],
  ['comes back where that employee has another one now', { email: at('b2') }, ['a1'], { a1: 'update held' }],
])('the e-mail that an undo puts back %s', async (...[, other, identifications, kinds]) => {
  const scene = await openPlanScene({ records: [wants('a1', 'new'), row('b2')], users: [has('a1'), account('b2')] });
  const { run } = await scene.run();
  scene.source.records = [wants('a1', 'new'), row('b2', other)];
  if (identifications.length === 1) await scene.plan();
  const plan = await scene.plan({ kind: 'users', identifications, undoes: { run: run.id, by: 'ana' } });
  expect(plan.kinds).toEqual(kinds);
});

describe.each(['csv', 'direct'] as const)('sending them by %s', (delivery) => {
  it('sends nothing to an employee whose e-mail is still on the account before', async () => {
    const scene = await openPlanScene({ records: chain, users: three, settings: { delivery } });
    scene.script.lands = ({ identification }) => identification !== 'c3';
    const { run, kinds, findings } = await scene.run();
    expect(scene.sent).toEqual([['c3']]);
    expect(kinds).toEqual({ a1: 'update failed', b2: 'update failed', c3: 'update failed' });
    expect(findings).toEqual(['email-conflict a1', 'email-conflict b2']);
    const page = await scene.store.plans.page(run.id, { limit: 3 });
    expect(page.map(({ stateReason }) => stateReason).slice(0, 2)).toEqual([
      'its e-mail is still on user b2',
      'its e-mail is still on user c3',
    ]);
  });

  it.runIf(delivery === 'csv')(
    'sends the pieces of a failed file before the change that takes over the e-mail of one of them',
    async () => {
      const scene = await openPlanScene({
        records: [wants('a1', 'b2'), wants('b2', 'new'), row('z8', { area: 'X' }), row('z9', { area: 'X' })],
        users: [has('a1'), has('b2'), account('z8'), account('z9')],
        settings: { delivery, settle: { ...plainSettings.settle, maxSplits: 12 } },
      });
      const { script } = scene;
      script.submit = ({ id, changes }) => {
        const isBad = changes.some(({ identification }) => identification === 'z9');
        script.status = isBad ? { kind: 'failed', text: 'Failed' } : { kind: 'done', text: 'Processed' };
        return isBad ? { kind: 'file', fileId: id, fileName: 'f.csv' } : undefined;
      };
      const { run, kinds } = await scene.run();
      expect(kinds).toEqual({ a1: 'update applied', b2: 'update applied', z8: 'update applied', z9: 'update failed' });
      expect(scene.sent.at(-1)).toEqual(['a1']);
      expect(run.outcome).toBe('partial');
    },
  );
});
