import type { Rule } from '../core/plan.ts';

/** The rows of the planner's truth table, for people. */
export const ruleWords: Readonly<Record<Rule, string>> = {
  'owned-by-other': 'the user belongs to another sync, which alone may change it',
  unusable: 'the source names the person, but in a way that cannot be used; the person is protected',
  nothing: 'the source says nothing that may be concluded from',
  'out-of-scope': 'the person is out of scope by rule',
  'leaver-enabled': 'the person left, and the account is still enabled',
  'leaver-remove': 'the person left, and the account has been disabled by us for long enough',
  'leaver-settled': 'the person left, and the account is disabled or not there',
  'active-blacklisted': 'the person is active, but we removed the user with blacklist',
  'active-create': 'the person is active, and the platform has no such user',
  'active-update': 'the person is active, and the user differs',
  'active-equal': 'the person is active, and the user is as it should be',
  'active-enable': 'the person is active, and the account is disabled',
  'active-foreign-disable': 'the person is active, and somebody else disabled the account',
  'missing-counted': 'the person is missing from the source, but not for long enough',
  'missing-disable': 'the person has been missing from the source for long enough',
  'missing-remove': 'the person is missing, and the account has been disabled by us for long enough',
  'missing-settled': 'the person is missing, and the account is disabled or not there',
  'missing-unmanaged': 'the source has no such person, and the user is not ours',
};
