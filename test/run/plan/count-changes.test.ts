import { describe, expect, it } from 'vitest';
import { formatInstant } from '../../../src/core/run/formats.ts';
import { approve, dayMs, hourMs } from '../../contracts/store-samples.ts';
import { plainLifecycle, plainSettings } from '../plain-settings.ts';
import { account, guards, only, openPlanScene, type PlanScene, row, unlimited } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };

describe('a plan that is made during a freeze', () => {
  it.each(['planned', 'held'])('drops disables that are %s, and says until when they wait', async (state) => {
    const records = [row('a1', { status: 'left' }), row('b2', { status: 'left' }), row('c3')];
    const settings = guards({ disables: state === 'held' ? none : unlimited });
    const scene = await openPlanScene({ records, users: [account('a1'), account('b2')], settings });
    const until = scene.clock.now() + hourMs;
    Object.assign(scene.sync, { frozenUntil: () => until });
    const { kinds, plan, changes } = await scene.plan();
    expect(kinds).toEqual({ a1: 'disable dropped', b2: 'disable dropped', c3: 'create' });
    const at = formatInstant(until);
    expect(changes[0]?.stateReason).toBe(`waits for the end of the freeze at ${at}`);
    expect(plan.findings).toEqual([
      {
        code: 'frozen',
        message: `2 disables and removes wait for the end of the freeze at ${at}: the first run after it makes them`,
      },
    ]);
    expect(plan.facts.frozen).toEqual({ count: 2, until });
    Object.assign(scene.sync, { frozenUntil: () => undefined });
    expect((await scene.plan()).kinds).toMatchObject({ a1: state === 'held' ? 'disable held' : 'disable' });
  });

  it('says nothing where no one leaves', async () => {
    const scene = await openPlanScene({ records: [row('c3')] });
    Object.assign(scene.sync, { frozenUntil: (now: number) => now + hourMs });
    const { kinds, plan } = await scene.plan();
    expect([kinds, plan.findings, plan.facts.frozen]).toEqual([{ c3: 'create' }, [], undefined]);
  });
});

describe('a segment that loses many people', () => {
  const settings = { ...guards({ segments: ['area'] }), firstSight: 'assume' } as const;
  const names = ['Law', 'Sales'].flatMap((area) => Array.from({ length: 10 }, (_, i) => ({ area, id: `${area}${i}` })));

  /** Twenty people in two offices are managed, then these leave. */
  async function openOffices(...left: readonly string[]): Promise<PlanScene> {
    const users = names.map(({ id, area }) => account(id, { fields: { area } }));
    const scene = await openPlanScene({ records: names.map(({ id, area }) => row(id, { area })), users, settings });
    await scene.run();
    leave(scene, left);
    return scene;
  }

  function leave(scene: PlanScene, left: readonly string[]): void {
    const status = (id: string) => (left.includes(id) ? 'left' : 'active');
    scene.source.records = names.map(({ id, area }) => row(id, { area, status: status(id) }));
  }

  const held = (count: number, people = 10, after = '') => [
    {
      ...{ sync: 'people', class: 'disables', count },
      reason: `${count} disable${count === 1 ? '' : 's'} where area is Law: up to 3 of ${people} managed users there in 24 hours need no approval${after} (guards.segments)`,
    },
  ];

  it('is held; those of other segments go on', async () => {
    const scene = await openOffices('Law0', 'Law1', 'Law2', 'Law3', 'Sales0');
    const { kinds, plan } = await scene.plan();
    const one = 'disable held';
    expect(kinds).toEqual({ Law0: one, Law1: one, Law2: one, Law3: one, Sales0: 'disable' });
    expect(plan.verdict.holds).toEqual(held(4));
    expect((await (await openOffices('Law0', 'Law1', 'Law2')).plan()).plan.verdict.holds).toEqual([]);
  });

  it('is not held for those that were approved', async () => {
    const scene = await openOffices('Law0', 'Law1', 'Law2', 'Law3');
    const { changes } = await scene.plan();
    await approve(scene.store, changes.slice(0, 1));
    expect((await scene.plan()).plan.verdict.holds).toEqual([]);
  });

  it('is held with those of the last 24 hours, and not with older ones', async () => {
    for (const [later, holds] of [
      [dayMs - hourMs, held(1, 10, ', and 3 already passed')],
      [dayMs + hourMs, []],
    ] as const) {
      const scene = await openOffices('Law0', 'Law1', 'Law2');
      await scene.run();
      scene.clock.jumpTo(scene.clock.now() + later);
      leave(scene, ['Law0', 'Law1', 'Law2', 'Law3']);
      expect((await scene.plan()).plan.verdict.holds).toEqual(holds);
    }
  });

  it('is counted on the platform where the run is about a few people: enabled users of the sync alone', async () => {
    const scene = await openOffices('Law0', 'Law1', 'Law2', 'Law3');
    scene.users.set('Law9', { ...account('Law9', { fields: { area: 'Law' } }), enabled: false });
    scene.users.set('other', account('other', { fields: { area: 'Law' } }));
    const { plan } = await scene.plan(only('Law0', 'Law1', 'Law2', 'Law3'));
    expect(plan.verdict.holds).toEqual(held(4, 9));
  });
});

describe('while no date shows the order of day and month', () => {
  // It is 21 November 2026.
  const settings = { lifecycle: { ...plainLifecycle, dateFormat: 'dd/MM/yyyy' } };
  const staff = ['s1', 's2', 's3', 's4', 's5', 's6', 's7'];

  async function openDated(over: Readonly<Record<string, object>> = {}) {
    const rows = (patch: Readonly<Record<string, object>>) =>
      [...staff, ...Object.keys(patch).filter((id) => !staff.includes(id))].map((id) =>
        row(id, { hired: '02/03/2020', ...patch[id] }),
      );
    const scene = await openPlanScene({ records: rows(over), users: staff.map((id) => account(id)), settings });
    await scene.plan();
    return {
      scene,
      plan: async (patch: Readonly<Record<string, object>>) => {
        scene.source.records = rows(patch);
        const { kinds, plan } = await scene.plan();
        return { kinds, holds: plan.verdict.holds.map(({ class: name, count, reason }) => ({ name, count, reason })) };
      },
    };
  }

  it('who leaves or begins by a day that has not come in the other order waits, and no one else', async () => {
    const { plan } = await openDated();
    const { kinds, holds } = await plan({
      s1: { leaves: '12/10/2026' },
      s2: { leaves: '03/02/2026' },
      n1: { hired: '12/10/2026' },
      n2: {},
    });
    expect(kinds).toEqual({ s1: 'disable held', s2: 'disable', n1: 'create held', n2: 'create' });
    const look = (name: string) => expect.stringMatching(`^the ${name} days of work look wrong: .*Correct the export`);
    expect(holds).toEqual([
      { name: 'disables', count: 1, reason: look('last') },
      { name: 'creates', count: 1, reason: look('first') },
    ]);
  });

  it('who leaves by a day that the last accepted read showed too leaves as usual', async () => {
    const { scene, plan } = await openDated({ s1: { leaves: '12/01/2027' } });
    scene.clock.jumpTo(Date.UTC(2027, 0, 20));
    const { kinds, holds } = await plan({ s1: { leaves: '12/01/2027' }, s2: { leaves: '11/01/2027' } });
    expect(kinds).toEqual({ s1: 'disable', s2: 'disable held' });
    expect(holds.map(({ count }) => count)).toEqual([1]);
  });

  it('who was known as not yet begun and lost the day waits; who was not known begins', async () => {
    const { plan } = await openDated({ n1: { hired: '10/02/2027' } });
    const { kinds, holds } = await plan({ n1: { hired: '' }, n2: { hired: '' } });
    expect(kinds).toEqual({ n1: 'create held', n2: 'create' });
    const reason =
      'people without a first day of work had not begun in the last accepted read. Correct the source, or approve them if they have begun';
    expect(holds).toEqual([{ name: 'creates', count: 1, reason }]);
  });
});

it.each([
  { what: 'is mapped', orgEntryDate: plainSettings.mapping.fields.birthDate, kind: 'create held' },
  { what: 'is used for nothing', orgEntryDate: undefined, kind: 'create' },
])('a person who could not be judged and has no first day any more, where that day $what: $kind', async (row2) => {
  const { orgEntryDate, kind } = row2;
  const rule = orgEntryDate && { orgEntryDate: { ...orgEntryDate, path: 'hired' } };
  const { identification, fields } = plainSettings.mapping;
  const mapping = { identification, fields: { ...fields, ...rule } };
  const settings = { mapping, lifecycle: { ...plainLifecycle, hireDate: undefined } };
  const scene = await openPlanScene({
    records: [row('a1'), row('n1', { status: 'odd' })],
    users: [account('a1')],
    settings,
  });
  await scene.plan();
  scene.source.records = [row('a1'), row('n1', { hired: '' }), row('n2')];
  expect((await scene.plan()).kinds).toMatchObject({ n1: kind, n2: 'create' });
});
