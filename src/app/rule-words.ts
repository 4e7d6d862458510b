import type { MissingWait } from '../core/plan/ledger-steps.ts';
import type { Decision, Rule } from '../core/plan/plan.ts';
import { countOf, formatInstant } from '../core/run/formats.ts';

/** The rows of the planner's truth table in words. */
export const ruleWords: Readonly<Record<Rule, string>> = {
  'owned-by-other': 'the user belongs to another sync, and only that sync may change it',
  'hand-over-expected': 'another sync has the employee as active and is expected to take the user over',
  unusable: 'the source has the employee, but the record cannot be used; the user is protected',
  nothing: 'the source has no record for this identification, so no decision is possible',
  'out-of-scope': 'the employee is out of scope by rule',
  'leaver-enabled': 'the employee left, and the account is still enabled',
  'leaver-remove': 'the employee left, and we disabled the account long enough ago',
  'leaver-parked': 'the employee left, and another employee gets the e-mail of the disabled account',
  'leaver-settled': 'the employee left, and the account is disabled or does not exist',
  'active-blacklisted': 'the employee is active, but we removed the user with blacklist',
  'create-refused': 'the employee is active and has no account, but the record does not allow a new one',
  'active-create': 'the employee is active, and the platform has no such user',
  'active-update': 'the employee is active, and the user differs',
  'active-equal': 'the employee is active, and the user is up to date',
  'enable-refused': 'the employee is active and the account is disabled, but the record does not allow enabling it',
  'active-enable': 'the employee is active, and the account is disabled',
  'active-foreign-disable': 'the employee is active, and the account was disabled by others',
  'missing-counted': 'the employee is missing from the source, and the absence is counted',
  'missing-disable': 'the employee has been missing from the source long enough',
  'missing-remove': 'the employee is missing, and we disabled the account long enough ago',
  'missing-settled': 'the employee is missing, and the account is disabled or does not exist',
  'missing-unmanaged': 'the source has no such employee, and the user is not ours',
};

/** Returns the row that applied in words, with what it waits for. */
export function wordsOf({ rule, wait, finding }: Pick<Decision, 'rule' | 'wait' | 'finding'>): string {
  if (finding?.code === 'unresolved') return 'a change of the user waits for its outcome, so nothing else is decided';
  return wait === undefined ? ruleWords[rule] : `${ruleWords[rule]}: ${waitWords(wait)}`;
}

/** When a missing person is disabled: `disabled from 2026-11-26 02:30:00 UTC at the earliest, after 2 reads`. */
export function waitWords({ from, afterReads }: MissingWait): string {
  return `disabled from ${formatInstant(from)} at the earliest, after ${countOf(afterReads, 'read')}`;
}
