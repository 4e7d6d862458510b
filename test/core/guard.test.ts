import { describe, expect, it } from 'vitest';
import { allowance, checkGuards, classAllowance, type GuardFacts, isReadDoubted } from '../../src/core/guard/guard.ts';
import { changeClasses } from '../../src/core/plan/change.ts';
import { defaultGuards } from '../../src/core/run/settings.ts';

const none = Object.fromEntries(changeClasses.map((name) => [name, 0])) as GuardFacts['classes'];
const calm: GuardFacts = {
  sync: 'people',
  classes: none,
  recent: none,
  managed: 1000,
  enabled: 1000,
  rows: 1000,
  fillRates: {},
  vanished: [],
  previous: undefined,
};

describe('allowance', () => {
  it.each([
    { threshold: defaultGuards.disables, managed: 0, allowed: 5 },
    { threshold: defaultGuards.disables, managed: 20, allowed: 5 },
    { threshold: defaultGuards.disables, managed: 400, allowed: 20 },
    { threshold: defaultGuards.disables, managed: 100_000, allowed: 100 },
    { threshold: defaultGuards.creates, managed: 100_000, allowed: 20_000 },
    { threshold: defaultGuards.removes, managed: 5000, allowed: 20 },
    { threshold: { absolute: 50, percent: 5, cap: 10 }, managed: 0, allowed: 10 },
  ])(
    'of $threshold.absolute / $threshold.percent % / $threshold.cap for $managed users is $allowed',
    ({ threshold, managed, allowed }) => {
      expect(allowance(threshold, { managed, enabled: managed })).toBe(allowed);
    },
  );

  it('is a share of the enabled users, not of those that were disabled long ago', () => {
    expect(allowance(defaultGuards.disables, { managed: 4000, enabled: 400 })).toBe(20);
    expect(allowance(defaultGuards.disables, { managed: 0, enabled: 400 })).toBe(5);
  });
});

it('after a restore holds every change that locks users out or restores access, and counts the others as always', () => {
  const classes = { ...none, disables: 1, enables: 1, removes: 1, emailChanges: 1, creates: 3, updates: 3 };
  const restored = { from: '2026-11-20T10:00:00.000Z', at: '2026-11-21T09:00:00.000Z' };
  const { holds } = checkGuards({ ...calm, classes, restored }, defaultGuards);
  expect(holds.map((hold) => hold.class).sort()).toEqual(['disables', 'emailChanges', 'enables', 'removes']);
  expect(holds[0]?.reason).toContain('restored at 2026-11-21T09:00:00.000Z from a backup of 2026-11-20T10:00:00.000Z');
});

describe('the allowance of a tiny company', () => {
  const third = ['disables', 'enables', 'removes', 'emailChanges'] as const;

  it.each([
    [0, 1],
    [1, 1],
    [3, 1],
    [5, 1],
    [6, 2],
    [8, 2],
    [9, 3],
  ])('of %i enabled users is %i', (enabled, allowed) => {
    for (const name of third) {
      expect(classAllowance(name, defaultGuards[name], { managed: 20, enabled })).toBe(allowed);
      const classes = { ...none, [name]: allowed };
      expect(checkGuards({ ...calm, managed: 20, enabled, classes }, defaultGuards).holds).toEqual([]);
      const more = { ...none, [name]: allowed + 1 };
      expect(checkGuards({ ...calm, managed: 20, enabled, classes: more }, defaultGuards).holds).toHaveLength(1);
    }
  });

  it.each([14, 15, 18, 30])('of %i never passes the threshold of the class', (enabled) => {
    const allowed = Math.min(Math.floor(enabled / 3), defaultGuards.disables.absolute);
    expect(classAllowance('disables', defaultGuards.disables, { managed: enabled, enabled })).toBe(allowed);
  });

  it('does not hold back creates, nor anything of a first run, and gives nothing that is not allowed', () => {
    expect(classAllowance('creates', defaultGuards.creates, { managed: 3, enabled: 3 })).toBe(25);
    expect(classAllowance('enables', defaultGuards.enables, { managed: 0, enabled: 0 })).toBe(5);
    const nothing = { absolute: 0, percent: 0, cap: undefined };
    expect(classAllowance('disables', nothing, { managed: 3, enabled: 3 })).toBe(0);
  });
});

describe('the allowance of updates', () => {
  it.each([
    [3, 10],
    [30, 10],
    [33, 11],
    [90, 30],
    [200, 60],
  ])('of %i enabled users is a third of them, at least ten, and never above the threshold', (enabled, most) => {
    expect(classAllowance('updates', defaultGuards.updates, { managed: enabled, enabled })).toBe(most);
  });

  it('is the threshold at a first run', () => {
    expect(classAllowance('updates', defaultGuards.updates, { managed: 0, enabled: 0 })).toBe(50);
  });
});

describe('an edit of the configuration', () => {
  const reason = 'this edit changes 11 people: area 11. Edited: mapping.area';
  const edit = { reason, waits: undefined, beside: { ...none, updates: 2 } };
  const verdictOf = (people: number, patch: Partial<GuardFacts> = {}) => {
    const classes = { ...none, updates: people + 2, configuration: people };
    return checkGuards({ ...calm, managed: 300, enabled: 300, classes, edit, ...patch }, defaultGuards).holds;
  };

  it('passes up to ten people, counted with those of the last 24 hours', () => {
    expect(verdictOf(10)).toEqual([]);
    expect(verdictOf(3, { recent: { ...none, configuration: 7 } })).toEqual([]);
    expect(verdictOf(3, { recent: { ...none, configuration: 8 } })).toMatchObject([
      {
        class: 'configuration',
        reason: `${reason}. Up to 10 people in 24 hours need no approval, and edits already changed 8`,
      },
    ]);
  });

  it('is held as a whole, and does not count in the other classes then', () => {
    expect(verdictOf(100)).toMatchObject([{ class: 'configuration', count: 100 }]);
  });

  it('waits whatever its number until a full run has measured it, while a read is in doubt, and after a restore', () => {
    const restored = { from: 'yesterday', at: 'today' };
    const previous = { rows: 1000, fillRates: {} };
    expect(verdictOf(1, { edit: { ...edit, waits: 'No run has measured it' } })).toHaveLength(1);
    expect(verdictOf(1, { rows: 10, previous })[0]?.reason).toMatch(/This read looks wrong/);
    expect(verdictOf(1, { restored })[0]?.reason).toMatch(/restored/);
  });
});

describe('blocked people', () => {
  const cause = '29 of 30 rows have a status that is not in lifecycle; first at line 2';
  const verdictOf = (patch: Partial<GuardFacts>, blocked: Partial<NonNullable<GuardFacts['blocked']>>) =>
    checkGuards({ ...calm, ...patch, blocked: blockedFacts(blocked) }, defaultGuards);
  const blockedFacts = ({ now = 0, before = 0, ...rest }: Partial<NonNullable<GuardFacts['blocked']>>) => {
    return { now, before, rows: { now, before }, cause, isFull: true, ...rest };
  };

  it.each([
    { name: 'at a first run, the absolute figure', managed: 0, rows: 1000, before: 0, most: 10 },
    { name: 'in a small company, the absolute figure', managed: 90, rows: 90, before: 0, most: 10 },
    { name: 'in a larger one, a tenth of the enabled users', managed: 500, rows: 500, before: 0, most: 50 },
    { name: 'in a very large one, the cap', managed: 50_000, rows: 50_000, before: 0, most: 100 },
    { name: 'above what the last accepted read had', managed: 90, rows: 900, before: 40, most: 50 },
    { name: 'a third of the rows', managed: 30, rows: 30, before: 9, most: 10 },
    { name: 'a third of four rows', managed: 4, rows: 4, before: 0, most: 1 },
    { name: 'a third of five rows', managed: 5, rows: 5, before: 0, most: 1 },
    { name: 'a third of six rows', managed: 6, rows: 6, before: 0, most: 2 },
  ])('may be as many as: $name', ({ managed, rows, before, most }) => {
    const patch = { managed, enabled: managed, rows };
    expect(verdictOf(patch, { now: most, before }).blocked).toBeUndefined();
    const { blocked, holds, areMissesHeld } = verdictOf(patch, { now: most + 1, before });
    expect(blocked).toBe(
      `${cause} (${most + 1} ${most === 0 ? 'person is' : 'people are'} blocked, ${before} in the last accepted read)`,
    );
    expect({ holds, areMissesHeld }).toEqual({ holds: [], areMissesHeld: false });
  });

  it('are known once a person has accepted so many, and asked about again when they are more', () => {
    const patch = { managed: 30, enabled: 30, rows: 30 };
    expect(verdictOf(patch, { now: 29, before: 29 }).blocked).toBeUndefined();
    expect(verdictOf(patch, { now: 28, before: 29 }).blocked).toBeUndefined();
    expect(verdictOf(patch, { now: 30, before: 29 }).blocked).toBeDefined();
  });

  it('of a delta are no share of its few rows', () => {
    const patch = { managed: 300, enabled: 300, rows: 2 };
    expect(verdictOf(patch, { now: 2, isFull: false }).blocked).toBeUndefined();
    expect(verdictOf(patch, { now: 31, isFull: false }).blocked).toBeDefined();
  });

  it('count with all their rows in the share of the rows, also after a read with fewer of them was accepted', () => {
    const patch = { managed: 30, enabled: 30, rows: 30 };
    const all = { now: 30, before: 0 };
    expect(verdictOf(patch, { now: 1, rows: all }).blocked).toBe(
      `${cause} (30 rows of 1 person are blocked, 0 rows in the last accepted read)`,
    );
    expect(verdictOf(patch, { now: 1, before: 1, rows: { now: 30, before: 2 } }).blocked).toBeDefined();
    expect(verdictOf(patch, { now: 1, before: 1, rows: { now: 30, before: 30 } }).blocked).toBeUndefined();
    expect(verdictOf(patch, { now: 1, rows: all, isFull: false }).blocked).toBeUndefined();
  });
});

describe('guards', () => {
  const field = (name: 'email' | 'area') => ({ field: name, reason: 'many cells are odd' });

  it('let through what is within every allowance', () => {
    const classes = { ...none, disables: 50, updates: 300, creates: 200 };
    expect(checkGuards({ ...calm, classes }, defaultGuards)).toEqual({ holds: [], fields: [], areMissesHeld: false });
  });

  it('hold only the class that is too much, with the numbers', () => {
    const classes = { ...none, disables: 51, updates: 300 };
    const { holds } = checkGuards({ ...calm, classes }, defaultGuards);
    expect(holds).toEqual([
      {
        sync: 'people',
        class: 'disables',
        count: 51,
        reason: '51 disables: up to 50 in 24 hours need no approval (1000 enabled managed users)',
      },
    ]);
  });

  it('count what was applied in the last 24 hours, so that many small runs may not do what one may not', () => {
    const facts = { ...calm, classes: { ...none, disables: 1 }, recent: { ...none, disables: 50 } };
    const reason =
      '1 disable: up to 50 in 24 hours need no approval, and 50 already passed (1000 enabled managed users)';
    expect(checkGuards(facts, defaultGuards).holds).toMatchObject([{ class: 'disables', reason }]);
  });

  it('use the absolute figure alone at a first run', () => {
    const facts = { ...calm, managed: 0, classes: { ...none, firstSight: 51, creates: 25 } };
    expect(checkGuards(facts, defaultGuards).holds.map((hold) => hold.class)).toEqual(['firstSight']);
  });

  it('hold disables, removes and misses when the source lost rows, and nothing else', () => {
    const classes = { ...none, disables: 1, removes: 1, updates: 1 };
    const verdict = checkGuards(
      { ...calm, classes, rows: 899, previous: { rows: 1000, fillRates: {} } },
      defaultGuards,
    );
    expect(verdict.holds.map((hold) => hold.class)).toEqual(['disables', 'removes']);
    const areMissesHeld = (rows: number, before: number) =>
      checkGuards({ ...calm, rows, previous: { rows: before, fillRates: {} } }, defaultGuards).areMissesHeld;
    expect([areMissesHeld(899, 1000), areMissesHeld(900, 1000), areMissesHeld(0, 0)]).toEqual([true, false, false]);
  });

  it('hold every class when a field is gone, even what no threshold would stop, and say which', () => {
    const vanished = ['lifecycle.leaveDate', 'email', 'area', 'job'].map((reader) => {
      return { read: reader, readers: [reader], reason: `${reader} is gone` };
    });
    const classes = { ...none, creates: 1, updates: 1, disables: 51 };
    const previous = { rows: 1000, fillRates: { email: 1, office: 1 } };
    const facts = { ...calm, classes, vanished, previous, fillRates: { email: 0, office: 0 } };
    const verdict = checkGuards(facts, defaultGuards);
    const reason = 'lifecycle.leaveDate is gone; email is gone; area is gone; and 1 more, see the findings';
    expect(verdict.holds).toEqual(
      (['creates', 'updates', 'disables'] as const).map((name) => {
        return { sync: 'people', class: name, count: classes[name], reason };
      }),
    );
    expect(verdict.areMissesHeld).toBe(true);
    expect(verdict.fields).toEqual([{ field: 'office', reason: expect.any(String) }]);
  });

  it.each<[what: string, before: number, now: number | undefined, points: number, isNamed: boolean]>([
    ['fell', 0.98, 0.5, 25, true],
    ['was never filled', 0, 0, 25, false],
    ['fell a little', 0.9, 0.75, 25, false],
    ['fell by exactly what is allowed', 0.75, 0.5, 25, false],
    ['fell by one point more', 0.75, 0.5, 24, true],
    ['fell by what is allowed, whatever fractions round to', 0.9, 0.7, 20, false],
    ['fell so from another fraction', 0.8, 0.6, 20, false],
    ['is not mapped any more', 1, undefined, 25, false],
  ])('name a field whose fill-rate %s', (...[, before, now, fillRateDownPoints, isNamed]) => {
    const previous = { rows: 1000, fillRates: { email: before } };
    const facts = { ...calm, previous, fillRates: now === undefined ? {} : { email: now } };
    const { fields } = checkGuards(facts, { ...defaultGuards, fillRateDownPoints });
    expect(fields).toEqual(isNamed ? [{ field: 'email', reason: expect.stringContaining('50 %') }] : []);
  });

  it('make a read doubted that lost a field, or whose misses do not count', () => {
    const lost = { ...calm, previous: { rows: 1000, fillRates: { email: 1 } }, fillRates: { email: 0 } };
    expect(isReadDoubted(checkGuards(lost, defaultGuards))).toBe(true);
    const fewer = { ...calm, rows: 1, previous: { rows: 1000, fillRates: {} } };
    expect(isReadDoubted(checkGuards(fewer, defaultGuards))).toBe(true);
    expect(isReadDoubted(checkGuards(calm, defaultGuards))).toBe(false);
  });

  it('hold every expected hand-over that is planned, and say what to do', () => {
    const held = (handOvers: number) => checkGuards({ ...calm, classes: { ...none, handOvers } }, defaultGuards).holds;
    expect(held(0)).toEqual([]);
    expect(held(1)).toEqual([
      {
        sync: 'people',
        class: 'handOvers',
        count: 1,
        reason: expect.stringMatching(/^1 user is .*[Aa]pprove.*reject/),
      },
    ]);
    expect(held(30)[0]?.reason).toMatch(/^30 users are /);
  });

  it.each<[string, NonNullable<GuardFacts['columns']>, readonly string[]]>([
    ['a wrong encoding', { fields: [], encoding: 'why' }, ['creates', 'updates']],
    ['an emptied column', { fields: [], emptied: 'why' }, ['creates', 'enables']],
    [
      'an emptied column of scope',
      { fields: [], emptied: 'why', isDecidingDamaged: true },
      ['creates', 'enables', 'disables', 'removes'],
    ],
    ['a last day of work in doubt', { fields: [], leaveDate: 'why' }, []],
  ])('hold what depends on a column in doubt, and no more: %s', (_, columns, held) => {
    const classes = { ...none, creates: 1, updates: 1, enables: 1, disables: 1, removes: 1, emailChanges: 1 };
    const verdict = checkGuards({ ...calm, classes, columns }, defaultGuards);
    expect(verdict).toMatchObject({ column: 'why', areMissesHeld: false, fields: [] });
    expect(isReadDoubted(verdict)).toBe(true);
    expect(verdict.holds).toHaveLength(held.length);
    for (const name of held) {
      expect(verdict.holds).toContainEqual({ sync: 'people', class: name, reason: 'why', count: 1 });
    }
  });

  it('name a field once that is emptied and in doubt', () => {
    const columns = { fields: [field('email'), field('area')] };
    const facts = { ...calm, columns, previous: { rows: 1000, fillRates: { email: 1 } }, fillRates: { email: 0 } };
    const { fields, column } = checkGuards(facts, defaultGuards);
    expect(fields).toEqual([{ field: 'email', reason: expect.stringContaining('filled for 0 %') }, field('area')]);
    expect(column).toBeUndefined();
    const unreadable = { email: 'mail is no address' };
    expect(checkGuards({ ...facts, unreadable }, defaultGuards).fields[0]?.reason).toBe(
      'email is filled for 0 % of the people, down from 100 %, because mail is no address. Correct the export, or mapping.email',
    );
  });

  it('say so when none passes, and when it is the first run', () => {
    const nothing = { ...defaultGuards, disables: { absolute: 0, percent: 0, cap: undefined } };
    const facts = { ...calm, managed: 0, classes: { ...none, disables: 1 } };
    expect(checkGuards(facts, nothing).holds[0]?.reason).toBe(
      '1 disable: up to 0 in 24 hours need no approval (first run)',
    );
  });

  it('name three fields that are gone and no rest', () => {
    const vanished = ['email', 'area', 'job'].map((read) => ({ read, readers: [read], reason: `${read} is gone` }));
    const { holds } = checkGuards({ ...calm, classes: { ...none, updates: 1 }, vanished }, defaultGuards);
    expect(holds[0]?.reason).toBe('email is gone; area is gone; job is gone');
  });
});
