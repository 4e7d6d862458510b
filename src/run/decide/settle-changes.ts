import type { FieldName, FieldValues } from '../../core/person/fields.ts';
import { episodeOf, type Proposal, partOf, sealChange } from '../../core/plan/change.ts';
import type { Marked } from '../../core/plan/configuration.ts';
import { type DecisionRecord, settleDecisions } from '../../core/plan/decision.ts';
import { withoutFields } from '../../core/plan/leaders.ts';
import type { LedgerLeaders } from '../../core/plan/ledger.ts';
import { clearingWrites } from '../../core/run/batch.ts';
import type { NewChange } from '../../ports/store.ts';
import { isDecidedByOperator } from '../compare/expected-hand-overs.ts';
import { countMarked, type Differing, noDiffering } from '../edit.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { whyNotSent } from './decide-slots.ts';

/** A change that the rules propose. */
export interface Proposed {
  readonly draft: Proposal;
  /** What the ledger knows of fields that the platform does not show. */
  readonly hidden?: FieldValues;
  /** What the ledger has of the person's leaders, before a change of them. */
  readonly known?: LedgerLeaders;
  /** Why it needs approval, however few such changes there are. */
  readonly held?: string;
  readonly marked?: Marked;
  /** Another sync is expected to take the user over: the change is made only if a person decided it. */
  readonly isExpected?: true;
}

export interface Settled {
  readonly changes: readonly NewChange[];
  /** Changes that are left out because another sync is expected to take the users over. */
  readonly expected: readonly NewChange[];
  /** Whether one of the people has an approval that no run used up. */
  readonly hasApprovals: boolean;
  readonly rejected: number;
  /** Those of `rejected` that an undo keeps from being done again. */
  readonly undone: number;
  readonly leftOut: number;
  readonly differing: Differing;
  /** What is made of some changes while the class `configuration` is held. */
  readonly instead: readonly NewChange[];
}

/**
 * Applies the standing decisions about each person, and gives each change the episode of its rule, and its hash.
 * `isFull`: the plan shows all people, so it finds whether an edit of the configuration is held.
 */
export async function settleChanges(
  { sync, edit }: Pick<PlanWork, 'sync' | 'edit'>,
  { proposed, isFull }: { readonly proposed: readonly Proposed[]; readonly isFull: boolean },
  io: EngineIo,
): Promise<Settled> {
  const changes: NewChange[] = [];
  const expected: NewChange[] = [];
  const instead: NewChange[] = [];
  const differing = noDiffering();
  const names = proposed.map(({ draft }) => draft.identification);
  const none: ReadonlyMap<string, readonly DecisionRecord[]> = new Map();
  const known = names.length === 0 ? none : await io.store.decisions.ofMany(sync.settings.name, names);
  const settle = openSettling(sync, known, io.clock.now());
  for (const one of proposed) {
    const { marked, isExpected } = one;
    if (isExpected === true) {
      const change = settle(one);
      (change.isDecided ? changes : expected).push(change.made);
      continue;
    }
    const early = marked?.instead && settle({ ...one, draft: { ...one.draft, ...marked.instead } }).made;
    // A person who comes while the edit waits gets what the earlier configuration gives.
    if (early !== undefined && !isFull && edit?.measured?.isHeld === true) changes.push(early);
    else {
      const { made } = settle(one);
      const isOfClass = marked === undefined || countOne(differing, made, { ...marked, early });
      changes.push(isOfClass ? made : { ...made, classes: made.classes.filter((name) => name !== 'configuration') });
      if (isOfClass && early !== undefined && made.verdict?.state !== 'dropped') instead.push(early);
    }
  }
  const verdicts = changes.map(({ verdict }) => verdict);
  return {
    ...{ changes, expected, instead, differing },
    hasApprovals: [...known.values()]
      .flat()
      .some(({ state, endedAt }) => state === 'approved' && endedAt === undefined),
    rejected: verdicts.filter((one) => one?.state === 'dropped').length,
    undone: verdicts.filter((one) => one?.isUndone).length,
    leftOut: verdicts.filter((one) => one?.state === 'held').length,
  };
}

/** Counts a marked change. Returns whether something of the class is left after what was rejected. */
function countOne(
  differing: Differing,
  made: NewChange,
  { parts, isBack, isOfHrToo, early }: Marked & { readonly early: NewChange | undefined },
): boolean {
  const { without = [], verdict } = made;
  if (isBack === true) differing.givenBack += 1;
  const left = parts.filter((part) => !without.some((field) => field === part));
  if (verdict?.state === 'dropped' || left.length < parts.length) differing.rejected += 1;
  if (verdict?.state === 'dropped') return true;
  if (left.length > 0) countMarked(differing, made, { parts: left, ...(isOfHrToo && { isOfHrToo }) }, early);
  return left.length > 0;
}

/** Returns how a proposal becomes a change under the standing decisions. `isDecided`: a person decided exactly this one. */
function openSettling(
  sync: PlanWork['sync'],
  known: ReadonlyMap<string, readonly DecisionRecord[]>,
  now: number,
): (one: Proposed) => { readonly made: NewChange; readonly isDecided: boolean } {
  const { byFile, byCall } = clearingWrites(sync.settings, sync.dialect);
  const carried: readonly FieldName[] = byFile || byCall ? sync.mapping.fields : [];
  return ({ draft: proposal, hidden = {}, known: leaders, held }) => {
    const decisions = known.get(proposal.identification) ?? [];
    const isOfLeaders = partOf(proposal) === 'leaders';
    const isSendable = (draft: Proposal): boolean => isOfLeaders || whyNotSent(draft, sync) === undefined;
    const settling = { known: decisions, carried: isOfLeaders ? [] : carried, hidden, isSendable };
    const { draft, ...settled } = settleDecisions(proposal, settling);
    const kept = withoutFields(draft, settled.without ?? [], leaders);
    const change = { ...sealChange({ ...kept, episode: episodeOf(draft.rule, decisions) }), ...settled };
    const isDecided = isDecidedByOperator(change, decisions, now);
    if (held === undefined || isDecided) return { made: change, isDecided };
    return { made: { ...change, verdict: { state: 'held', reason: held } }, isDecided };
  };
}
