import { type ChangeClass, changeClasses } from '../plan/change.ts';
import type { GivenApproval, GivenApprovals } from '../plan/decision.ts';
import { countOf } from '../run/formats.ts';
import { classNoun } from './guard.ts';

/* Who must approve what, besides the guards: `approvals` of the configuration. */

/** How the changes of one class are approved. */
export interface ApprovalRule {
  /** How many different identities approve each change. */
  readonly approvers: number;
  /** The rule is about more changes than this in 24 hours; 0: about each one. */
  readonly above: number;
  /** Who may approve: `group:NAME` of the identity provider, `user:SUBJECT` or `token:NAME`. Absent: each operator. */
  readonly by?: readonly string[];
  /** The person who requested the run by hand may not approve its changes. */
  readonly notRequester: boolean;
}

export interface ApprovalSettings {
  readonly isReasonRequired: boolean;
  readonly rules: Readonly<Partial<Record<ChangeClass, ApprovalRule>>>;
}

type Counts = Readonly<Record<ChangeClass, number>>;

/**
 * Returns the classes of a plan that wait by their rule, with the reason, whatever the guards allow. `recent`: changes of
 * the last 24 hours without approval, so that many small runs cannot do what one may not.
 */
export function ruledClasses(
  open: Counts,
  recent: Counts,
  { rules }: ApprovalSettings,
): readonly { readonly class: ChangeClass; readonly reason: string; readonly count: number }[] {
  return changeClasses.flatMap((name) => {
    const rule = rules[name];
    const count = open[name];
    if (rule === undefined || count === 0 || count + (rule.above === 0 ? 0 : recent[name]) <= rule.above) return [];
    const before = rule.above > 0 && recent[name] > 0 ? `, after ${recent[name]} in the last 24 hours` : '';
    return [{ class: name, reason: `${countOf(count, classNoun[name])}${before}: ${ruleWords(name, rule)}`, count }];
  });
}

/** Returns the classes whose rule is about these changes by their number. */
export function ruledAmong(
  changes: readonly { readonly classes: readonly ChangeClass[] }[],
  { rules }: ApprovalSettings,
): readonly ChangeClass[] {
  return changeClasses.filter((name) => {
    const above = rules[name]?.above ?? Number.POSITIVE_INFINITY;
    return changes.filter(({ classes }) => classes.includes(name)).length > above;
  });
}

/** Says a rule: `approvals.removes: 2 people must approve each one`. */
export function ruleWords(name: ChangeClass, rule: ApprovalRule): string {
  return `approvals.${name}: ${ruleText(rule)}`;
}

/** Says a rule without its key: `2 people must approve each one`. */
export function ruleText({ approvers, above, by, notRequester }: ApprovalRule): string {
  const who = by === undefined ? '' : ` of ${by.join(', ')}`;
  const people = `${countOf(approvers, 'person', 'people')}${who}`;
  const which = above === 0 ? 'each one' : `more than ${above} in 24 hours`;
  const other = notRequester ? ', but not the person who requested the run' : '';
  return `${people} must approve ${which}${other}`;
}

/**
 * Returns the rules for a change of these classes. `ruled`: the classes that waited by their rule when the plan was made. A
 * rule about each change counts in any case, so that a rule that was added since counts too.
 */
export function rulesFor(
  classes: readonly ChangeClass[],
  ruled: readonly ChangeClass[],
  { rules }: ApprovalSettings,
): readonly (ApprovalRule & { readonly class: ChangeClass })[] {
  return classes.flatMap((name) => {
    const rule = rules[name];
    return rule !== undefined && (rule.above === 0 || ruled.includes(name)) ? [{ ...rule, class: name }] : [];
  });
}

/** Who approves, and who requested the run by hand: identities such as `user:SUBJECT`, never the names that are shown. */
export interface Approver {
  readonly by: string;
  readonly groups: readonly string[];
  readonly requesters: readonly string[];
}

/** Returns why this identity may not approve under the rules, or undefined. */
export function objectionTo(
  { by, groups, requesters }: Approver,
  rules: readonly (ApprovalRule & { readonly class: ChangeClass })[],
): string | undefined {
  for (const rule of rules) {
    const isMember = rule.by?.some((one) => one === by || groups.some((group) => one === `group:${group}`)) !== false;
    const isOther = !rule.notRequester || !requesters.includes(by);
    if (!isMember) return `${by} may not approve this class: ${ruleWords(rule.class, rule)}`;
    if (!isOther) return `${by} requested the run: ${ruleWords(rule.class, rule)}`;
  }
  return undefined;
}

/** Returns the rule that needs the most approvals, if any needs more than one. */
export function strictest(
  rules: readonly (ApprovalRule & { readonly class: ChangeClass })[],
): { readonly class: ChangeClass; readonly of: number } | undefined {
  const [first] = rules.toSorted((a, b) => b.approvers - a.approvers);
  return first === undefined || first.approvers < 2 ? undefined : { class: first.class, of: first.approvers };
}

/** An approval that waits for another one counts for this time (ms). */
export const approvalCountsMs = 86_400_000;

/** Adds an approval to those of other identities that still count. */
export function withApproval(known: readonly GivenApproval[], next: GivenApproval): readonly GivenApproval[] {
  const others = known.filter(({ by, at }) => by !== next.by && at > next.at - approvalCountsMs);
  return [...others, next];
}

/** Says who it was: the name that is shown, with the identity that counts. */
export function whoWords({ by, label }: Pick<GivenApproval, 'by' | 'label'>): string {
  return label === undefined ? by : `${label} (${by})`;
}

/** Says the approvals of one change. */
export function partWords({ of, given }: GivenApprovals): string {
  const names = given.map(whoWords);
  return givenWords(1, of, names);
}

/** Says the approvals of some changes: `3 changes have 1 of 2 approvals (ana)`. */
export function givenWords(changes: number, of: number, by: readonly string[]): string {
  return `${countOf(changes, 'change has', 'changes have')} ${by.length} of ${of} approvals (${by.join(', ')})`;
}
