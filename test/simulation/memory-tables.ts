import { type ChangePart, compareIdentifications } from '../../src/core/plan/change.ts';
import type { FieldDigests } from '../../src/core/plan/decision.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { RosterHeader, RosterPage } from '../../src/core/plan/roster.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Finding } from '../../src/core/run/finding.ts';
import type { Baseline } from '../../src/ports/reads.ts';
import type {
  Batch,
  ChangeMark,
  DecisionRecord,
  HoldFacts,
  NewBatch,
  OwnedRun,
  PlanHeader,
  PlannedChange,
  ReadRecord,
  Run,
  TokenRecord,
  Trigger,
  TriggerState,
  Watermark,
} from '../../src/ports/store.ts';

export interface LeaseRow {
  owner: string | undefined;
  fence: number;
  until: number;
}

export interface PlanRow {
  readonly header: PlanHeader;
  digest: string | undefined;
  readonly changes: Map<string, ChangeRow>;
}

export interface ChangeRow {
  readonly asked: FieldDigests | undefined;
  planned: PlannedChange;
  appliedAt: number | undefined;
}

export interface DecisionRow {
  readonly sync: string;
  record: DecisionRecord;
}

/** Everything a store holds, in maps. What is given out is never changed afterwards: rows are replaced. */
export interface HoldInMemory {
  facts: HoldFacts;
  /** Equal for the same changes. */
  readonly key: string;
  readonly runs: Set<string>;
}

export interface Tables {
  readonly baselines: Map<string, Baseline>;
  readonly leases: Map<string, LeaseRow>;
  /** Until when each owner's place counts, in order, by lease. */
  readonly turns: Map<string, Map<string, number>>;
  readonly triggers: Map<string, { readonly trigger: Trigger; state: TriggerState }>;
  readonly runs: Map<string, Run>;
  readonly findings: Map<string, readonly Finding[]>;
  readonly plans: Map<string, PlanRow>;
  readonly batches: Map<string, Batch>;
  readonly ledger: Map<string, Map<string, LedgerEntry>>;
  readonly holds: Map<string, HoldInMemory>;
  readonly decisions: Map<string, DecisionRow>;
  readonly reads: Map<string, ReadRecord>;
  readonly rosters: Map<string, { readonly header: RosterHeader; readonly pages: readonly RosterPage[] }>;
  readonly watermarks: Map<string, Watermark>;
  readonly tokens: Map<string, TokenRecord>;
}

export function emptyTables(): Tables {
  return {
    baselines: new Map(),
    leases: new Map(),
    turns: new Map(),
    triggers: new Map(),
    runs: new Map(),
    findings: new Map(),
    plans: new Map(),
    batches: new Map(),
    ledger: new Map(),
    holds: new Map(),
    decisions: new Map(),
    reads: new Map(),
    rosters: new Map(),
    watermarks: new Map(),
    tokens: new Map(),
  };
}

/** Throws `LEASE_LOST` unless the run is still its owner's. */
export function requireOwner({ leases }: Tables, { run, lease }: OwnedRun): void {
  const row = leases.get(lease.name);
  if (row?.owner === lease.owner && row.fence === lease.fence) return;
  throw new RollcallError(`run ${run.id} is no longer this worker's`, { code: 'LEASE_LOST' });
}

/** The plan, for its owner; throws `NOT_FOUND` or `CONFLICT` as the store's contract says. */
export function requirePlan(tables: Tables, owned: OwnedRun | undefined, id: string): PlanRow {
  if (owned !== undefined) requireOwner(tables, owned);
  const plan = tables.plans.get(id);
  if (plan === undefined) throw new RollcallError(`there is no plan ${id}`, { code: 'NOT_FOUND' });
  requireOwn(plan.header, owned);
  return plan;
}

export function requireOwn({ id, run }: Pick<PlanHeader, 'id' | 'run'>, owned: OwnedRun | undefined): void {
  if (run === owned?.run.id) return;
  throw new RollcallError(`plan ${id} belongs to another run, or to none`, { code: 'CONFLICT' });
}

export function planOfRun({ plans }: Tables, run: string): PlanRow {
  for (const plan of plans.values()) if (plan.header.run === run) return plan;
  throw new RollcallError(`run ${run} has no plan`, { code: 'NOT_FOUND' });
}

/** All marks or none. */
/** The key of a change in its plan. No identification has a control character. */
export function rowKey(identification: string, part: ChangePart = 'account'): string {
  return part === 'account' ? identification : `${identification}\u0001${part}`;
}

export function markChanges(tables: Tables, run: string, marks: readonly ChangeMark[], batch?: string): void {
  if (marks.length === 0) return;
  const { changes } = planOfRun(tables, run);
  for (const { identification, part } of marks) {
    const row = changes.get(rowKey(identification, part));
    if (row === undefined || (batch !== undefined && row.planned.batch !== batch)) {
      throw new RollcallError(`${identification} is not in ${batch ?? run}`, { code: 'NOT_FOUND' });
    }
  }
  for (const { identification, part, state, reason, appliedAt } of marks) {
    const row = changes.get(rowKey(identification, part));
    if (row === undefined) continue;
    row.planned = { ...row.planned, state, stateReason: reason?.toWellFormed() };
    if (appliedAt !== undefined) row.appliedAt = appliedAt;
  }
}

export function putLedger({ ledger }: Tables, connection: string, entries: readonly LedgerEntry[]): void {
  const rows = ledger.get(connection) ?? new Map<string, LedgerEntry>();
  ledger.set(connection, rows);
  for (const entry of entries) {
    const before = rows.get(entry.identification);
    if (before === undefined || mayReplace(before, entry)) rows.set(entry.identification, entry);
  }
}

function mayReplace(before: LedgerEntry, { owner, accountId, taken }: LedgerEntry): boolean {
  if (before.owner === owner || before.removed !== undefined) return true;
  if (before.accountId !== undefined && accountId !== undefined && before.accountId !== accountId) return true;
  return taken?.from === before.owner && (before.taken === undefined || before.taken.at < taken.at);
}

/** By code point, as every store sorts. Plain comparison is by UTF-16 units and goes wrong from the surrogates on. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (surrogates.test(a) || surrogates.test(b)) return compareIdentifications(a, b);
  return a < b ? -1 : 1;
}

const surrogates = /[\ud800-\uffff]/;

export function inOrder<T>(rows: Iterable<T>, name: (row: T) => string): T[] {
  return [...rows].sort((a, b) => compareText(name(a), name(b)));
}

/** Creates batches of the run, all or none. */
export function createBatches(tables: Tables, owned: OwnedRun, list: readonly NewBatch[]): void {
  if (list.length === 0) return;
  const { batches } = tables;
  const { changes } = planOfRun(tables, owned.run.id);
  const rowOf = (kind: string, name: string) => changes.get(rowKey(name, kind === 'leaders' ? 'leaders' : 'account'));
  for (const { batch, identifications } of list) {
    for (const name of identifications) {
      const row = rowOf(batch.kind, name);
      if (batches.has(batch.id) || row === undefined || row.planned.batch !== batch.parent) {
        throw new RollcallError(`${name} is not to be had for batch ${batch.id}`, { code: 'CONFLICT' });
      }
    }
  }
  for (const { batch, identifications } of list) {
    batches.set(batch.id, { ...batch, run: owned.run.id });
    for (const name of identifications) {
      const row = rowOf(batch.kind, name);
      if (row === undefined) continue;
      row.planned = { ...row.planned, batch: batch.id, state: 'planned', stateReason: undefined };
    }
  }
}
