import { type Finding, isAboutIdentity } from '../core/finding.ts';
import type { Reading } from './choose-read.ts';
import type { EngineIo, Sync } from './engine-io.ts';
import { mark, type PeopleIndex } from './people-index.ts';

export interface RecallConflictsJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly index: PeopleIndex;
  readonly find: (finding: Finding) => void;
}

/**
 * A read of a few people may show one of two records that claim one person: an old one that is closed, while the account
 * has become somebody's under another number. Whom the last full read found so is left alone by a delta. A look-up by name
 * is fresher: it leaves alone only whom it calls gone.
 */
export async function recallConflicts(job: RecallConflictsJob, io: EngineIo): Promise<void> {
  const { sync, reading, index, find } = job;
  if (reading.kind === 'full') return;
  const run = reading.kind === 'delta' ? reading.from.fullRun : (await io.store.reads.last(sync.settings.name))?.run;
  if (run === undefined) return;
  for (const finding of await io.store.runs.findings(run)) {
    const { code, identification, message } = finding;
    if (identification === undefined || !isAboutIdentity(finding)) continue;
    const { slot } = index.find(identification);
    if (slot === -1 || index.has(slot, mark.conflict)) continue;
    if (reading.kind === 'point' && !index.has(slot, mark.leaver) && !index.has(slot, mark.outOfScope)) continue;
    index.set(slot, mark.conflict);
    find({ code, identification, message: `found by the last full read: ${message}` });
  }
}
