import { describe, expect, it } from 'vitest';
import { changeClasses } from '../../src/core/change.ts';
import { allowance, checkGuards, type GuardFacts } from '../../src/core/guard.ts';
import { defaultGuards } from '../../src/core/settings.ts';

const none = Object.fromEntries(changeClasses.map((name) => [name, 0])) as GuardFacts['classes'];
const calm: GuardFacts = {
  sync: 'people',
  classes: none,
  recent: none,
  managed: 1000,
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
      expect(allowance(threshold, managed)).toBe(allowed);
    },
  );
});

describe('guards', () => {
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
        reason: '51 disables: only 50 in 24 hours pass without approval (1000 managed users)',
      },
    ]);
  });

  it('count what was applied in the last 24 hours, so that many small runs may not do what one may not', () => {
    const facts = { ...calm, classes: { ...none, disables: 1 }, recent: { ...none, disables: 50 } };
    const reason =
      '1 disable, after 50 already made in the last 24 hours: only 50 in 24 hours pass without approval (1000 managed users)';
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
    expect(verdict.areMissesHeld).toBe(true);
  });

  it('accept a source that lost exactly what is allowed', () => {
    const verdict = checkGuards({ ...calm, rows: 900, previous: { rows: 1000, fillRates: {} } }, defaultGuards);
    expect(verdict.areMissesHeld).toBe(false);
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

  it('name a field whose fill-rate fell, and not one that was never filled', () => {
    const previous = { rows: 1000, fillRates: { email: 0.98, job: 0, area: 0.9 } };
    const verdict = checkGuards({ ...calm, previous, fillRates: { email: 0.5, job: 0, area: 0.75 } }, defaultGuards);
    expect(verdict.fields).toEqual([{ field: 'email', reason: expect.stringContaining('50 %') }]);
  });

  it('accept a field that lost exactly what is allowed, and name it from the next point on', () => {
    const facts = { ...calm, previous: { rows: 1000, fillRates: { email: 0.75 } }, fillRates: { email: 0.5 } };
    const namedAt = (fillRateDownPoints: number) =>
      checkGuards(facts, { ...defaultGuards, fillRateDownPoints }).fields.map(({ field }) => field);
    expect(namedAt(25)).toEqual([]);
    expect(namedAt(24)).toEqual(['email']);
  });

  it('accept a field that is not mapped any more', () => {
    const previous = { rows: 1000, fillRates: { email: 1 } };
    expect(checkGuards({ ...calm, previous, fillRates: {} }, defaultGuards).fields).toEqual([]);
  });

  it('accept a source that had no rows at the last read', () => {
    const verdict = checkGuards({ ...calm, rows: 0, previous: { rows: 0, fillRates: {} } }, defaultGuards);
    expect(verdict.areMissesHeld).toBe(false);
  });

  it('say so when none passes, and when it is the first run', () => {
    const nothing = { ...defaultGuards, disables: { absolute: 0, percent: 0, cap: undefined } };
    const facts = { ...calm, managed: 0, classes: { ...none, disables: 1 } };
    expect(checkGuards(facts, nothing).holds[0]?.reason).toBe('1 disable: none passes without approval (first run)');
  });

  it('name three fields that are gone and no rest', () => {
    const vanished = ['email', 'area', 'job'].map((read) => ({ read, readers: [read], reason: `${read} is gone` }));
    const { holds } = checkGuards({ ...calm, classes: { ...none, updates: 1 }, vanished }, defaultGuards);
    expect(holds[0]?.reason).toBe('email is gone; area is gone; job is gone');
  });
});
