import type { Rule } from '../../plan/plan.ts';
import type { ErrorCode } from '../errors.ts';
import type { FindingCode } from '../finding.ts';
import { fold, nearest } from '../problem-words.ts';
import { type AlertCode, alertEntries, type RuleCode, ruleEntries } from './alert-entries.ts';
import { type ApiCode, apiEntries } from './api-entries.ts';
import type { CodeEntry } from './code-entry.ts';
import { errorEntries } from './error-entries.ts';
import { findingEntries } from './finding-entries.ts';

const table = 'architecture.md#the-life-of-one-employee-change';
const settings = 'configuration.md#a-sync';
const none = ['No action is required.'] as const;
const approve = [
  'If a guard holds it, run `rollcall holds`, then `rollcall approve RUN` or `rollcall reject RUN`.',
] as const;

/** The rules of the truth table of `decide` that are not findings as well. */
export const decisionEntries: Readonly<Record<Exclude<Rule, FindingCode>, CodeEntry>> = {
  'owned-by-other': {
    meaning: 'The user belongs to another sync, and only that sync may change it.',
    cause: 'Another sync of the connection created or adopted the user.',
    cure: ['To move the user, run `rollcall adopt SYNC PERSON` with the sync that becomes the owner.'],
    page: 'operations.md#move-users-between-syncs',
  },
  unusable: {
    meaning:
      'The source has the employee, but no decision is possible. The user is not changed, and not counted as missing.',
    cause:
      'The row is refused, its status is unknown, it is in a conflict, or an earlier change waits for its outcome.',
    cure: ['Run `rollcall why SYNC PERSON`: the finding says what to correct.'],
    page: 'operations.md#too-many-people-are-blocked',
  },
  nothing: {
    meaning:
      'The read shows too little of the person for a decision. It has no record, or it was not complete and the person left.',
    cause: 'The read was not complete, or it had only changed or named people, or the person starts later.',
    cure: ['No action is required: a complete read of all people decides.'],
    page: table,
  },
  'out-of-scope': {
    meaning: 'The employee is out of scope by rule.',
    cause: '`scope` in the configuration leaves the employee out.',
    cure: ['To disable such users of the sync, set `outOfScope: disable`.'],
    page: settings,
  },
  'leaver-enabled': {
    meaning: 'The employee left, and the account is still enabled: it is disabled.',
    cause: 'The status or the leave date in the HR system says that the employee left.',
    cure: approve,
    page: table,
  },
  'leaver-remove': {
    meaning: 'The employee left, and we disabled the account long enough ago: it is removed.',
    cause: '`remove.afterDays` has passed since the disable.',
    cure: approve,
    page: settings,
  },
  'leaver-parked': {
    meaning: 'The employee left, and the disabled account gets another e-mail.',
    cause: 'An active employee gets the e-mail of the account, and `parkEmail` is set.',
    cure: none,
    page: settings,
  },
  'leaver-settled': {
    meaning: 'The employee left, and the account is disabled or does not exist.',
    cause: 'Everything that a leaver needs is done.',
    cure: none,
    page: table,
  },
  'active-blacklisted': {
    meaning: 'The employee is active, but Rollcall removed the user with blacklist.',
    cause: '`remove.blacklist` is set, and the person was hired again.',
    cure: ['Ask an administrator of the platform to take the identification off the blacklist.'],
    page: settings,
  },
  'active-create': {
    meaning: 'The employee is active, and the platform has no such user: the user is created.',
    cause: 'The employee is new, or the user was deleted on the platform.',
    cure: approve,
    page: table,
  },
  'active-update': {
    meaning: 'The employee is active, and the user differs: the differing fields are written.',
    cause: 'A field changed in the HR system or on the platform.',
    cure: approve,
    page: table,
  },
  'active-equal': {
    meaning: 'The employee is active, and the user is up to date.',
    cause: 'All mapped fields are equal.',
    cure: none,
    page: table,
  },
  'active-enable': {
    meaning: 'The employee is active, and the account is disabled: it is enabled.',
    cause: 'The employee came back, or the account was disabled before the sync first saw it.',
    cure: approve,
    page: table,
  },
  'active-foreign-disable': {
    meaning: 'The employee is active, and the account was disabled by others: it stays disabled.',
    cause: 'An administrator disabled the account on the platform after our last write.',
    cure: ['Ask the administrator.', 'To let Rollcall always enable such accounts, set `foreignDisable: enable`.'],
    page: settings,
  },
  'missing-counted': {
    meaning: 'The employee is missing from the source, and the absence is counted. The account stays enabled.',
    cause: 'Complete reads of all people have no record of the employee, but not yet often or long enough.',
    cure: [
      'Run `rollcall why SYNC PERSON`: it says when the account is disabled.',
      'If the employee still works here, correct the HR system. The next read with the employee ends the count.',
    ],
    page: settings,
  },
  'missing-disable': {
    meaning: 'The employee has been missing from the source long enough: the account is disabled.',
    cause:
      'As many complete reads as `missing.afterReads` have no record of the employee, for at least `missing.minAge`.',
    cure: approve,
    page: settings,
  },
  'missing-remove': {
    meaning: 'The employee is missing, and we disabled the account long enough ago: it is removed.',
    cause: '`remove.afterDays` has passed since the disable.',
    cure: approve,
    page: settings,
  },
  'missing-settled': {
    meaning: 'The employee is missing, and the account is disabled or does not exist.',
    cause: 'Everything that a missing employee needs is done.',
    cure: none,
    page: table,
  },
  'missing-decided': {
    meaning: 'The source has no such employee, and an operator decided to disable the account, which no sync owned.',
    cause: 'The decision was made with `rollcall adopt SYNC ID --disable`, or on the page of the accounts.',
    cure: approve,
    page: table,
  },
  'missing-unmanaged': {
    meaning: 'The source has no such employee, and the sync does not own the user: nothing is changed.',
    cause: 'The user was created by other means, or the person was never in the source.',
    cure: [
      'No action is required. To manage the user, add the employee to the HR system.',
      'To disable the account, run `rollcall adopt SYNC ID --disable --reason TEXT`.',
    ],
    page: table,
  },
};

export type CodeKind = 'alert' | 'finding' | 'rule' | 'error' | 'api';
export type Code = AlertCode | RuleCode | FindingCode | Rule | ErrorCode | ApiCode;

/** A code with its entry. */
export interface ListedCode extends CodeEntry {
  readonly code: Code;
  readonly kind: CodeKind;
  /** Other names of an alert: rules of Prometheus. */
  readonly rules: readonly string[];
  /** The topic of its notices. */
  readonly topic?: string;
}

/** Every code of findings, decisions, errors and alerts, once. */
export const listedCodes: readonly ListedCode[] = [
  ...keysOf(alertEntries).map((code) => ({ code, kind: 'alert' as const, ...alertEntries[code] })),
  ...keysOf(ruleEntries).map((code) => ({ code, kind: 'alert' as const, ...ruleEntries[code] })),
  ...keysOf(findingEntries).map((code) => ({ code, kind: 'finding' as const, rules: [], ...findingEntries[code] })),
  ...keysOf(decisionEntries).map((code) => ({ code, kind: 'rule' as const, rules: [], ...decisionEntries[code] })),
  ...keysOf(errorEntries).map((code) => ({ code, kind: 'error' as const, rules: [], ...errorEntries[code] })),
  ...keysOf(apiEntries).map((code) => ({ code, kind: 'api' as const, rules: [], ...apiEntries[code] })),
];

/** Finds a code by its name or by a rule of Prometheus. Case, `-` and `_` make no difference. */
export function findCode(word: string): ListedCode | undefined {
  const wanted = fold(word);
  return listedCodes.find(({ code, rules }) => [code, ...rules].some((name) => fold(name) === wanted));
}

/** Returns the code that the word most likely means; undefined when none is close. */
export function guessCode(word: string): string | undefined {
  return nearest(
    word,
    listedCodes.flatMap(({ code, rules }) => [code, ...rules]),
  );
}

/** Returns where a code is explained, relative to the repository or package: `docs/codes.md#run-failed`. */
export function docsOfCode(code: Code): string {
  return `docs/codes.md#${anchorOf(code)}`;
}

/** The anchor of a code in docs/codes.md and on the page `/runbook`. */
export function anchorOf(code: Code): string {
  return code.toLowerCase();
}

function keysOf<Key extends string>(entries: Readonly<Record<Key, CodeEntry>>): readonly Key[] {
  return Object.keys(entries) as Key[];
}
