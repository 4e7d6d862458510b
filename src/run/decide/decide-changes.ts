import type { Change } from '../../core/plan/change.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import type { MissingWait } from '../../core/plan/ledger-steps.ts';
import type { PlanCompared } from '../compare/compare-people.ts';
import type { ExpectedHandOvers } from '../compare/expected-hand-overs.ts';
import { openNeighbors } from '../compare/neighbors.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';
import { type DecisionSink, decideEveryone } from './decide-everyone.ts';

/** The result of the third step. The changes are stored but not guarded yet. */
export interface Decided {
  /** Number of changes that repeat a change whose outcome stayed unknown. */
  readonly repeated: number;
  /** Positions in the spool of ledger entries that count an absence. A guard may still stop them. */
  readonly misses: readonly number[];
  /** Enabled users whose absence is counted and not long enough yet, and when the first of them is disabled. */
  readonly missing: { readonly count: number; readonly wait: MissingWait | undefined };
  /** The next read must be full, because a delta would not show the identity problems that were found. */
  readonly needsFull: boolean;
  /** People who wait for an e-mail that does not become free in this plan. */
  readonly postponed: number;
  /** People of the source for whom a decision was made, and who need no change. */
  readonly unchanged: number;
  /** Changes that are left out because another sync is expected to take the users over. */
  readonly expected: ExpectedHandOvers;
  /** Planned changes that go after another one: identification to the one that they wait for. */
  readonly waits: ReadonlyMap<string, string>;
}

/** Applies the truth table to every person who needs a decision, and stores the changes. */
export async function decideChanges(
  work: PlanWork,
  { read, compared }: { readonly read: PlanRead; readonly compared: PlanCompared },
  io: EngineIo,
): Promise<Decided> {
  const { recorder, sync, spool, index, signal } = work;
  const { find, identities } = work.findings;
  const { candidates, claims, holders, unresolved } = compared;
  await recorder.begin();
  const misses: number[] = [];
  const expected: number[] = [];
  const waits = new Map<string, string>();
  let repeated = 0;
  let missing: Decided['missing'] = { count: 0, wait: undefined };
  const countRepeats = (changes: readonly Change[]): void => {
    for (const { identification, kind } of changes) {
      if (!unresolved.released.has(identification)) continue;
      repeated += 1;
      const message = `${kind} is sent again: the outcome of an earlier one stayed unknown`;
      find({ code: 'repeated', identification, message });
    }
  };
  const sink: DecisionSink = {
    find,
    blocked: work.blocked.add,
    changes: async (changes) => {
      countRepeats(changes);
      for (const { identification, waitsFor } of changes) {
        if (waitsFor !== undefined) waits.set(identification, waitsFor);
      }
      await recorder.changes(changes);
    },
    decided: (subject, decision) => {
      recorder.watcher.decided(subject, decision);
      const { rule, wait } = decision;
      if (rule !== 'missing-counted') return;
      const isEarlier = wait !== undefined && wait.from < (missing.wait?.from ?? Number.POSITIVE_INFINITY);
      missing = { count: missing.count + 1, wait: isEarlier ? wait : missing.wait };
    },
    takeOver: recorder.takeOver,
    expected: async (changes) => {
      recorder.watcher.expected(changes);
      for (const change of changes) expected.push(spool.append(JSON.stringify(change)));
    },
    ledger: async (entries) => {
      for (const { entry, isMiss } of entries) if (isMiss) misses.push(spool.append(JSON.stringify(entry)));
      const adopted = entries.filter(({ isMiss }) => !isMiss).map(({ entry }): LedgerEntry => entry);
      await recorder.ledger(adopted);
    },
  };
  const { blocked } = unresolved;
  const isFocused = read.focus !== undefined;
  const { snapshot } = read;
  const neighbors = openNeighbors(sync, io);
  const job = { sync, snapshot, isFocused, index, spool, candidates, claims, holders, neighbors, blocked, signal };
  const { postponed, unchanged } = await decideEveryone(job, sink, io);
  const isDelta = read.reading.kind === 'delta';
  const needsFull = identities.notKept > 0 || (isDelta && identities.found > 0);
  if (needsFull && isDelta) {
    find({
      code: 'source-note',
      message: 'two records claim the same user (see the next findings): the next run reads all employees',
    });
  }
  return { repeated, misses, missing, needsFull, postponed, unchanged, expected: { places: expected }, waits };
}
