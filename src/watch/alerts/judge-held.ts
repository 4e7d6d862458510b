import { countOf } from '../../core/run/count-of.ts';
import type { AlertProblem } from '../../ports/alerts.ts';
import type { Run, Store } from '../../ports/store.ts';
import { commands, firstOf, instantOf } from './words.ts';

const shownPeople = 5;

/**
 * Returns whether changes wait for approval. `run`: the run that has just ended. Without one, only the end of waiting can
 * be noticed, because a current run may be about to hold changes.
 */
export async function judgeHeld(
  sync: string,
  run: Run | undefined,
  store: Store,
  now: number,
): Promise<AlertProblem | 'well' | undefined> {
  const { holds, changes } = await store.holds.open(sync, now);
  if (holds.length === 0) {
    if (isDoubted(run)) return doubtedRead(run);
    // A doubted read has no holds. Only the next run can show that it is over.
    return run === undefined && (await isNewestDoubted(sync, store)) ? undefined : 'well';
  }
  if (run === undefined || run.scope.kind !== 'all') return undefined;
  const ends = Math.min(...holds.map(({ expiresAt }) => expiresAt));
  const held = await store.plans.page(run.id, { limit: shownPeople, states: ['held'] });
  const { create, update, enable, disable, remove } = run.counts;
  const planned = create + update + enable + disable + remove;
  return {
    topic: 'held',
    code: 'changes-held',
    severity: 'warning',
    key: `held ${[...holds.map((hold) => hold.class), ...(isDoubted(run) ? ['read'] : [])].toSorted().join()}`,
    summary: `${countOf(changes, 'change waits', 'changes wait')} for approval until ${instantOf(ends)}`,
    details: [
      ...(run.facts.doubt === undefined ? [] : [run.facts.doubt]),
      ...holds.map(({ reason }) => reason),
      ...firstOf(
        held.map(({ identification, kind }) => `${identification}: ${kind}`),
        run.counts.held,
      ),
    ],
    unaffected: planned === run.counts.held ? `The run ${run.id} had nothing else to change.` : continued(run),
    action: commands(
      [`rollcall holds --sync ${sync}`, 'who waits, and the newest run'],
      [`rollcall approve ${run.id}`, 'this run or a later one that holds the same changes'],
      [`rollcall reject ${run.id}`],
    ),
  };
}

function isDoubted(run: Run | undefined): run is Run {
  // A run that ends as partial offers its read for approval as well.
  const isEnded = run?.outcome === 'held' || run?.outcome === 'partial';
  return isEnded && run.facts.isReadDoubted === true;
}

/** Undefined when nothing was applied. */
function continued({ id, counts: { applied } }: Run): string | undefined {
  if (applied === 0) return undefined;
  return `All other changes continued: ${countOf(applied, 'change')} of the run ${id} ${applied === 1 ? 'was' : 'were'} applied.`;
}

function doubtedRead(run: Run): AlertProblem {
  return {
    topic: 'held',
    code: 'read-doubted',
    severity: 'warning',
    key: run.facts.doubt === undefined ? 'held read' : 'held read blocked',
    summary: `The source of run ${run.id} looks wrong: an operator must check it`,
    details: [run.facts.doubt ?? run.reason ?? 'far fewer rows than before, or an emptied field'],
    unaffected: continued(run),
    action: commands([`rollcall show ${run.id}`], [`rollcall approve ${run.id}`, 'if the source is right']),
  };
}

async function isNewestDoubted(sync: string, store: Store): Promise<boolean> {
  const [newest] = await store.alerts.endedRuns(sync, undefined, 1);
  const run = newest && (await store.runs.get(newest.id));
  return isDoubted(run);
}
