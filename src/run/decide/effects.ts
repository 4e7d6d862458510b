import type { BlockedPerson } from '../../core/guard/blocked.ts';
import { isUndoRule } from '../../core/plan/decision.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { Case, Decision, Rule, SourceSays } from '../../core/plan/plan.ts';
import type { Finding } from '../../core/run/finding.ts';
import { given } from '../../core/run/given.ts';
import { mark } from '../read/marks.ts';
import { accessTrouble, blockedPerson } from '../read/source-says.ts';
import { type DecidedSlot, type DecideJob, whyNotSent } from './decide-slots.ts';
import type { EmailMoves } from './order-claims.ts';
import type { Proposed } from './settle-changes.ts';

/** What the decision about a person's account, or about their leaders, asks for. Nothing of it is done yet. */
export interface Effects {
  readonly slot: number;
  readonly findings: readonly Finding[];
  /** Marks of the slot: see `marks.ts`. */
  readonly marks: number;
  /** The change, and the one that is left out because another sync is expected to take the user over. */
  readonly proposed: readonly Proposed[];
  /** `isMiss`: counts an absence, which a guard may still stop. */
  readonly entry?: { readonly entry: LedgerEntry; readonly isMiss: boolean };
}

export interface AccountEffects extends Effects {
  readonly subject: Case;
  readonly decision: Decision<string>;
  /** The sync that is no longer configured, and whose user becomes ours. */
  readonly inheritedFrom?: string;
  /** The source's own data leaves nothing to decide. */
  readonly blocked?: BlockedPerson;
  /** The person keeps or lacks access because of trouble with the record. */
  readonly access?: 'keep' | 'lack';
  /** A person of the source who needs no change. */
  readonly isQuiet: boolean;
}

interface EffectsJob extends Pick<DecideJob, 'index' | 'sync'> {
  readonly moves: EmailMoves;
}

/** Returns what a decision asks for. Pure: reads the marks of the slot, and changes nothing. */
export function effectsOf(one: DecidedSlot, job: EffectsJob): AccountEffects {
  const { slot, entry, owner, subject } = one;
  const { index, sync, moves } = job;
  const { identification } = subject;
  const decision = withMoves(one.decision, slot, moves);
  const { change, rule, expected, held, marked } = decision;
  const trouble = troubleOf({ ...one, decision }, job);
  const unsendable = change && whyNotSent(change, sync);
  const hidden = owner?.hidden ?? {};
  const isInherited = owner !== entry && subject.source.says === 'active';
  // A user of a sync that is no longer configured becomes ours as soon as the source names the person.
  const next = decision.ledger ?? (isInherited && change === undefined ? owner : undefined);
  const isPrevented = unsendable !== undefined || isPreventedBy(decision);
  return {
    ...{ slot, subject, decision, ...trouble },
    findings: [
      ...trouble.findings,
      ...(unsendable === undefined ? [] : [{ code: 'not-deliverable', identification, message: unsendable } as const]),
    ],
    marks: (isPrevented ? mark.prevented : 0) | (unsendable === undefined && isLeadable(decision) ? mark.leadable : 0),
    proposed: [
      ...(change === undefined || unsendable !== undefined
        ? []
        : [{ draft: { ...change, rule }, hidden, ...given({ held, marked }) }]),
      ...(expected === undefined ? [] : [{ draft: { ...expected, rule }, hidden, isExpected: true } as const]),
    ],
    // The store has a newer entry for a user who was taken over just now.
    ...(next === undefined || decision.takenFrom !== undefined
      ? {}
      : { entry: { entry: next, isMiss: isMiss(subject, decision) } }),
    ...(isInherited ? { inheritedFrom: entry?.owner ?? '' } : {}),
    isQuiet: change === undefined && !trouble.isBlocked && index.has(slot, mark.inSource),
  };
}

/** Returns what is wrong with the person's record, and whether nothing can be decided because of it. */
function troubleOf(
  { slot, person, owner, subject, decision }: DecidedSlot,
  { index, moves }: EffectsJob,
): Pick<AccountEffects, 'findings' | 'blocked' | 'access'> & { readonly isBlocked: boolean } {
  const isOfUndo = isUndoRule(decision.rule);
  const isUndated = index.has(slot, mark.undated);
  const told = !index.has(slot, mark.conflict) || isOfUndo ? decision.finding : undefined;
  const isLeft = index.has(slot, mark.left);
  const blocked = isLeft ? undefined : blockedPerson(person, subject.source, decision, owner !== undefined);
  const isMeant = (blocked !== undefined && !moves.passing.has(slot)) || isUndated;
  const isCertain = !index.hasAny(slot, mark.tied | mark.unsure);
  const access = isMeant && !isOfUndo ? accessTrouble(person, subject, decision, isCertain) : undefined;
  return {
    findings: told === undefined ? [] : [told],
    // The read counts people without a day of their own.
    ...given({ blocked: isUndated ? undefined : blocked, access }),
    isBlocked: blocked !== undefined || isUndated || isUnresolved(subject.source),
  };
}

/** Rules by which something else than the source prevents the change that the source asks for. */
const preventing: ReadonlySet<string> = new Set<Rule>([
  'owned-by-other',
  'active-blacklisted',
  'create-refused',
  'enable-refused',
  'active-foreign-disable',
  'another-person',
  // The disable is not due yet. It stays undone while the person is missing.
  'missing-counted',
]);

/** Returns whether the account is ours and enabled once the plan is done. A user who is taken over just now is not. */
function isLeadable({ change, rule, takenFrom }: Decision<string>): boolean {
  if (takenFrom !== undefined) return false;
  return (
    rule === 'active-equal' || (['create', 'update', 'enable'].includes(change?.kind ?? '') && rule !== 'leaver-parked')
  );
}

function isPreventedBy({ change, forbidden, rule }: Decision<string>): boolean {
  return forbidden !== undefined || (change === undefined && preventing.has(rule));
}

function isUnresolved(source: SourceSays): boolean {
  return source.says === 'unusable' && source.code === 'unresolved';
}

function isMiss({ source }: Case, { rule }: Decision<string>): boolean {
  if (rule === 'hand-over-expected') return source.says === 'missing';
  return rule === 'missing-counted' || rule === 'missing-disable';
}

function withMoves<Name extends string>(decision: Decision<Name>, slot: number, moves: EmailMoves): Decision<Name> {
  const { change } = decision;
  return change === undefined ? decision : { ...decision, change: { ...change, ...moves.of(slot, change) } };
}
