import { openBlockedTally } from '../core/guard/blocked.ts';
import { given } from '../core/run/given.ts';
import { undoneBy } from '../ports/runs.ts';
import type { Spool } from '../ports/runtime.ts';
import { comparePeople } from './compare/compare-people.ts';
import { decideChanges } from './decide/decide-changes.ts';
import { openEdit } from './edit.ts';
import type { EngineIo } from './engine-io.ts';
import { countChanges } from './judge/count-changes.ts';
import { judge } from './judge/judge.ts';
import { decideAllLeaders } from './lead/decide-leaders.ts';
import { leaversAlone } from './leavers-alone.ts';
import type { Plan, PlanJob, PlanWork } from './plan-job.ts';
import { openFindings } from './read/open-findings.ts';
import { PeopleIndex } from './read/people-index.ts';
import { type PlanRead, readPeople } from './read/read-people.ts';
import { record } from './record/record.ts';
import type { Recorder } from './recorder.ts';
import { noteUncompared } from './seal/note-leavers.ts';
import { sealEmptyPlan, sealPlan } from './seal/seal-plan.ts';

/**
 * Makes the plan of a run, of a dry run, of one person explained: they differ by the recorder. All of it comes before
 * the first external effect.
 *
 *   read      the employees from the source, mapped, into an index
 *   compare   check again what earlier runs left unresolved, recall the ledger, scan the platform: find the people who
 *             need a decision
 *   decide    apply the truth table to each of them; store changes and ledger entries
 *   lead      decide about the leaders of the people whose accounts are in order; nothing without a mapping of leaders
 *   judge     drop rejected changes, count the others: what is held, and is the read believed
 *   record    hold the excess; store absences, the read and its people, and who waits for a decision
 *   seal      compute the digest over the changes: the approved plan is exactly the shown plan
 *
 * Where the run cannot disable leavers whom its rows state, it requests a run about them alone (`leaversAlone`).
 */
export async function makePlan(job: PlanJob, recorder: Recorder, io: EngineIo): Promise<Plan> {
  const spool = io.openSpool();
  try {
    const work = await openWork(job, recorder, spool, io);
    const read = await readPeople(work, io);
    recorder.watcher.read(read);
    if (read.failure !== undefined) return await sealEmptyPlan(work, read, read.failure, io);
    return await planFrom(work, read, io).catch(async (error) => {
      await leaversAlone(work, { read, error }, io);
      await recorder.stated(await noteUncompared(work, read, io));
      throw error;
    });
  } finally {
    spool.close();
  }
}

async function planFrom(work: PlanWork, read: PlanRead, io: EngineIo): Promise<Plan> {
  if (read.stoppedBy !== undefined) throw read.stoppedBy;
  const compared = await comparePeople(work, read, io);
  const decided = await decideChanges(work, { read, compared }, io);
  await decideAllLeaders(work, { read, decided }, io);
  const counts = await countChanges(work, { read, compared, decided }, io);
  const judged = judge(work, { read, compared, decided, counts });
  await record(work, { read, compared, decided, judged }, io);
  await leaversAlone(work, { read, judged }, io);
  return sealPlan(work, { read, compared, decided, judged }, io);
}

/**
 * Opens what the steps share. The index hashes as the sync's roster does, so that unchanged pages are not rewritten.
 */
export async function openWork(job: PlanJob, recorder: Recorder, spool: Spool, io: EngineIo): Promise<PlanWork> {
  const { settings } = job.sync;
  const roster = await io.store.rosters.open(settings.name);
  const salt = roster?.salt ?? io.newId('salt');
  const index = new PeopleIndex(spool, job.sync.mapping.fields, salt, settings.mapping.fields);
  const blocked = openBlockedTally();
  const others = recorder.openOthers(spool, salt, job.sync.mapping.fields);
  const { watcher } = recorder;
  const findings = openFindings({ note: blocked.note, watch: watcher.finding });
  const { edit, ...since } = await openEdit(job.sync, io);
  // An undo follows from what was applied, not from the configuration.
  const edited = undoneBy(job.scope) === undefined ? { ...given({ edit }), ...since } : since;
  return { ...job, recorder, others, spool, index, salt, blocked, findings, roster, ...edited };
}
