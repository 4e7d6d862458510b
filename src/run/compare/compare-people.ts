import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import { mark } from '../read/people-index.ts';
import type { PlanRead } from '../read/read-people.ts';
import { named, peopleOf } from '../read/some-people.ts';
import { type Compared, comparePlatform } from './compare-platform.ts';
import { confirmGone } from './confirm-gone.ts';
import { findLostZeros } from './lost-zeros.ts';
import { recall } from './recall.ts';
import { recallClaims, recallConflicts } from './recall-conflicts.ts';
import { claimedElsewhere, type Unresolved, type Wait } from './unresolved.ts';

/** The result of the second step: the people who need a decision. */
export interface PlanCompared extends Omit<Compared, 'enabled'> {
  /** Users with a change whose outcome is not known. Includes those whose change another run has yet to prove. */
  readonly unresolved: Unresolved;
  /** What the users wait for whom earlier runs left unresolved: those of this sync, or in this read. */
  readonly waits: readonly Wait[];
  /** Number of users that this sync manages. */
  readonly managed: number;
  /** Number of managed users that are enabled. After a partial read: number of users that we have not disabled. */
  readonly enabled: number;
  /** Number of people whom a delta reports as gone and a second lookup does not. */
  readonly unconfirmed: number;
}

/** Settles what earlier runs left unresolved, recalls the ledger, and compares the index with the platform. */
export async function comparePeople(
  work: PlanWork,
  { reading, focus, last }: PlanRead,
  io: EngineIo,
): Promise<PlanCompared> {
  const { sync, index, spool, signal, recorder } = work;
  const { find } = work.findings;
  await recallConflicts({ sync, reading, index, find }, io);
  const left = await recorder.unresolved();
  const claimed = await claimedElsewhere(sync, recorder.planId, io);
  const unresolved = { ...left, blocked: new Map([...claimed, ...left.blocked]) };
  io.checkpoint('unresolved-seen');
  const only = peopleOf(reading, index);
  const recalled = focus === undefined ? only : named([...focus]);
  const period = {
    leftSince: reading.kind === 'full' ? (last?.at ?? 0) : Number.POSITIVE_INFINITY,
    cameSince: recorder.attemptedSince,
  };
  const { managed, enabled } = await recall({ sync, index, only: recalled, period, find }, io);
  const isFocused = focus !== undefined;
  const onOther = work.others.add;
  const compared = await comparePlatform({ sync, only, isFocused, index, spool, signal, find, onOther }, io);
  await recallClaims({ sync, reading, index, find }, io);
  const { candidates } = compared;
  await findLostZeros({ sync, reading, index, spool, candidates, isFocused, signal, find }, io);
  const unconfirmed =
    reading.kind === 'delta' ? await confirmGone({ sync, index, spool, candidates, signal, find }, io) : 0;
  return {
    ...compared,
    enabled: (isFocused ? undefined : compared.enabled) ?? enabled,
    unresolved,
    waits: [...left.blocked].flatMap(([name, wait]) => (wait.isOwn || isInSource(index, name) ? [wait] : [])),
    managed,
    unconfirmed,
  };
}

function isInSource(index: PlanWork['index'], identification: string): boolean {
  const { slot, isExact } = index.find(identification);
  return isExact && index.has(slot, mark.inSource);
}
