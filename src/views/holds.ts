import { z } from 'zod';
import type { HeldEnd } from '../ports/reports.ts';
import type { HoldFacts, PlannedChange, Run } from '../ports/store.ts';
import { budget, change, changeGroups, changeView, effect } from './changes.ts';
import { heldEnd, hold, runSummary, runView } from './runs.ts';
import { count, type Inner, instant, personal, toWire, viewOf } from './wire.ts';

const doubtedRead = z.object({
  sync: z.string(),
  run: z.string(),
  reason: personal(z.string().nullable()),
  startedAt: instant,
});

/** Waiting changes that have some of the approvals that they need. */
export const partApprovals = z.array(
  z.object({
    class: z.string(),
    changes: count,
    of: count.describe('How many different people must approve each change'),
    by: z.array(z.string()).describe('Who has approved'),
  }),
);

/** The same as the product has it. */
export type PartApproval = Inner<z.output<typeof partApprovals>>[number];

export const holdsPage = z
  .object({
    holds: z.array(
      hold.extend({
        sync: z.string(),
        run: z.string(),
        count: count.describe('How many changes wait; decided ones are not counted'),
        budget: budget.describe('Estimated requests of a run that delivers this and the rest of its plan'),
        isApprovable: z.boolean().describe('false: it has expired, and the next run asks again'),
        approvals: partApprovals,
        changes: personal(z.array(change)).describe('The first changes; `list-changes` of the run returns all'),
      }),
    ),
    reads: z.array(doubtedRead).describe('Runs that wait because their source looks wrong'),
  })
  .meta({ id: 'HoldsPage' });

type HoldOfPage = Inner<z.output<typeof holdsPage>>['holds'][number];

/** A hold with the people whose changes are open. */
export interface OpenHold extends Pick<HoldOfPage, 'isApprovable' | 'budget' | 'approvals'> {
  readonly hold: HoldFacts;
  /** Number of open changes. Decided changes are not counted. */
  readonly waiting: number;
  /** The first open changes, in order of identification. */
  readonly changes: readonly PlannedChange[];
}

/** A run whose read a guard doubts. It may hold changes as well. */
export type DoubtedRead = Inner<z.output<typeof doubtedRead>>;

export interface HoldsReport {
  readonly holds: readonly OpenHold[];
  readonly reads: readonly DoubtedRead[];
}

export const holdsView = viewOf(holdsPage, ({ holds, reads }: HoldsReport) => ({
  holds: holds.map(({ hold: facts, waiting, changes, ...rest }) => ({
    ...facts,
    ...rest,
    count: waiting,
    changes: changes.map(changeView),
  })),
  reads,
}));

export const closedHolds = z
  .object({
    holds: z.array(hold.extend({ sync: z.string(), run: z.string(), ends: z.array(heldEnd) })),
    next: z.string().nullable().describe('The cursor of the next page; null: this is the last page'),
  })
  .meta({ id: 'ClosedHolds' });

/** A hold that no longer waits, with what became of its changes. */
export interface ClosedHold extends HoldFacts {
  readonly count: number;
  readonly ends: readonly HeldEnd[];
}

export const closedHoldsView = viewOf(closedHolds, (found: readonly ClosedHold[], limit: number) => {
  const holds = found.slice(0, limit);
  return { holds, next: found.length > limit ? holds.at(-1)?.id : undefined };
});

export const holdDetail = hold
  .extend({
    sync: z.string(),
    run: runSummary,
    isApprovable: z.boolean().describe('false: expired or decided'),
    kinds: changeGroups,
    reasons: changeGroups.extend({ groups: personal(changeGroups.shape.groups) }),
    fields: changeGroups,
    effect: effect.describe('What an approval of all of it does'),
    size: count.describe('Changes that the guard held, decided ones included'),
    approvals: partApprovals,
    ends: z.array(heldEnd).describe('State of its changes'),
    replacedBy: z.string().nullable().describe('Id of the open hold in which the undecided changes wait now'),
  })
  .meta({ id: 'HoldDetail' });

type DetailFacts = Omit<
  Inner<z.output<typeof holdDetail>>,
  keyof typeof hold.shape | 'sync' | 'run' | 'size' | 'ends' | 'replacedBy'
>;

export interface HoldDetail extends DetailFacts {
  readonly hold: HoldFacts;
  readonly run: Run;
  readonly waiting: number;
  /** What became of the changes of this hold. Empty while all of them wait in it. */
  readonly ends: readonly HeldEnd[];
  /** The open hold of a later run in which the undecided changes of this closed hold wait. */
  readonly replacedBy: HoldFacts | undefined;
}

export const holdDetailView = viewOf(holdDetail, ({ hold: facts, ...detail }: HoldDetail) => ({
  ...facts,
  ...detail,
  count: detail.waiting,
  run: runView(detail.run),
  replacedBy: detail.replacedBy?.id,
}));

export const verdict = z
  .object({
    run: z.string(),
    sync: z.string(),
    changes: count,
    pending: count.describe('changes that need the approval of another identity'),
    reduced: count.describe(
      'changes of which only some fields were rejected: the requested run plans them without those fields',
    ),
    expiresAt: instant.nullable().describe('until when an approval is valid'),
    frozenUntil: instant.nullable().describe('a freeze: approved disables and removes are sent after its end'),
    isDeploymentRunning: z.boolean().describe('false: no deployment is running, so nothing is delivered'),
  })
  .meta({ id: 'Verdict' });

export const verdictView = toWire(verdict);

export type VerdictReport = Inner<z.output<typeof verdict>>;
