import { comparePeople } from './compare/compare-people.ts';
import { decideChanges } from './decide/decide-changes.ts';
import type { EngineIo } from './engine-io.ts';
import { guardChanges } from './judge/guard-changes.ts';
import type { Plan, PlanJob } from './plan-job.ts';
import { pruneBeside } from './prune-old.ts';
import { openWork } from './read/open-work.ts';
import { readPeople } from './read/read-people.ts';
import { sealEmptyPlan, sealPlan } from './seal/seal-plan.ts';

/**
 * Makes a plan: all work before the first external effect.
 *
 *   read      the employees from the source, mapped, into an index
 *   compare   check again what earlier runs left unresolved, recall the ledger, scan the platform: find the people who
 *             need a decision
 *   decide    apply the truth table to each of them; store changes and ledger entries
 *   guard     drop rejected changes, hold excessive ones, accept or doubt the read
 *   seal      compute the digest over the changes: the approved plan is exactly the shown plan
 */
export async function makePlan(job: PlanJob, io: EngineIo): Promise<Plan> {
  if (job.context === undefined) await pruneBeside(io);
  const spool = io.openSpool();
  try {
    const work = await openWork(job, spool, io);
    const read = await readPeople(work, io);
    if (read.failure !== undefined) return await sealEmptyPlan(work, read, read.failure, io);
    const compared = await comparePeople(work, read, io);
    const decided = await decideChanges(work, { read, compared }, io);
    const guarded = await guardChanges(work, { read, compared, decided }, io);
    return await sealPlan(work, { read, compared, decided, guarded }, io);
  } finally {
    spool.close();
  }
}
