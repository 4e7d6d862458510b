import { openBlockedTally } from '../../core/blocked.ts';
import type { Spool } from '../../ports/spool.ts';
import type { EngineIo } from '../engine-io.ts';
import { pruneBeside } from '../prune-old.ts';
import { comparePeople } from './compare-people.ts';
import { decideChanges } from './decide-changes.ts';
import { guardChanges } from './guard-changes.ts';
import { openFindings } from './open-findings.ts';
import { openOtherAccounts } from './other-accounts.ts';
import { PeopleIndex } from './people-index.ts';
import type { Plan, PlanJob, PlanWork } from './plan-job.ts';
import { readPeople } from './read-people.ts';
import { sealEmptyPlan, sealPlan } from './seal-plan.ts';

/**
 * Opens what the steps share. The index hashes as the sync's roster does, so that unchanged pages are not rewritten.
 */
export async function openWork(job: PlanJob, spool: Spool, io: EngineIo): Promise<PlanWork> {
  const { name } = job.sync.settings;
  const salt = (await io.store.rosters.open(name))?.salt ?? io.newId('salt');
  const index = new PeopleIndex(spool, job.sync.mapping.fields, salt);
  const blocked = openBlockedTally();
  const others = job.context === undefined ? {} : { others: openOtherAccounts(spool, salt) };
  return { ...job, ...others, spool, index, salt, blocked, findings: openFindings(blocked.note) };
}

/**
 * Makes a plan: all work before the first external effect.
 *
 *   read      the employees from the source, mapped, into an index
 *   compare   recall the ledger, scan the platform: find the people who need a decision
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
