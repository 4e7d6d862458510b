import { setImmediate as nextTurn } from 'node:timers/promises';
import { packRoster } from '../../core/plan/roster.ts';
import type { MissingProof } from '../../core/plan/snapshot.ts';
import type { DirectoryEnd } from '../../ports/reads.ts';
import type { OwnedRun, ReadRecord } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { KnownPeople } from './write-directory.ts';

export interface RosterToWrite {
  readonly people: Pick<KnownPeople, 'index' | 'salt'>;
  readonly sync: Sync;
  /** Rows of the read. */
  readonly rows: number;
  /** Proof of the read, because hand-overs rely on who is absent from a roster. */
  readonly proof: MissingProof;
  readonly read: ReadRecord;
  readonly directory: DirectoryEnd;
}

/**
 * Stores an accepted, complete full read, and what it showed of each person, for runs and syncs that do not read that
 * person.
 */
export async function writeRoster(
  owned: OwnedRun,
  { people: { index, salt }, sync, rows, proof, read, directory }: RosterToWrite,
  io: EngineIo,
): Promise<void> {
  // With a million people each part takes tens of milliseconds, so other work of the process runs in between.
  const people = packRoster('people', index.rosterEntries('people'));
  await nextTurn();
  const emails = packRoster('emails', index.rosterEntries('emails'));
  await nextTurn();
  const header = {
    sync: sync.settings.name,
    run: owned.run.id,
    at: proof.readAt,
    fingerprint: sync.fingerprint,
    salt,
    rows,
    pages: { people: people.length, emails: emails.length },
  };
  await io.store.rosters.put(owned, header, [...people, ...emails], { read, directory });
}
