import { describe, expect, it } from 'vitest';
import type { User } from '../../../src/core/person/fields.ts';
import type { Person } from '../../../src/core/person/person.ts';
import { type Dialect, defaultDialect, type SyncSettings } from '../../../src/core/run/settings.ts';
import { openRun, reject, writePlan } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { changed, decide, entry, fields, left, named, off, open, type World } from '../decide-scene.ts';
import { account } from '../plan-scene.ts';

const guest = { isInScope: false } as const;
const unknown = { standing: 'unknown' } as const;
const crowd = (count: number) => Array.from({ length: count }, (_, i) => `p${1000 + i}`);

describe('everyone who needs a decision', () => {
  it('is each user whom the platform shows, and each person whom it does not show', async () => {
    const { decided, postponed } = await decide({
      records: [named('ana'), named('eva'), named('leo', left), named('ida', left), named('kim')],
      users: [account('ana')],
      ledger: [entry('ida'), entry('old')],
      bystanders: ['kim'],
    });
    expect(decided).toEqual(['ana active-equal', 'eva active-create', 'ida leaver-settled', 'old missing-settled']);
    expect(postponed).toBe(0);
  });

  it('is a leaver without an account too where one person is explained', async () => {
    const { decided } = await decide({
      records: [named('leo', left), named('kim')],
      isFocused: true,
      bystanders: ['kim'],
    });
    expect(decided).toEqual(['leo leaver-settled']);
  });

  it.each([
    { count: 0, shown: 0, told: [] },
    { count: 500, shown: 0, told: [500] },
    { count: 501, shown: 0, told: [500, 501] },
    { count: 500, shown: 500, told: [500] },
    { count: 501, shown: 501, told: [500, 501] },
  ])('is decided by five hundred: $count people with $shown users', async ({ count, shown, told }) => {
    const names = crowd(count);
    const users = crowd(shown).map((name) => account(name));
    const { progress, kinds } = await decide({ records: names.map((name) => named(name, changed)), users });
    expect(progress).toEqual(told.flatMap((decided) => [decided, shown]));
    expect(kinds()).toEqual(names.map((name) => `${shown > 0 ? 'update' : 'create'} ${name}`));
  });

  it('is not decided further after a stop', async () => {
    const plan = await open({ records: crowd(501).map((name) => named(name)), stops: true });
    await expect(plan.decide()).rejects.toThrow('asked to stop');
    expect(plan.changes).toHaveLength(500);
  });
});

describe('a user of another sync that releases the user', () => {
  const release = { release: { from: 'guests', standing: 'missing', readAt: now } };
  const records = [named('ana', changed), named('eva', changed), named('leo')];
  const users = ['ana', 'eva', 'leo'].map((name) => account(name));
  const ledger = [entry('ana', { owner: 'guests' }), entry('eva', { owner: 'guests' }), entry('leo')];

  it('is taken over with its change, which is reported and writes no entry of its own', async () => {
    const world = { records, users, ledger, neighbors: { ana: release, eva: release }, taken: ['ana'] };
    const { kinds, taking, findings, decided, entries } = await decide(world);
    expect(taking).toEqual([
      { identification: 'ana', owner: 'guests' },
      { identification: 'eva', owner: 'guests' },
    ]);
    expect(kinds()).toEqual(['update ana']);
    expect(decided).toEqual(['ana active-update', 'leo active-equal']);
    expect(findings).toEqual([
      {
        code: 'handed-over',
        identification: 'ana',
        message: expect.stringMatching(/^taken over from sync guests, whose full read of .* as missing$/),
      },
    ]);
    expect(entries).toEqual([]);
  });

  it('is not taken over where the entry is about an account that is gone', async () => {
    const world = {
      records: [named('ana', changed)],
      users: [account('ana', { id: 'new' })],
      neighbors: { ana: release },
    };
    const { taking, codes, kinds } = await decide({ ...world, ledger: [entry('ana', { owner: 'guests' })] });
    expect([taking, codes(), kinds()]).toEqual([[], [], ['update ana']]);
  });
});

describe('a user of a sync that is no longer configured', () => {
  it('becomes ours where the person is active and nothing changes', async () => {
    const { entries, kinds, findings } = await decide({
      records: [named('ana'), named('eva', changed), named('leo', left), named('ida'), named('new')],
      users: [account('ana'), account('eva'), account('leo', off), account('ida'), account('new')],
      ledger: [
        entry('new', { owner: 'older' }),
        entry('ana', { owner: 'gone' }),
        entry('eva', { owner: 'gone' }),
        entry('leo', { owner: 'gone' }),
        entry('ida'),
      ],
    });
    expect(entries).toEqual(
      ['ana', 'new'].map((identification) => expect.objectContaining({ identification, owner: 'people' })),
    );
    expect(kinds()).toEqual(['update eva']);
    expect(findings.map(({ message }) => message).toSorted()).toEqual([
      'sync people takes over 1 user of sync older, which is no longer configured on this connection',
      'sync people takes over 2 users of sync gone, which is no longer configured on this connection',
    ]);
  });
});

describe('the ledger entries of decisions', () => {
  const miss = (count: number) => ({ misses: { count, since: now - 1, stamp: 's0' } });

  it('adopt equal users, and count absences as misses, whether or not they disable', async () => {
    const { entries, misses, kinds } = await decide({
      records: [named('ana'), named('eva')],
      users: [account('ana'), account('eva'), account('leo'), account('ida'), account('kim', off)],
      ledger: [entry('eva', miss(1)), entry('leo'), entry('ida', miss(1)), entry('kim', { disabledAt: now - 1 })],
    });
    expect(entries.map(({ identification, misses: count }) => [identification, count])).toEqual([
      ['ana', undefined],
      ['eva', undefined],
      ['kim', undefined],
    ]);
    expect(misses.map((one) => [one.identification, one.misses.count])).toEqual([
      ['leo', 1],
      ['ida', 2],
    ]);
    expect(kinds()).toEqual(['disable ida']);
  });

  it('adopt equal users of whom only what the person does not tell is kept', async () => {
    const { entries } = await decide({ records: [named('ana')], equal: ['ana'] });
    expect(entries).toEqual([expect.objectContaining({ identification: 'ana', owner: 'people', accountId: '9ana' })]);
  });

  it('leave out users of a sync that is gone whom no record names', async () => {
    const { decided, entries } = await decide({ users: [account('old')], ledger: [entry('old', { owner: 'gone' })] });
    expect([decided, entries]).toEqual([['old owned-by-other'], []]);
  });

  it('are not written where nothing is to be stored', async () => {
    const { entries, misses } = await decide({
      records: [named('ana'), named('eva', unknown)],
      users: [account('ana')],
      ledger: [entry('ana')],
    });
    expect([entries, misses]).toEqual([[], []]);
  });
});

describe('the findings of decisions', () => {
  it('name people without a decision, but not those whose conflict was reported before', async () => {
    const { codes, blocked } = await decide({
      records: [named('ana', unknown), named('eva'), named('eva', { at: 'line 9', fields: { area: 'Law' } })],
    });
    expect(codes()).toEqual(['status-unknown ana']);
    expect(blocked.map(({ kind }) => kind)).toEqual(['status-unknown', 'identity-conflict']);
  });

  it('count people out of scope without a known status as blocked only when they are known', async () => {
    const records = ['ana', 'eva', 'leo'].map((name) => named(name, { ...unknown, ...guest }));
    const { blocked } = await decide({ records, ledger: [entry('ana'), entry('eva', { owner: 'gone' })] });
    expect(blocked.map(({ at }) => at)).toEqual(['line of ana', 'line of eva']);
  });

  it('count refused employees as blocked, except those whose unreadable date was counted in the read', async () => {
    const refusesCreate = 'the hire date cannot be read';
    const trouble = { field: 'hireDate', column: 'hired', kind: 'not-a-date', reason: 'is not a date' } as const;
    const { blocked, codes } = await decide({
      records: [named('ana', { refusesCreate }), named('eva', { refusesCreate, troubles: [trouble] })],
    });
    expect(codes()).toEqual(['create-refused ana', 'create-refused eva']);
    expect(blocked.map(({ at }) => at)).toEqual(['line of ana']);
  });

  it('name a change that the delivery cannot carry, which is left out', async () => {
    const { codes, findings, kinds } = await decide({
      records: [named('ana', left), named('eva')],
      users: [account('ana')],
      settings: { delivery: 'direct' },
    });
    expect([codes(), kinds()]).toEqual([['not-deliverable ana'], ['create eva']]);
    expect(findings[0]?.message).toBe(
      'a disable cannot be delivered with delivery: direct, so it was not made. Use delivery: csv or auto',
    );
  });
});

it('a change carries fields that cannot be read back only where a write would clear them', async () => {
  const { csv } = defaultDialect;
  const carries = async (delivery: SyncSettings['delivery'], dialect: Partial<Dialect>) => {
    const plan = await decide({
      records: [named('ana', changed)],
      users: [account('ana')],
      ledger: [entry('ana', { hidden: { seniority: '3' } })],
      settings: { delivery },
      dialect: { mayClear: ['job', 'phoneNumber'], ...dialect },
    });
    return plan.changes[0]?.after.seniority === '3';
  };
  expect(await carries('csv', {})).toBe(false);
  expect(await carries('csv', { csv: { ...csv, header: 'full', emptyCell: 'clears' } })).toBe(true);
  expect(await carries('direct', { put: 'replaces' })).toBe(true);
});

describe('an e-mail that another account still has', () => {
  const mail = (name: string) => ({ ...fields, email: `${name}@x.com` });
  const wants = (name: string, whose: string, over: Partial<Person> = {}) =>
    named(name, { ...over, fields: mail(whose) });
  const has = (name: string, over: Partial<User> = {}) => account(name, { ...over, fields: mail(name) });
  const parkEmail = '{identification}@parked.example';
  const waits = ({ changes }: Awaited<ReturnType<typeof decide>>) =>
    changes.map(({ identification, kind, waitsFor }) =>
      [kind, identification, waitsFor].filter((part) => part !== undefined).join(' '),
    );
  const both = [has('ana'), has('eva')];

  it('stays by an outbox, whose files another system delivers', async () => {
    const records = [wants('ana', 'eva'), wants('eva', 'new')];
    const settings = { delivery: 'outbox' } as const;
    const plan = await decide({ records, users: both, claims: { ana: 'eva' }, settings });
    expect(waits(plan)).toEqual(['update eva']);
    expect(plan.postponed).toBe(1);
  });

  it('stays for all who wait for one that stays, with one finding for each', async () => {
    const plan = await decide({
      records: [wants('ana', 'eva'), wants('eva', 'leo'), named('leo')],
      users: ['ana', 'eva', 'leo'].map((name) => has(name)),
      claims: { ana: 'eva', eva: 'leo' },
    });
    expect(plan.kinds()).toEqual([]);
    expect(plan.codes().toSorted()).toEqual(['email-conflict ana', 'email-conflict eva', 'email-conflict leo']);
  });

  it('is a finding where the run is about one of the two people alone', async () => {
    const world = { records: [wants('ana', 'eva'), named('eva')], users: both, claims: { ana: 'eva' } };
    expect((await decide({ ...world, bystanders: ['ana'] })).codes()).toContain('email-conflict ana');
    expect((await decide({ ...world, bystanders: ['eva'] })).codes()).toContain('email-conflict ana');
  });

  it('stays where the holder has no change, or keeps it in another change', async () => {
    for (const holder of [named('eva'), named('eva', changed)]) {
      const plan = await decide({ records: [wants('ana', 'eva'), holder], users: both, claims: { ana: 'eva' } });
      expect(plan.kinds().includes('update ana')).toBe(false);
      expect(plan.codes()).toEqual(['email-conflict ana', 'email-conflict eva']);
      expect(plan.postponed).toBe(1);
      expect(plan.findings[0]?.message).toBe(
        'the e-mail of ana (line of ana) is still on user eva: ana waits until it is free',
      );
    }
  });

  it.each([
    { policy: 'sync', kinds: ['disable eva'], says: /a leaver, still has .* A later run/ },
    { policy: 'upsert-only', kinds: [], says: /who left and keeps it/ },
  ] as const)('of a leaver is told apart with policy $policy', async ({ policy, kinds, says }) => {
    const plan = await decide({
      records: [wants('ana', 'eva'), wants('eva', 'eva', left)],
      users: both,
      claims: { ana: 'eva' },
      settings: { policy, parkEmail },
    });
    expect(plan.kinds()).toEqual(kinds);
    expect(plan.findings).toEqual([
      expect.objectContaining({ identification: 'ana', other: 'eva', message: expect.stringMatching(says) }),
    ]);
  });

  it('of a disabled leaver who is a bystander is parked only where one person is explained', async () => {
    const world = {
      records: [wants('ana', 'eva'), wants('eva', 'eva', left)],
      users: [has('ana'), has('eva', off)],
      ledger: [entry('ana'), entry('eva', { disabledAt: 1, goneSince: 1 })],
      claims: { ana: 'eva' },
      settings: { parkEmail },
      bystanders: ['eva'],
    };
    expect((await decide(world)).kinds()).toEqual([]);
    expect((await decide({ ...world, isFocused: true })).kinds().toSorted()).toEqual(['update ana', 'update eva']);
  });

  it.each([
    ['no parking address is configured', undefined],
    ['an employee has the parking address', 'ana@x.com'],
    ['the identification makes no address', '{identification} {identification}@parked.example'],
  ])('of a disabled leaver stays where %s', async (_, address) => {
    const plan = await decide({
      records: [wants('ana', 'eva'), wants('eva', 'eva', left), wants('kim', 'ana')],
      users: [has('ana'), has('eva', off), account('kim')],
      ledger: [entry('ana'), entry('eva', { disabledAt: 1, goneSince: 1 }), entry('kim')],
      claims: { ana: 'eva', kim: 'ana' },
      settings: address === undefined ? {} : { parkEmail: address },
    });
    expect([plan.kinds(), plan.codes().toSorted()]).toEqual([[], ['email-conflict ana', 'email-conflict kim']]);
  });

  describe('and is claimed in a circle', () => {
    /** Each of them is to get the e-mail of the next one. */
    const circleOf = (names: readonly string[], over: Partial<World> = {}) => {
      const pairs = names.map((name, i) => [name, names[(i + 1) % names.length] ?? ''] as const);
      return decide({
        records: pairs.map(([name, whose]) => wants(name, whose.replace(' ', '.'))),
        users: names.map((name) => account(name, { fields: mail(name.replace(' ', '.')) })),
        claims: Object.fromEntries(pairs),
        ...over,
      });
    };
    const told = ({ findings }: Awaited<ReturnType<typeof decide>>) =>
      findings.map(({ code, identification, at, other }) => `${code} ${identification} (${at}) ${other}`);

    it('is no finding for people whom the run is not about', async () => {
      expect(told(await circleOf(['ana', 'eva'], { bystanders: ['eva'] }))).toEqual([
        'email-cycle ana (line of ana) eva',
      ]);
    });

    it.each([
      { count: 10, shown: 'p1008 → p1009 → p1000. ' },
      { count: 11, shown: 'p1008 → p1009 → … → p1000. ' },
    ])('of $count people is shown with at most ten names', async ({ count, shown }) => {
      const { findings } = await circleOf(crowd(count));
      expect(findings).toHaveLength(count);
      expect(findings[0]?.message).toContain(`p1000 → p1001 → `);
      expect(findings[0]?.message).toContain(shown);
    });
  });

  it('of a person whom a run about named people does not change waits, but is explained as it would be', async () => {
    const world = {
      records: [wants('ana', 'eva'), wants('eva', 'new')],
      users: both,
      claims: { ana: 'eva' },
      bystanders: ['eva'],
    };
    const named = await decide({ ...world, kind: 'point' });
    expect([named.kinds().includes('update ana'), named.postponed]).toEqual([false, 1]);
    const explained = await decide({ ...world, isFocused: true });
    expect(waits(explained)).toContain('update ana eva');
  });

  it('is no finding between two people whom the run is not about', async () => {
    const plan = await decide({
      records: [wants('ana', 'eva'), wants('eva', 'eva'), named('kim')],
      users: both,
      claims: { ana: 'eva' },
      bystanders: ['ana', 'eva'],
    });
    expect([plan.findings, plan.postponed]).toEqual([[], 0]);
  });
});

describe('a change', () => {
  it('continues the episode of its rule, or begins the next one after the last has ended', async () => {
    const world = { records: [named('ana', left), named('eva', left)], users: [account('ana'), account('eva')] };
    const first = await decide(world);
    expect(first.changes.map(({ rule, episode }) => [rule, episode])).toEqual([
      ['leaver-enabled', '0'],
      ['leaver-enabled', '0'],
    ]);
    const plan = await open(world);
    await reject(plan.store, first.changes, { at: now });
    const owned = await openRun(plan.store, { id: 'run_1' });
    await writePlan(plan.store, { id: 'run_1', owned }, []);
    await plan.store.decisions.end(owned, 'run_1', { identifications: ['ana'], keepsRejections: false }, now);
    await plan.decide();
    expect(plan.changes.map(({ identification, episode }) => [identification, episode])).toEqual([
      ['ana', '1'],
      ['eva', '0'],
    ]);
    expect(plan.changes[1]?.hash).toBe(first.changes[1]?.hash);
  });
});
