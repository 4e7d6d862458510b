import { chunk } from '../../core/run/batch.ts';
import { type Finding, isAboutIdentity } from '../../core/run/finding.ts';
import type { EngineIo, Sync } from '../engine-io.ts';
import type { Reading } from '../read/choose-read.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';

export interface RecallConflictsJob {
  readonly sync: Sync;
  readonly reading: Reading;
  readonly index: PeopleIndex;
  readonly find: (finding: Finding) => void;
}

/**
 * Recalls identity conflicts of the last full read. A read of a few people may show only one of two records that claim
 * the same person. For example, it may show an old closed record while the account belongs to another number by now. A
 * delta does not change people with such a conflict. A lookup by name is newer: it skips only those whom it reports as
 * gone.
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

/**
 * Finds people of this read whose e-mail, or whose identification in other case or other look-alike characters, belonged
 * to another person in the roster.
 */
export async function recallClaims({ sync, reading, index, find }: RecallConflictsJob, io: EngineIo): Promise<void> {
  if (reading.kind === 'full' || (reading.kind === 'point' && reading.readsAll)) return;
  const roster = await io.store.rosters.open(sync.settings.name);
  if (roster === undefined || roster.fingerprint !== sync.fingerprint) return;
  const slots = Array.from({ length: index.size }, (_, slot) => slot).filter((slot) => index.has(slot, mark.inSource));
  for (const some of chunk(slots, claimsAtOnce)) {
    const people = some.map((slot) => ({ slot, person: index.person(slot) }));
    const claimants = people.flatMap(({ slot, person }) => {
      const { email = '' } = person.kind === 'person' ? person.fields : {};
      return email !== '' && index.findEmail(email) === slot ? [{ slot, person, email }] : [];
    });
    const claims = await roster.claims(claimants.map(({ email }) => email));
    for (const { slot, person, email } of claimants) {
      const { identification } = person;
      const others = (claims.get(email) ?? []).filter((key) => key !== roster.keyOf(identification));
      // A claimant who is also in this read has the e-mail that this read shows.
      if (others.every((key) => index.hasKey(key)) || index.has(slot, mark.conflict)) continue;
      index.set(slot, mark.conflict);
      const message = `in the last full read, another employee had the e-mail of ${identification}: neither is changed`;
      find({ code: 'email-conflict', identification, message });
    }
    const listed = await roster.people(people.map(({ person }) => person.identification));
    for (const { slot, person } of people) {
      const { identification } = person;
      const isTwin = (listed.get(identification) ?? []).some(({ isExact }) => !isExact);
      if (!isTwin || index.has(slot, mark.conflict)) continue;
      index.set(slot, mark.conflict);
      const message = `the last full read had an identification that looks like ${identification} (other case or characters): nothing is changed`;
      find({ code: 'case-conflict', identification, message });
    }
  }
}

const claimsAtOnce = 1000;
