import type { User } from '../../core/person/user.ts';
import { looksLikeSamePerson } from '../../core/plan/neighbors.ts';
import type { Sync } from '../engine-io.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';

/** Returns whether the account of a person in the source may leave its e-mail to the claimant in this or a later plan. */
export function mayGiveEmail(
  user: User,
  slot: number,
  claimant: number,
  { index, sync }: { readonly index: PeopleIndex; readonly sync: Sync },
): boolean {
  if (!index.has(slot, mark.inSource) || index.has(slot, mark.outOfScope)) return false;
  if (index.has(slot, mark.active)) return true;
  const isParked = sync.settings.parkEmail !== undefined && index.has(slot, mark.leaver);
  return isParked && !isConversion(index.person(claimant), slot, user, index);
}

/** Returns whether a leaver and the claimant of the e-mail look like one person. */
export function isConversion(
  claimant: ReturnType<PeopleIndex['person']>,
  slot: number,
  user: User,
  index: PeopleIndex,
): boolean {
  const leaver = index.person(slot);
  if (claimant.kind !== 'person' || leaver.kind !== 'person') return false;
  return looksLikeSamePerson(claimant.fields, { ...user.fields, ...leaver.fields });
}
