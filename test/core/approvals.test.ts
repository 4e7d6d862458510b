import { expect, it } from 'vitest';
import {
  type Access,
  fullAccess,
  grantWords,
  highestRole,
  isCovered,
  type Need,
  obstacleTo,
  seesPeople,
  syncsFor,
} from '../../src/core/guard/access.ts';
import {
  type ApprovalRule,
  type ApprovalSettings,
  objectionTo,
  ruledAmong,
  ruledClasses,
  rulesFor,
  strictest,
  withApproval,
} from '../../src/core/guard/approvals.ts';
import { type ChangeClass, changeClasses } from '../../src/core/plan/change.ts';

const each: ApprovalRule = { approvers: 2, above: 0, notRequester: false };
const many: ApprovalRule = { approvers: 1, above: 50, by: ['group:hr-leads', 'token:ana'], notRequester: true };
const settings: ApprovalSettings = { isReasonRequired: true, rules: { removes: each, disables: many } };

const counts = (some: Partial<Record<ChangeClass, number>>) =>
  ({ ...Object.fromEntries(changeClasses.map((name) => [name, 0])), ...some }) as Record<ChangeClass, number>;

it.each([
  // open, in the last 24 hours, held
  [{ removes: 1 }, {}, ['removes']],
  [{ removes: 0 }, { removes: 9 }, []],
  [{ disables: 50 }, {}, []],
  [{ disables: 51 }, {}, ['disables']],
  [{ disables: 1 }, { disables: 50 }, ['disables']],
  [{ disables: 20 }, { disables: 30 }, []],
  [{ creates: 999 }, {}, []],
  [{ removes: 2, disables: 60 }, {}, ['disables', 'removes']],
] as const)('%j after %j: %j waits by its rule', (open, recent, held) => {
  const found = ruledClasses(counts(open), counts(recent), settings).map((one) => one.class);
  expect(found.toSorted()).toEqual(held);
});

it.each([
  [['removes'], [], ['removes']],
  [['disables'], [], []],
  [['disables'], ['disables'], ['disables']],
  [['enables', 'updates'], ['disables'], []],
] as const)('a change of %j in a plan where %j waited has the rules of %j', (classes, ruled, found) => {
  expect(rulesFor(classes, ruled, settings).map((one) => one.class)).toEqual(found);
});

it('changes that were only shown are counted themselves', () => {
  const disables = Array.from({ length: 51 }, () => ({ classes: ['disables'] as const }));
  expect(ruledAmong(disables, settings)).toEqual(['disables']);
  expect(ruledAmong(disables.slice(1), settings)).toEqual([]);
});

it.each([
  // who, groups, who requested the run, whether the rule objects
  ['user:7', ['hr-leads'], [], undefined],
  ['user:7', [], [], /may not approve this class/],
  // A user, a token, a login and a group of one name are four different things.
  ['token:hr-leads', [], [], /may not approve this class/],
  ['user:hr-leads', [], [], /may not approve this class/],
  ['user:group:hr-leads', ['group:hr-leads', 'Hr-Leads'], [], /may not approve this class/],
  ['token:ana', ['ana'], [], undefined],
  ['user:ana', ['token:ana'], [], /may not approve this class/],
  ['user:7', ['hr-leads'], ['user:7'], /requested the run/],
  ['user:ana', ['hr-leads'], ['shell:ana', 'token:ana', 'user:Ana'], undefined],
] as const)('%s of %j, when %j requested the run: %s', (by, groups, requesters, objection) => {
  const found = objectionTo({ by, groups, requesters }, rulesFor(['disables'], ['disables'], settings));
  if (objection === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(objection);
});

it('one identity counts once, and an old approval does not count', () => {
  const hour = 3_600_000;
  const first = withApproval([], { by: 'ana', at: 0 });
  expect(withApproval(first, { by: 'ana', at: hour })).toEqual([{ by: 'ana', at: hour }]);
  expect(withApproval(first, { by: 'bo', at: hour }).map(({ by }) => by)).toEqual(['ana', 'bo']);
  expect(withApproval(first, { by: 'bo', at: 25 * hour }).map(({ by }) => by)).toEqual(['bo']);
  expect(strictest(rulesFor(['removes', 'disables'], ['disables'], settings))).toEqual({ class: 'removes', of: 2 });
  expect(strictest(rulesFor(['disables'], ['disables'], settings))).toBeUndefined();
});

const of = (role: Need['role'], people: Need['people'] = 'none'): Need => ({ role, people });
const uy: Access = [{ role: 'operator', syncs: ['uy'] }];
const blind: Access = [{ role: 'admin', people: false }];

it.each<[Access, Need, string | undefined, ReturnType<typeof obstacleTo>]>([
  [fullAccess, of('admin', 'needed'), undefined, undefined],
  [fullAccess, of('admin', 'needed'), 'uy', undefined],
  [uy, of('operator', 'needed'), 'uy', undefined],
  [uy, of('viewer'), 'uy', undefined],
  [uy, of('admin'), 'uy', 'role'],
  [uy, of('monitor'), 'ar', 'sync'],
  [uy, of('monitor'), undefined, 'role'],
  [blind, of('admin', 'hidden'), 'uy', undefined],
  [blind, of('viewer', 'needed'), 'uy', 'people'],
  [[{ role: 'monitor' }], of('monitor', 'needed'), 'uy', 'people'],
  [[...uy, { role: 'admin', syncs: ['ar'] }], of('admin'), 'uy', 'role'],
  [[], of('monitor'), undefined, 'role'],
])('%j meets the need %j in %s, but for: %s', (access, need, sync, obstacle) => {
  expect(obstacleTo(access, need, sync)).toBe(obstacle);
});

it.each([
  ['a viewer, by an admin', { role: 'viewer' }, { role: 'admin' }, true],
  ['an admin, by a viewer', { role: 'admin' }, { role: 'viewer' }, false],
  ['one of all syncs, by one of some', { role: 'viewer' }, { role: 'admin', syncs: ['people'] }, false],
  ['one with people, by one without', { role: 'viewer' }, { role: 'viewer', people: false }, false],
  ['a monitor, by one without people', { role: 'monitor' }, { role: 'viewer', people: false }, true],
] as const)('a grant is covered by what allows as much: %s', (_, grant, other, isTrue) => {
  expect(isCovered(grant, [other])).toBe(isTrue);
});

it('grants add up, say what they show, and have words', () => {
  const both: Access = [{ role: 'viewer', syncs: ['ar', 'uy'], people: false }, ...uy];
  expect(['ar', 'uy', 'cl', undefined].map((sync) => seesPeople(both, sync))).toEqual([false, true, false, false]);
  expect(seesPeople(fullAccess)).toBe(true);
  expect(syncsFor(both, of('operator'), ['ar', 'uy', 'cl'])).toEqual(['uy']);
  expect(syncsFor(fullAccess, of('operator'), ['ar'])).toBeUndefined();
  expect([both, fullAccess, []].map(highestRole)).toEqual(['operator', 'admin', 'monitor']);
  const words = [...both, ...blind, { role: 'monitor', people: false } as const].map(grantWords);
  expect(words).toEqual(['viewer of ar, uy, without people', 'operator of uy', 'admin, without people', 'monitor']);
});
