import { createHash } from 'node:crypto';
import { changeClasses, limitedClasses } from '../plan/change.ts';
import { canonicalJson, protectedDigest } from '../plan/configuration.ts';
import { countOf } from '../run/formats.ts';
import { given } from '../run/given.ts';
import type { GuardSettings, SyncSettings, Threshold } from '../run/settings.ts';
import { type ApprovalRule, type ApprovalSettings, ruleText } from './approvals.ts';

/** What protects the users of a sync from its own changes, as the store keeps it: `protected` only as digests. */
export type Safeguards = ReturnType<typeof safeguardsOf>;

/** One safeguard that lets pass more than before. The values are words for a reader. */
export interface Loosened {
  /** The key of the configuration: `guards.disables`. */
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

/** Returns the safeguards of a sync. Equal settings give equal ones, whatever the order of their keys and lists. */
export function safeguardsOf(
  { guards, protected: users }: Pick<SyncSettings, 'guards' | 'protected'>,
  approvals: ApprovalSettings | undefined,
) {
  return { guards, ...given({ approvals }), protected: users.map(protectedDigest).sort() };
}

/** Returns sha256 (hex) over safeguards. */
export function safeguardsDigest(safeguards: Safeguards): string {
  return createHash('sha256').update(canonicalJson(safeguards)).digest('hex');
}

/**
 * Returns each safeguard that lets pass more than before, in order of the configuration. A key that is new in this version
 * was no safeguard before.
 */
export function loosened(before: Safeguards, after: Safeguards): readonly Loosened[] {
  return [
    ...loosenedGuards(before.guards, after.guards),
    ...loosenedApprovals(before.approvals, after.approvals),
    ...loosenedUsers(before.protected, after.protected),
  ];
}

/** Says one: `guards.disables: 5 % → 50 %`. */
export function loosenedWords({ key, before, after }: Loosened): string {
  return `${key}: ${before} → ${after}`;
}

function loosenedGuards(before: GuardSettings, after: GuardSettings): readonly Loosened[] {
  const thresholds = [...limitedClasses, 'blocked'] as const;
  const [rowsBefore, rowsAfter] = [before.blocked.oneInRows, after.blocked.oneInRows];
  const gone = (before.segments ?? []).filter((field) => after.segments?.includes(field) !== true);
  const percent = (value: number): string => `${value} %`;
  const points = (value: number): string => countOf(value, 'point');
  return [
    ...thresholds.flatMap((name) => loosenedThreshold(`guards.${name}`, before[name], after[name])),
    ...higher('guards.blocked', -rowsBefore, -rowsAfter, (value) => `one in ${countOf(-value, 'row')}`),
    ...(gone.length === 0
      ? []
      : [{ key: 'guards.segments', before: list(before.segments), after: list(after.segments) }]),
    ...higher('guards.rowsDownPercent', before.rowsDownPercent, after.rowsDownPercent, percent),
    ...higher('guards.fillRateDownPoints', before.fillRateDownPoints, after.fillRateDownPoints, points),
  ];
}

function loosenedThreshold(key: string, before: Threshold | undefined, after: Threshold): readonly Loosened[] {
  if (before === undefined) return [];
  const capOf = ({ cap }: Threshold): number => cap ?? Number.POSITIVE_INFINITY;
  const capWords = (cap: number): string => (cap === Number.POSITIVE_INFINITY ? 'no cap' : `a cap of ${cap}`);
  return [
    ...higher(key, before.absolute, after.absolute, String),
    ...higher(key, before.percent, after.percent, (value) => `${value} %`),
    ...higher(key, capOf(before), capOf(after), capWords),
  ];
}

function higher(key: string, before: number, after: number, words: (value: number) => string): readonly Loosened[] {
  return after > before ? [{ key, before: words(before), after: words(after) }] : [];
}

function list(names: readonly string[] | undefined): string {
  return names === undefined || names.length === 0 ? 'none' : names.join(', ');
}

function loosenedApprovals(
  before: ApprovalSettings | undefined,
  after: ApprovalSettings | undefined,
): readonly Loosened[] {
  if (before === undefined) return [];
  const rules = changeClasses.flatMap((name) => {
    const [rule, other] = [before.rules[name], after?.rules[name]];
    if (rule === undefined || (other !== undefined && !isLooser(rule, other))) return [];
    return [
      { key: `approvals.${name}`, before: ruleText(rule), after: other === undefined ? 'no rule' : ruleText(other) },
    ];
  });
  const isReasonGone = before.isReasonRequired && after?.isReasonRequired !== true;
  return [
    ...(after === undefined ? [{ key: 'approvals', before: 'only by a proven identity', after: 'by any login' }] : []),
    ...(isReasonGone ? [{ key: 'approvals.reason', before: 'required', after: 'optional' }] : []),
    ...rules,
  ];
}

function isLooser(before: ApprovalRule, after: ApprovalRule): boolean {
  const isWider = before.by !== undefined && after.by?.every((name) => before.by?.includes(name)) !== true;
  const isForRequester = before.notRequester && !after.notRequester;
  return after.approvers < before.approvers || after.above > before.above || isWider || isForRequester;
}

function loosenedUsers(before: readonly string[], after: readonly string[]): readonly Loosened[] {
  const gone = before.filter((user) => !after.includes(user)).length;
  const users = (count: number): string => countOf(count, 'user');
  if (gone === 0) return [];
  return [{ key: 'protected', before: users(before.length), after: `${users(after.length)} (${gone} no longer)` }];
}
