import { openBlockedTally } from '../../core/guard/blocked.ts';
import type { Spool } from '../../ports/spool.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanJob, PlanWork } from '../plan-job.ts';
import type { Recorder } from '../recorder.ts';
import { openFindings } from './open-findings.ts';
import { PeopleIndex } from './people-index.ts';

/**
 * Opens what the steps share. The index hashes as the sync's roster does, so that unchanged pages are not rewritten.
 */
export async function openWork(job: PlanJob, recorder: Recorder, spool: Spool, io: EngineIo): Promise<PlanWork> {
  const { name } = job.sync.settings;
  const salt = (await io.store.rosters.open(name))?.salt ?? io.newId('salt');
  const index = new PeopleIndex(spool, job.sync.mapping.fields, salt);
  const blocked = openBlockedTally();
  const others = recorder.openOthers(spool, salt);
  const { watcher } = recorder;
  const findings = openFindings({ note: blocked.note, watch: watcher.finding });
  return { ...job, recorder, others, spool, index, salt, blocked, findings };
}
