import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import type { Change } from '../../../src/core/plan/change.ts';
import { type LastWrite, protectedDigest } from '../../../src/core/plan/configuration.ts';
import { reject } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import type { World } from '../decide-scene.ts';
import {
  changed,
  decide as decidePlan,
  type EditedWorld,
  entry,
  fields,
  inOnePlan,
  left,
  named,
  numbered,
  off,
  open,
} from '../decide-scene.ts';
import { account } from '../plan-scene.ts';

type Edited = World & { readonly edit: EditedWorld };

const keys = ['scope', 'mapping.area'];
const mail = (email: string): Partial<Person> => ({ fields: { ...fields, email } });
const withKeys = (world: Edited): Edited => ({ ...world, edit: { keys, ...world.edit } });

/** `kind name: changed fields; classes; what the reason says besides` of each change, and what is counted of the edit. */
function told(changes: readonly Change[], { differing, instead, takenLater }: Awaited<ReturnType<typeof decidePlan>>) {
  const { changed, coming, insteadClasses, rejected, givenBack, ofHrToo } = differing;
  return {
    changes: changes.map(({ identification, kind, changed, classes, reason }) => {
      const why = reason.split('; ').slice(1).join('; ').replace('because the configuration was edited ', '');
      return `${kind} ${identification}: ${[changed.join(), classes.join(), ...(why === '' ? [] : [why])].join('; ')}`;
    }),
    counts: [changed, coming].map(({ people, parts }) => ({ people, ...Object.fromEntries(parts) })),
    classes: [changed.classes, coming.classes, insteadClasses].map((classes) => Object.fromEntries(classes)),
    instead: instead.map(({ kind, identification, after }) => `${kind} ${identification} ${after.area}`),
    ...{ takenLater, rejected, givenBack, ofHrToo },
  };
}

const decide = async (world: Edited) => {
  const plan = await decidePlan(withKeys(world));
  return told(plan.changes, plan);
};

describe('what an edit makes of changes', () => {
  /** People of the ledger whom the platform shows as the earlier configuration wants them. */
  const known = (...names: string[]) => ({
    users: names.map((name) => account(name)),
    ledger: names.map((name) => entry(name)),
  });
  const ana = { records: [named('ana', changed)], ...known('ana') };
  const edited = ['update ana: area; updates,configuration; (mapping.area)'];
  const plain = ['update ana: area; updates'];
  const disabled = { users: [account('ana', off)], ledger: [entry('ana', { disabledAt: 1 })] };

  it('is told from what changes anyway, for each person and field', async () => {
    const leaving = { ...ana, records: [named('ana', left)] };
    const missed = entry('ana', { misses: { count: 1, since: now - 1, stamp: 's0' } });
    const eva = { fields: { ...fields, firstName: 'Ana Eva' } };
    const both = { fields: { ...changed.fields, firstName: 'Ana Eva' } };
    const all = '(scope, mapping.area)';
    const cases: readonly [before: readonly Person[], World, ...changes: string[]][] = [
      [[named('ana')], ana, ...edited],
      [[named('ana', changed)], ana, ...plain],
      [
        [named('ana', eva)],
        { ...ana, records: [named('ana', both)] },
        'update ana: firstName,area; updates,configuration; (mapping.area)',
      ],
      [[named('ana', changed)], { ...known('ana'), records: [named('ana')] }],
      [[named('ana')], leaving, `disable ana: ; disables,configuration; ${all}`],
      [[named('ana', left)], leaving, 'disable ana: ; disables'],
      [[], { ...known('ana'), ledger: [missed] }, 'disable ana: ; disables'],
      // A conflict before, and another identification.
      [[named('ana', changed), named('ana', { at: 'line 9', ...left })], ana, ...edited],
      [
        [named('EVA', changed)],
        { records: [named('eva', changed)], ...known('eva') },
        'update eva: area; updates,configuration; (mapping.area)',
      ],
      [[], { records: [named('ana')] }, `create ana: firstName,lastName,area; creates,configuration; ${all}`],
      // They come or return today.
      [
        [named('ana')],
        { ...disabled, records: [named('ana', changed)] },
        'enable ana: area; enables,configuration; (mapping.area)',
      ],
      [
        [named('ana')],
        { records: [named('ana', changed)] },
        'create ana: firstName,lastName,area; creates,configuration; (mapping.area)',
      ],
    ];
    const records = cases.flatMap(([before], i) => numbered(before, i));
    const plan = await decide({ ...inOnePlan(cases.map(([, world]) => world)), edit: { records } });
    expect(plan.changes.toSorted()).toEqual(cases.flatMap(([, , ...changes], i) => numbered(changes, i)).toSorted());
    expect(plan.counts).toEqual([
      { people: 6, area: 4, disable: 1, create: 1 },
      { people: 2, area: 2 },
    ]);
  });

  it.each<{ what: string; world: Edited; changes: readonly string[] }>([
    {
      what: 'is all of it where one read cannot compare the two',
      world: { ...ana, records: [named('ana', { fields: { ...changed.fields, firstName: 'Ana Eva' } })], edit: {} },
      changes: ['update ana: firstName,area; updates,configuration; (mapping.area)'],
    },
    {
      what: 'is all of it for a person who was protected before',
      world: {
        ...ana,
        records: [named('ana', left)],
        edit: { records: [named('ana', left)], settings: { protected: [protectedDigest('ana')] } },
      },
      changes: ['disable ana: ; disables,configuration; (scope, mapping.area)'],
    },
    {
      what: 'depends on the other settings from before',
      world: {
        ...ana,
        records: [named('ana', left)],
        edit: { records: [named('ana', left)], settings: { policy: 'upsert-only' } },
      },
      changes: ['disable ana: ; disables,configuration; (scope, mapping.area)'],
    },
    {
      what: 'names the keys of the fields, or the first three of all',
      world: { ...ana, edit: { records: [named('ana')], keys: ['a', 'b', 'c', 'd'] } },
      changes: ['update ana: area; updates,configuration; (a, b, c, …)'],
    },
    {
      what: 'names three keys without a mark',
      world: { ...ana, edit: { records: [named('ana')], keys: ['a', 'b', 'c'] } },
      changes: ['update ana: area; updates,configuration; (a, b, c)'],
    },
    {
      what: 'is nothing when it was taken back, and nothing of it was applied',
      world: { ...ana, edit: { records: [named('ana')], isReverted: true } },
      changes: plain,
    },
    {
      what: 'is nothing of a parking address that both give',
      world: {
        records: [named('kim', mail('ana@x.com')), named('ana', { ...left, ...mail('ana@x.com') })],
        users: [account('ana', { ...off, fields: { ...fields, email: 'ana@x.com' } })],
        ledger: [entry('ana', { disabledAt: 1, goneSince: 1 })],
        claims: { kim: 'ana' },
        settings: { parkEmail: '{identification}@parked.example' },
        edit: { records: [named('kim', mail('ana@x.com')), named('ana', { ...left, ...mail('ana@x.com') })] },
      },
      changes: [
        'update ana: email; updates,emailChanges',
        'create kim: email,firstName,lastName,area; creates; sent after the change of ana, whose account has this e-mail',
      ],
    },
    {
      what: 'is a parking address by another rule than before',
      world: {
        records: [named('kim', mail('ana@x.com')), named('ana', { ...left, ...mail('ana@x.com') })],
        users: [account('ana', { ...off, fields: { ...fields, email: 'ana@x.com' } })],
        ledger: [entry('ana', { disabledAt: 1, goneSince: 1 })],
        claims: { kim: 'ana' },
        settings: { parkEmail: '{identification}@parked.example' },
        edit: {
          records: [named('kim', mail('ana@x.com')), named('ana', { ...left, ...mail('ana@x.com') })],
          settings: { parkEmail: '{identification}@old.example' },
        },
      },
      changes: [
        'update ana: email; updates,emailChanges,configuration; (scope, mapping.area)',
        'create kim: email,firstName,lastName,area; creates; sent after the change of ana, whose account has this e-mail',
      ],
    },
  ])('$what', async ({ world, changes }) => {
    expect((await decide(world)).changes).toEqual(changes);
  });

  it.each([
    { isHeld: true, over: { kind: 'point' }, area: 'Sales' },
    { isHeld: true, over: { isFocused: true }, area: 'Sales' },
    { isHeld: true, over: {}, area: 'IT' },
    { isHeld: false, over: { kind: 'point' }, area: 'IT' },
  ] as const)(
    'gives a person who comes $area where the edit is held ($isHeld) and the run shows $over',
    async (one) => {
      const measured = one.isHeld === undefined ? undefined : { isHeld: one.isHeld };
      const edit = { records: [named('ana')], measured };
      const { changes } = await decidePlan(withKeys({ records: [named('ana', changed)], edit, ...one.over }));
      expect(changes[0]?.after.area).toBe(one.area);
    },
  );

  describe('that replaces one that was applied', () => {
    const write: LastWrite = {
      kind: 'update',
      before: { userId: '9ana', enabled: true, fields: changed.fields },
      classes: ['updates', 'configuration'],
      configuration: 'f1',
    };
    const back = 'restores what the replaced configuration had changed';

    it.each<{ what: string; over?: Partial<World>; edit: EditedWorld; change: string; count?: number }>([
      { what: 'gives back freely', edit: {}, change: `update ana: area; ; ${back}` },
      {
        what: 'gives back freely when it is taken back',
        edit: { isReverted: true },
        change: `update ana: area; ; ${back}`,
      },
      {
        what: 'gives back with the classes of what changes anyway',
        edit: { records: [named('ana', { fields: { ...fields, firstName: 'Ana Eva' } })] },
        over: { records: [named('ana', { fields: { ...changed.fields, firstName: 'Ana Eva' } })] },
        change: `update ana: firstName,area; updates; ${back}`,
      },
      {
        what: 'gives back to a person whom the edit keeps',
        edit: { records: [named('ana', left)] },
        change: `update ana: area; ; ${back}`,
      },
      { what: 'asks about another value', edit: { replaced: ['f0'] }, change: edited[0] ?? '', count: 0 },
    ])('$what', async ({ over = {}, edit, change, count = 1 }) => {
      const world = {
        ...ana,
        ...over,
        edit: { records: [named('ana')], replaced: ['f1'], lastWrites: { ana: write }, ...edit },
      };
      const plan = await decide(world);
      expect([plan.changes, plan.givenBack, plan.counts[0]?.people]).toEqual([[change], count, 1 - count]);
    });
  });

  it.each([
    { what: 'all', only: undefined, change: 'update ana: area; updates,configuration; (mapping.area)', counts: [1, 0] },
    {
      what: 'its field',
      only: ['area'],
      change: 'update ana: firstName; updates; (mapping.area); without area, ',
      counts: [1, 0],
    },
    {
      what: 'another field',
      only: ['firstName'],
      change: 'update ana: area; updates,configuration; (mapping.area); without firstName, ',
      counts: [0, 1],
    },
  ])('is without what was rejected: $what', async ({ only, change, counts }) => {
    const records = [named('ana', { fields: { ...changed.fields, ...(only && { firstName: 'Ana Eva' }) } })];
    const before = [named('ana', { fields: { ...fields, ...(only && { firstName: 'Ana Eva' }) } })];
    const world = withKeys({ ...ana, records, edit: { records: before } });
    const first = await decidePlan(world);
    const plan = await open(world);
    const rejected = first.changes.map((one) => ({
      ...one,
      changed: one.changed.filter((name) => only?.includes(name) ?? true),
    }));
    await reject(plan.store, rejected, { at: now });
    const after = told(plan.changes, { ...plan, ...(await plan.decide()) });
    expect(after.changes).toEqual([expect.stringContaining(change)]);
    expect([after.rejected, after.counts[0]?.people]).toEqual(counts);
  });
});
