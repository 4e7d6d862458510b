import { setImmediate as nextTurn } from 'node:timers/promises';
import { packRoster } from '../../core/plan/roster.ts';
import type { MissingProof } from '../../core/plan/snapshot.ts';
import type { EngineIo } from '../engine-io.ts';
import type { PlanWork } from '../plan-job.ts';
import type { PlanRead } from '../read/read-people.ts';

/**
 * Stores what an accepted, complete full read showed of each person, for runs and syncs that do not read that person.
 * `proof`: of that read, because hand-overs rely on who is absent from a roster.
 */
export async function writeRoster(
  { context, sync, index, salt }: PlanWork,
  read: PlanRead,
  proof: MissingProof,
  io: EngineIo,
): Promise<void> {
  if (context === undefined) return;
  // With a million people each part takes tens of milliseconds, so other work of the process runs in between.
  const people = packRoster('people', index.rosterEntries('people'));
  await nextTurn();
  const emails = packRoster('emails', index.rosterEntries('emails'));
  await nextTurn();
  const header = {
    sync: sync.settings.name,
    run: context.owned.run.id,
    at: proof.readAt,
    fingerprint: sync.fingerprint,
    salt,
    rows: read.snapshot.rows,
    pages: { people: people.length, emails: emails.length },
  };
  await io.store.rosters.put(context.owned, header, [...people, ...emails]);
}
