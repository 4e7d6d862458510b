import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import { approve, reject } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { changed, decide, entry, fields, left, named, off, open, type World } from '../decide-scene.ts';
import { account } from '../plan-scene.ts';

const guest = { isInScope: false } as const;
const unknown = { standing: 'unknown' } as const;
const future = { standing: 'future' } as const;
const refused = { refusesCreate: 'the hire date cannot be read' };
const undated = { field: 'leaveDate', column: 'leaves', kind: 'not-a-date', reason: 'is not a date' } as const;
const unhired = { ...undated, field: 'hireDate', column: 'hired' } as const;
const none = { unchanged: 0, outOfScope: 0, noAccount: 0 };
const alone = (over: Partial<Person> = {}): World => ({ records: [named('ana', over)] });
const ana = (over: Partial<Person> = {}, user: object = {}): World => ({
  ...alone(over),
  users: [account('ana', user)],
  ledger: [entry('ana')],
});
const gone: World = { users: [account('ana')], ledger: [entry('ana')] };
const disabled: World = { ...ana(changed, off), ledger: [entry('ana', { disabledAt: 1 })] };
const mail = (name: string) => ({ fields: { ...fields, email: `${name}@x.com` } });

describe('what a decision leaves for the later steps', () => {
  const release = { ana: { release: { from: 'guests', standing: 'missing', readAt: now } } } as never;
  const owned = [entry('ana', { owner: 'guests' })];

  it.each<[what: string, world: World, marks: string, quiet?: Partial<typeof none>, access?: 'keep' | 'lack']>([
    ['equal', ana(), 'leadable', { unchanged: 1 }],
    ['an update', ana(changed), 'leadable'],
    ['a create', alone({}), 'leadable'],
    ['an enable', disabled, 'leadable'],
    ['a disable', ana(left), ''],
    ['an enable that cannot be sent', { ...disabled, settings: { delivery: 'direct' } }, 'prevented'],
    ['a disable that cannot be sent', { ...ana(left), settings: { delivery: 'direct' } }, 'prevented'],
    [
      'a disable that is not allowed',
      { ...ana(left), settings: { policy: 'upsert-only' } },
      'prevented',
      { unchanged: 1 },
    ],
    ['a user of another sync', { ...ana(), ledger: owned }, 'prevented', { unchanged: 1 }],
    ['a user who is taken over', { ...ana(changed), ledger: owned, neighbors: release }, ''],
    ['an absence that counts', gone, 'prevented'],
    [
      'a disable by others',
      { ...ana(changed, off), settings: { foreignDisable: 'report' } },
      'prevented',
      { unchanged: 1 },
    ],
    ['a refused create', alone(refused), 'prevented', {}, 'lack'],
    ['a refused create without a day', alone({ ...refused, troubles: [unhired] }), 'prevented', {}, 'lack'],
    ['an unreadable last day', ana({ troubles: [undated] }), 'leadable', {}, 'keep'],
    ['an unknown status with an account', ana(unknown), '', {}, 'keep'],
    ['an unknown status without one', alone(unknown), '', {}, 'lack'],
    ['a leaver without an account', alone(left), '', { noAccount: 1 }],
    ['a leaver whose account is disabled', { ...disabled, records: [named('ana', left)] }, '', { unchanged: 1 }],
    ['a person out of scope', ana(guest), '', { outOfScope: 1 }],
    ['a future employee', alone(future), '', { noAccount: 1 }],
    ['a change whose outcome is open', { ...ana(changed), blocked: ['ana'] }, ''],
    ['nothing of a person who is unknown to all', {}, ''],
  ])('%s', async (_, world, ...expected) => {
    const { marksOf, quiet, access } = await decide({
      ...world,
      records: [...(world.records ?? []), named('eva', guest)],
    });
    const [marks, counted = {}, trouble] = expected;
    const others = { ...none, ...counted, outOfScope: (counted.outOfScope ?? 0) + 1 };
    expect([marksOf('ana'), quiet, access]).toEqual([marks, others, trouble === undefined ? [] : [trouble]]);
  });

  it('is no trouble of a person who gets an e-mail later, or in a conflict', async () => {
    const world = {
      records: [
        named('ana', mail('eva')),
        named('eva', { ...left, ...mail('eva') }),
        named('leo', left),
        named('LEO', left),
      ],
      users: [account('eva', mail('eva'))],
      claims: { ana: 'eva' },
      settings: { parkEmail: '{identification}@parked.example' },
    };
    const { access, blocked, quiet, marksOf } = await decide(world);
    expect([access, blocked.map(({ kind }) => kind), quiet]).toEqual([[], ['conflict'], none]);
    expect([marksOf('ana'), marksOf('eva')]).toEqual(['', '']);
    const stays = await decide({ ...world, settings: { policy: 'upsert-only' } });
    expect(stays.access).toEqual(['lack']);
  });

  it('is no leader of a leaver whose account gets its parking address', async () => {
    const { kinds, marksOf } = await decide({
      records: [named('ana', mail('eva')), named('eva', { ...left, ...mail('eva') })],
      users: [account('ana', mail('ana')), account('eva', { ...off, ...mail('eva') })],
      ledger: [entry('ana'), entry('eva', { disabledAt: 1, goneSince: 1 })],
      claims: { ana: 'eva' },
      settings: { parkEmail: '{identification}@parked.example' },
    });
    expect([kinds(), marksOf('ana'), marksOf('eva')]).toEqual([['update ana', 'update eva'], 'leadable', '']);
  });
});

describe('what people decided', () => {
  it('counts for the changes of the table, not for those of undos', async () => {
    const world = { ...ana(changed) };
    const first = await decide(world);
    const plan = await open(world);
    await reject(
      plan.store,
      first.changes.map((one) => ({ ...one, rule: 'undo-update' })),
      { at: now },
    );
    await plan.decide();
    expect([plan.changes[0]?.verdict, plan.known.map(({ rule }) => rule)]).toEqual([undefined, ['undo-update']]);
  });

  const pair = { way: 'replace', identification: 'new', other: 'ana', by: 'eva', why: undefined } as const;
  const replaced: World = { ...gone, records: [named('new')], pairs: [pair] };

  it.each<[string, World, readonly string[]]>([
    ['one replaces the other', replaced, ['create new held', 'disable ana held']],
    ['they are two people', { ...replaced, pairs: [{ ...pair, way: 'apart' }] }, ['create new']],
    ['who comes has an account', { ...replaced, users: [account('ana'), account('new')] }, []],
    ['who comes is gone', { ...replaced, records: [named('kim', guest)] }, []],
    ['who comes is not in a read of named people', { ...replaced, records: [], kind: 'point' }, []],
    ['who comes has another identification', { ...replaced, records: [named('NEW')] }, ['create NEW']],
    [
      'the account is disabled',
      {
        users: [account('ana')],
        toDisable: [{ way: 'disable', identification: 'ana', accountId: '9ana', by: 'eva', why: 'left' }],
      },
      ['disable ana'],
    ],
    [
      'the account stays',
      { users: [account('ana')], toDisable: [{ way: 'leave', identification: 'ana', by: 'eva', why: 'left' }] },
      [],
    ],
  ])('is what is planned: %s', async (_, world, expected) => {
    const { changes } = await decide(world);
    const shown = changes.map(({ kind, identification, verdict }) =>
      [kind, identification, ...(verdict ? [verdict.state] : [])].join(' '),
    );
    expect(shown.toSorted()).toEqual(expected);
  });

  it('lets a pair go that was approved', async () => {
    const plan = await open(replaced);
    await approve(plan.store, (await decide(replaced)).changes, { at: now });
    await plan.decide();
    expect(plan.changes.map(({ verdict }) => verdict)).toEqual([undefined, undefined]);
  });
});

describe('a create that was refused before', () => {
  const hourMs = 3_600_000;
  const records = [named('ana', changed), named('eva', changed), named('kim', changed)];
  const world: World = { records, users: [account('kim')], mayCreatesWait: true };

  it.each([
    { tries: 2, ago: 23, waits: true },
    { tries: 2, ago: 24, waits: false },
    { tries: 1, ago: 0, waits: false },
    { tries: 2, ago: 23, waits: false, hash: 'another row' },
    { tries: 2, ago: 23, waits: false, mayCreatesWait: false },
  ])(
    'waits for its next try: $tries tries, $ago hours ago',
    async ({ tries, ago, waits, hash, mayCreatesWait = true }) => {
      const made = (await decide(world)).changes.find(({ identification }) => identification === 'ana');
      const past = { hash: hash ?? made?.hash ?? '', tries, lastAt: now - ago * hourMs };
      const plan = await decide({ ...world, mayCreatesWait, refused: { ana: [{ ...past, hash: 'older' }, past] } });
      expect(plan.kinds()).toEqual(['update kim', ...(waits ? [] : ['create ana']), 'create eva']);
      expect([plan.codes(), plan.waiting]).toEqual(waits ? [['create-waits ana'], ['one']] : [[], []]);
      if (waits)
        expect(plan.findings[0]?.message).toMatch(/^the platform refused to create this user 2 times; .*Next try: /);
    },
  );

  it('does not wait when it goes after another change, or was decided', async () => {
    const chain = {
      ...world,
      records: [named('ana', mail('kim')), named('kim', mail('new'))],
      users: [account('kim', mail('kim'))],
      claims: { ana: 'kim' },
    };
    const made = (await decide(chain)).changes.find(({ identification }) => identification === 'ana');
    const refused = { ana: [{ hash: made?.hash ?? '', tries: 2, lastAt: now }] };
    expect((await decide({ ...chain, refused })).kinds()).toEqual(['update kim', 'create ana']);
    const plan = await open({
      ...world,
      refused: { ana: [{ hash: (await decide(world)).changes[1]?.hash ?? '', tries: 2, lastAt: now }] },
    });
    await reject(plan.store, (await decide(world)).changes.slice(1, 2), { at: now });
    await plan.decide();
    expect([plan.changes[1]?.verdict?.state, plan.waiting]).toEqual(['dropped', []]);
  });
});
