import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApprovalRule, ApprovalSettings } from '../../src/core/guard/approvals.ts';
import {
  loosened,
  loosenedWords,
  type Safeguards,
  safeguardsDigest,
  safeguardsOf,
} from '../../src/core/guard/loosened.ts';
import { limitedClasses } from '../../src/core/plan/change.ts';
import { defaultGuards, type GuardSettings } from '../../src/core/run/settings.ts';

type Edit = Partial<{ [Name in keyof GuardSettings]: Partial<GuardSettings[Name]> | GuardSettings[Name] }>;

const safeguards = (guards: Edit = {}, approvals?: ApprovalSettings, users: readonly string[] = ['E1', 'E2']) => {
  const merged = Object.entries(guards).map(([name, value]) => {
    const usual = defaultGuards[name as keyof GuardSettings];
    return [name, typeof value === 'object' && !Array.isArray(value) ? { ...(usual as object), ...value } : value];
  });
  const all = { ...defaultGuards, ...Object.fromEntries(merged) } as GuardSettings;
  return safeguardsOf({ guards: all, protected: users }, approvals);
};
const words = (before: Safeguards, after: Safeguards) => loosened(before, after).map(loosenedWords);

it.each<[string, Edit, Edit, readonly string[]]>([
  ['more percent', {}, { disables: { percent: 50 } }, ['guards.disables: 5 % → 50 %']],
  ['a higher number', {}, { creates: { absolute: 900 } }, ['guards.creates: 25 → 900']],
  ['a higher cap', {}, { removes: { cap: 21 } }, ['guards.removes: a cap of 20 → a cap of 21']],
  ['no cap', {}, { disables: { cap: undefined } }, ['guards.disables: a cap of 100 → no cap']],
  ['more blocked people', {}, { blocked: { percent: 20 } }, ['guards.blocked: 10 % → 20 %']],
  ['a larger share of rows', {}, { blocked: { oneInRows: 2 } }, ['guards.blocked: one in 3 rows → one in 2 rows']],
  ['fewer rows', {}, { rowsDownPercent: 100 }, ['guards.rowsDownPercent: 10 % → 100 %']],
  ['emptier fields', {}, { fillRateDownPoints: 21 }, ['guards.fillRateDownPoints: 20 points → 21 points']],
  ['no segments', { segments: ['area', 'office'] }, {}, ['guards.segments: area, office → none']],
  [
    'a segment less',
    { segments: ['area', 'office'] },
    { segments: ['office'] },
    ['guards.segments: area, office → office'],
  ],
  [
    'a mixed edit',
    {},
    { disables: { absolute: 6, percent: 1, cap: 200 } },
    ['guards.disables: 5 → 6', 'guards.disables: a cap of 100 → a cap of 200'],
  ],
  ['less percent', {}, { disables: { percent: 4 } }, []],
  ['a first cap', { creates: { cap: undefined } }, { creates: { cap: 5 } }, []],
  ['a smaller share of rows', {}, { blocked: { oneInRows: 9 } }, []],
  ['segments in another order', { segments: ['area', 'office'] }, { segments: ['office', 'area'] }, []],
  ['one segment more', { segments: ['area'] }, { segments: ['office', 'area'] }, []],
])('guards with %s', (_, before, after, found) => {
  expect(words(safeguards(before), safeguards(after))).toEqual(found);
});

const rule: ApprovalRule = { approvers: 2, above: 10, by: ['hr-leads'], notRequester: true };
const ruled = (change: Partial<ApprovalRule> = {}, isReasonRequired = true): ApprovalSettings => {
  const { by, ...others } = { ...rule, ...change };
  return { isReasonRequired, rules: { removes: { ...others, ...(by === undefined ? {} : { by }) } } };
};
const everyone = { by: undefined } as unknown as Partial<ApprovalRule>;

it.each<[string, ApprovalSettings | undefined, ApprovalSettings | undefined, readonly string[]]>([
  ['one approver fewer', ruled(), ruled({ approvers: 1 }), ['approvals.removes']],
  ['a higher number', ruled(), ruled({ above: 11 }), ['approvals.removes']],
  ['everyone', ruled(), ruled(everyone), ['approvals.removes']],
  ['one more group', ruled(), ruled({ by: ['hr-leads', 'interns'] }), ['approvals.removes']],
  ['the requester too', ruled(), ruled({ notRequester: false }), ['approvals.removes']],
  ['no rule', ruled(), { isReasonRequired: true, rules: {} }, ['approvals.removes']],
  ['no reason', ruled(), ruled({}, false), ['approvals.reason']],
  ['nothing', ruled(), undefined, ['approvals', 'approvals.reason', 'approvals.removes']],
  ['stricter rules', ruled(), ruled({ approvers: 3, above: 0 }), []],
  ['a group fewer', ruled({ by: ['a', 'b'] }), ruled({ by: ['b'] }), []],
  ['a first group', ruled(everyone), ruled(), []],
  ['the first rules', undefined, ruled(), []],
])('approvals with %s', (_, before, after, keys) => {
  expect(loosened(safeguards({}, before), safeguards({}, after)).map(({ key }) => key)).toEqual(keys);
});

it('says an approval rule before and after', () => {
  expect(words(safeguards({}, ruled()), safeguards({}, { isReasonRequired: true, rules: {} }))).toEqual([
    'approvals.removes: 2 people of hr-leads must approve more than 10 in 24 hours, but not the person who requested the run → no rule',
  ]);
});

it.each([
  [['E1'], ['protected: 2 users → 1 user (1 no longer)']],
  [[], ['protected: 2 users → 0 users (2 no longer)']],
  [['E3', 'E1'], ['protected: 2 users → 2 users (1 no longer)']],
  [['E3', 'E2', 'E1'], []],
])('protected users %j', (users, found) => {
  const after = safeguards({}, undefined, users);
  expect(words(safeguards(), after)).toEqual(found);
  expect(JSON.stringify(after)).not.toContain('E1');
});

it('a class that an earlier version did not have was no safeguard', () => {
  const { leads: _, ...others } = defaultGuards;
  const before = { ...safeguards(), guards: others as GuardSettings };
  expect(loosened(before, safeguards({ leads: { percent: 99 } }))).toEqual([]);
});

it('whatever is loosened is tightened by the way back, and the store gives back what it was given', () => {
  const number = fc.integer({ min: 0, max: 9 });
  const threshold = fc.record({ absolute: number, percent: number, cap: fc.option(number, { nil: undefined }) });
  const guards: fc.Arbitrary<Edit> = fc.dictionary(fc.constantFrom(...limitedClasses), threshold);
  fc.assert(
    fc.property(guards, guards, (one, other) => {
      const [before, after] = [safeguards(one), safeguards(other)];
      expect(loosened(before, before)).toEqual([]);
      const isSame = safeguardsDigest(before) === safeguardsDigest(after);
      expect(loosened(before, after).length + loosened(after, before).length > 0).toBe(!isSame);
      const stored = JSON.parse(JSON.stringify(before)) as Safeguards;
      expect(safeguardsDigest(stored)).toBe(safeguardsDigest(before));
      expect(loosened(stored, after)).toEqual(loosened(before, after));
    }),
    { numRuns: 50 },
  );
});
