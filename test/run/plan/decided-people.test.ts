import { describe, expect, it } from 'vitest';
import type { Person } from '../../../src/core/person/person.ts';
import { approve, openRun, reject, writePlan } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { changed, decide, entry, fields, inOnePlan, left, named, off, open, type World } from '../decide-scene.ts';
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

  /** `what | marks | quiet count | access`, and the people. */
  const cases: readonly [what: string, World][] = [
    ['equal | leadable | unchanged', ana()],
    ['an update | leadable', ana(changed)],
    ['a create | leadable', alone()],
    ['an enable | leadable', disabled],
    ['a disable', ana(left)],
    ['a user of another sync | prevented | unchanged', { ...ana(), ledger: owned }],
    ['a user who is taken over', { ...ana(changed), ledger: owned, neighbors: release }],
    ['an absence that counts | prevented', gone],
    ['a disable by others | prevented | unchanged', ana(changed, off)],
    ['a refused create | prevented | | lack', alone(refused)],
    ['a refused create without a day | prevented | | lack', alone({ ...refused, troubles: [unhired] })],
    ['an unreadable last day | leadable | | keep', ana({ troubles: [undated] })],
    ['an unknown status with an account | | | keep', ana(unknown)],
    ['an unknown status without one | | | lack', alone(unknown)],
    ['a leaver without an account | | noAccount', alone(left)],
    ['a leaver whose account is disabled | | unchanged', { ...disabled, records: [named('ana', left)] }],
    ['a person out of scope | | outOfScope', alone(guest)],
    ['a future employee | | noAccount', alone(future)],
    ['a change whose outcome is open', { ...ana(changed), blocked: ['ana'] }],
  ];
  const unsent: World = { settings: { delivery: 'direct' } };

  it.each<[string, readonly [what: string, World][], World?]>([
    ['each alone', cases],
    [
      'an enable or a disable that cannot be sent',
      [
        ['enable | prevented', disabled],
        ['disable | prevented', ana(left)],
      ],
      unsent,
    ],
    [
      'a disable that is not allowed',
      [['disable | prevented | unchanged', ana(left)]],
      { settings: { policy: 'upsert-only' } },
    ],
    ['nothing of a person who is unknown to all', [['nothing', {}]]],
  ])('%s', async (_, some, over = {}) => {
    const { marksOf, quiet, access } = await decide({ ...inOnePlan(some.map(([, world]) => world)), ...over });
    const parts = some.map(([what]) => what.split(' |').map((part) => part.trim()));
    expect(parts.map(([what], i) => [what, marksOf(`ana${i}`)])).toEqual(
      parts.map(([what, marks = '']) => [what, marks]),
    );
    const counted = parts.map(([, , count = '']) => count);
    const count = (name: string) => counted.filter((one) => one === name).length;
    expect(quiet).toEqual({
      unchanged: count('unchanged'),
      outOfScope: count('outOfScope'),
      noAccount: count('noAccount'),
    });
    const troubles = parts.flatMap(([, , , trouble]) => (trouble === undefined ? [] : [trouble]));
    const times = (trouble: string) => troubles.filter((one) => one === trouble).length;
    expect(access).toEqual({ keep: times('keep'), lack: times('lack') });
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
    expect([access, blocked.map(({ kind }) => kind), quiet]).toEqual([
      { keep: 0, lack: 0 },
      ['identity-conflict'],
      none,
    ]);
    expect([marksOf('ana'), marksOf('eva')]).toEqual(['', '']);
    const stays = await decide({ ...world, settings: { policy: 'upsert-only' } });
    expect(stays.access).toEqual({ keep: 0, lack: 1 });
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

describe('what a plan counts besides', () => {
  it('is nothing of a plain plan', async () => {
    const { counts } = await decide({ records: [named('ana', changed), named('eva')], users: [account('ana')] });
    expect(counts).toEqual({ repeated: 0, rejected: 0, leftOut: 0, notUndone: 0, respectedEdits: 0, postponed: 0 });
  });

  it('are the people who are missing and not disabled yet, with the wait that ends first', async () => {
    const dayMs = 86_400_000;
    const missed = (name: string, since: number) => entry(name, { misses: { count: 1, since, stamp: 's0' } });
    const { missing, kinds } = await decide({
      users: ['ana', 'eva', 'leo'].map((name) => account(name)),
      ledger: [missed('ana', now - 2), missed('eva', now - 3), missed('leo', now - 1)],
      settings: { missing: { afterReads: 2, minAgeMs: dayMs } },
    });
    expect([kinds(), missing]).toEqual([[], { count: 3, wait: { afterReads: 2, from: now - 3 + dayMs } }]);
  });

  it('are the changes that are sent again, each with a finding', async () => {
    const { counts, codes } = await decide({ ...alone(), released: ['ana', 'leo'] });
    expect([counts.repeated, codes()]).toEqual([1, ['repeated ana']]);
  });

  it('are the changes that wait for another one', async () => {
    const { waits } = await decide({
      records: [named('ana', mail('eva')), named('eva', mail('new'))],
      users: [account('ana', mail('ana')), account('eva', mail('eva'))],
      claims: { ana: 'eva' },
    });
    expect(waits).toEqual(new Map([['ana', 'eva']]));
  });

  it('is what was decided before', async () => {
    const world = {
      records: [named('ana', { fields: { ...fields, area: 'IT', email: 'n@x.com' } })],
      users: [account('ana')],
    };
    const { changes } = await decide(world);
    const told = async (
      before: (plan: Awaited<ReturnType<typeof open>>) => unknown,
      released: readonly string[] = [],
    ) => {
      const plan = await open({ ...world, released });
      await before(plan);
      const { hasApprovals, counts, keptEmails } = await plan.decide();
      return [hasApprovals, counts.rejected, counts.leftOut, [...keptEmails], counts.repeated];
    };
    const ofEmail = changes.map((one) => ({ ...one, changed: ['email'] as const }));
    expect(await told(({ store }) => approve(store, changes, { at: now }))).toEqual([true, 0, 0, [], 0]);
    expect(await told(({ store }) => reject(store, changes))).toEqual([false, 1, 0, [], 0]);
    expect(await told(({ store }) => reject(store, changes), ['ana'])).toEqual([false, 1, 0, [], 0]);
    expect(await told(({ store }) => reject(store, ofEmail))).toEqual([false, 0, 0, ['ana'], 0]);
    const ended = async ({ store }: Awaited<ReturnType<typeof open>>) => {
      await approve(store, changes, { at: now });
      const owned = await openRun(store, { id: 'run_9', sync: 'people' });
      await writePlan(store, { id: 'run_9', owned }, []);
      await store.decisions.end(owned, 'run_9', { identifications: ['ana'], keepsRejections: false }, now);
    };
    expect(await told(ended)).toEqual([false, 0, 0, [], 0]);
  });

  it.each([
    { found: 3, notKept: 0, needsFull: false, told: 0 },
    { found: 3, notKept: 1, needsFull: true, told: 0 },
    { kind: 'delta', found: 0, notKept: 0, needsFull: false, told: 0 },
    { kind: 'delta', found: 1, notKept: 0, needsFull: true, told: 1 },
    { kind: 'delta', found: 0, notKept: 1, needsFull: true, told: 1 },
  ] as const)('is that the next read is full: %j', async ({ found, notKept, needsFull, told, ...kind }) => {
    const plan = await decide({ ...kind, identities: { found, notKept } });
    const note = 'two records claim the same user (see the next findings): the next run reads all employees';
    expect([plan.needsFull, plan.findings.map(({ message }) => message)]).toEqual([
      needsFull,
      told === 0 ? [] : [note],
    ]);
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
    expect(plan.changes.map(({ verdict }) => verdict)).toEqual([undefined]);
  });

  const pair = { way: 'replace', identification: 'new', other: 'ana', by: 'eva' } as const;
  const replaced: World = { ...gone, records: [named('new')], pairs: [pair] };

  it.each<[string, World, readonly string[]]>([
    ['one replaces the other', replaced, ['create new held', 'disable ana held']],
    ['they are two people', { ...replaced, pairs: [{ ...pair, way: 'apart' }] }, ['create new']],
    ['who comes has an account', { ...replaced, users: [account('ana'), account('new')] }, []],
    ['who comes is gone', { ...replaced, records: [named('kim', guest)] }, []],
    ['who comes is not in a read of named people', { ...replaced, records: [], kind: 'point' }, []],
    ['who comes is gone, and the other left', { ...replaced, records: [named('ana', left)] }, ['disable ana']],
    [
      'who comes may be unseen, and the other left',
      { ...replaced, records: [named('ana', left)], kind: 'point' },
      ['disable ana held'],
    ],
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
    const { changes, codes } = await decide(world);
    expect(codes().filter((code) => code.startsWith('account'))).toEqual([]);
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

describe('a change that would clear what is not known', () => {
  const by =
    'Give the employee a value in the source, set whenEmpty: clear in the mapping, or list the field in dialect.mayClear';

  it.each([
    { unknown: 'phoneNumber, seniority', unreadable: [], mayClear: ['job', 'birthDate'], cure: by },
    {
      unknown: 'email',
      unreadable: ['email'],
      mayClear: ['job', 'phoneNumber', 'seniority', 'birthDate'],
      cure: 'Correct it on the platform by hand',
    },
    { unknown: 'email, seniority', unreadable: ['email'], mayClear: ['job', 'phoneNumber', 'birthDate'], cure: by },
  ] as const)('is not made: $unknown', async ({ unknown, unreadable, mayClear, cure }) => {
    const settings = { delivery: 'direct' } as const;
    const { findings, kinds } = await decide({
      ...ana(changed, { unreadable }),
      settings,
      dialect: { put: 'replaces', mayClear },
    });
    expect([kinds(), findings.map(({ message }) => message)]).toEqual([
      [],
      [
        `the update was not made (differs in area): it would clear ${unknown}, and neither the platform nor the ledger shows the value. ${cure}`,
      ],
    ]);
  });

  it.each<[string, World, string[]]>([
    [
      'a leaver’s parking',
      {
        records: [named('ana', mail('eva')), named('eva', { ...left, ...mail('eva') })],
        ledger: [entry('ana'), entry('eva', { disabledAt: 1, goneSince: 1 })],
      },
      ['email-conflict ana', 'not-deliverable eva'],
    ],
    [
      'another holder',
      { records: [named('ana', mail('eva')), named('eva', mail('new'))], ledger: [entry('ana'), entry('eva')] },
      ['email-conflict ana', 'email-conflict eva', 'not-deliverable eva'],
    ],
  ])('frees no e-mail, and is reported once: %s', async (what, world, expected) => {
    const isOff = what !== 'another holder';
    const plan = await decide({
      ...world,
      users: [account('ana', mail('ana')), account('eva', { ...mail('eva'), enabled: !isOff })],
      claims: { ana: 'eva' },
      settings: { parkEmail: '{identification}@parked.example', delivery: 'direct' },
      dialect: { put: 'replaces', mayClear: ['job'] },
    });
    expect([plan.kinds(), plan.codes().toSorted()]).toEqual([[], expected]);
  });
});

describe('a create that was refused before', () => {
  const hourMs = 3_600_000;
  const records = [named('ana', changed), named('eva', changed), named('kim', changed)];
  const world: World = { records, users: [account('kim')] };

  it.each([
    { tries: 2, ago: 23, waits: true },
    { tries: 2, ago: 24, waits: false },
    { tries: 1, ago: 0, waits: false },
    { tries: 2, ago: 23, waits: false, hash: 'another row' },
    { tries: 2, ago: 23, waits: false, over: { isRetry: true } as const },
    { tries: 2, ago: 23, waits: false, over: { isNamed: true } as const },
  ])('waits for its next try: $tries tries, $ago hours ago', async ({ tries, ago, waits, hash, over = {} }) => {
    const made = (await decide(world)).changes.find(({ identification }) => identification === 'ana');
    const past = { hash: hash ?? made?.hash ?? '', tries, lastAt: now - ago * hourMs };
    const plan = await decide({ ...world, ...over, refused: { ana: [{ ...past, hash: 'older' }, past] } });
    expect(plan.kinds()).toEqual(['update kim', ...(waits ? [] : ['create ana']), 'create eva']);
    expect([plan.codes(), plan.createsWait]).toEqual(waits ? [['create-waits ana'], 1] : [[], 0]);
    if (waits)
      expect(plan.findings[0]?.message).toMatch(/^the platform did not create this user, 2 times; .*Next try: /);
  });

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
    const { postponed } = await plan.decide();
    expect([plan.changes[1]?.verdict?.state, postponed]).toEqual(['dropped', 0]);
  });
});
