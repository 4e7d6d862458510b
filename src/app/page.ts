import type { Preview } from '../ports/previews.ts';
import type { FindingPage } from '../ports/reports.ts';
import type { PlannedChange, RunScope } from '../ports/store.ts';
import type { ChangeGroups, Effect, FoundChanges } from '../views/changes.ts';
import type { HoldDetail, VerdictReport } from '../views/holds.ts';
import type { DaysReport, Overview } from '../views/overview.ts';
import type { FoundPeople } from '../views/people.ts';
import type { PreviewState } from '../views/previews.ts';
import type { FoundFindings, RunPage } from '../views/runs.ts';
import type { MappingSamples, SyncMapping } from '../views/syncs.ts';
import type { Caller, SignedCaller } from './audit.ts';
import type { ChangeFilter, ChangeSearch, ChangesSubject, GroupBy, HoldSelection } from './changes/types.ts';
import type { PeopleQuery } from './people/search-people.ts';

/* What the page shows, as the store has it. */

export interface DaysQuery {
  /** Number of days, today included. */
  readonly days: number;
  /** IANA name of the zone in which days begin. */
  readonly timezone: string;
}

/** A request for a plan without effect. */
export interface PreviewOrder extends Caller {
  readonly scope: RunScope;
}

/** An approval or rejection of changes of a hold. */
export interface HoldOrder extends SignedCaller {
  readonly action: 'approve' | 'reject';
  readonly selection: HoldSelection;
  readonly reopens?: boolean;
}

/** The use cases of the page. The command line has some of them. */
export interface PageUseCases {
  /** Reads health, state and holds of every configured sync. */
  overview(): Promise<Overview>;
  /** Counts runs and applied changes by day. Throws `USAGE` for an unknown time zone. */
  days(query: DaysQuery): Promise<DaysReport>;
  /** Describes the mapping and the guards of a sync. */
  mapping(sync: string): Promise<SyncMapping>;
  /** Reads the first records of a source. Holds personal data. */
  mappingSamples(sync: string, signal: AbortSignal): Promise<MappingSamples>;
  /** Finds people by name, e-mail or identification. */
  searchPeople(query: PeopleQuery): Promise<FoundPeople>;
  /** Requests a plan without effect from a deployment. Throws `CONFLICT` when too many wait. Audited. */
  requestPreview(sync: string, order: PreviewOrder): Promise<PreviewState>;
  /** Returns a preview. Throws `NOT_FOUND` for one that expired. */
  preview(id: string): Promise<PreviewState>;
  /** Lists previews that have not expired, newest first. */
  previews(query: { readonly limit: number; readonly sync?: string }): Promise<readonly Preview[]>;
  /** Reports one run with its timeline, and its findings by cause. */
  runPage(id: string): Promise<RunPage>;
  findings(id: string, page: Omit<FindingPage, 'run'>): Promise<FoundFindings>;
  /** Describes one hold. Throws `NOT_FOUND`, as every method about a hold, run or plan does. */
  hold(id: string): Promise<HoldDetail>;
  /** Finds changes by values, in any order. Throws `USAGE` for a plan with too many changes. */
  searchChanges(subject: ChangesSubject, query: ChangeSearch): Promise<FoundChanges>;
  groupChanges(subject: ChangesSubject, filter: ChangeFilter, by: GroupBy): Promise<ChangeGroups>;
  /** Yields every change that a search finds. */
  everyChange(
    subject: ChangesSubject,
    query: Omit<ChangeSearch, 'offset' | 'limit'>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly PlannedChange[], void>;
  /** Estimates what an approval of a part of a hold does. */
  previewHold(id: string, selection: HoldSelection): Promise<Effect>;
  /**
   * Approves or rejects changes of a hold. Throws `CONFLICT`, and decides nothing, when `expect` is not their number, and
   * in the cases of `App.approve`.
   */
  decideHold(id: string, order: HoldOrder): Promise<VerdictReport>;
}
