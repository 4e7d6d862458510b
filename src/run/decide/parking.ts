import { parkingAddress } from '../../core/person/cell.ts';
import type { Parking } from '../../core/plan/email-order.ts';
import type { Sync } from '../engine-io.ts';
import { mark, type PeopleIndex } from '../read/people-index.ts';

/** The parts of a `DecideJob` that decide where accounts are parked. */
interface Job {
  readonly index: PeopleIndex;
  readonly sync: Sync;
  readonly holders: ReadonlyMap<number, number>;
  readonly isFocused: boolean;
}

/** Returns the parking address of a slot's person, unless an employee claims it. */
export function parkingPlaceOf(slot: number, { index, sync }: Pick<Job, 'index' | 'sync'>): string | undefined {
  const { parkEmail } = sync.settings;
  if (parkEmail === undefined) return undefined;
  const address = parkingAddress(parkEmail, index.person(slot).identification);
  return address === undefined || index.findEmail(address) !== -1 ? undefined : address;
}

/** Returns the parking of a leaver whose account has an e-mail that an employee is to get in this plan. */
export function leaverParking(slot: number, job: Job): Parking | undefined {
  const { index, holders, isFocused } = job;
  const claimant = holders.get(slot);
  // An account without a record has a claimant only if a person decided that the claimant replaces it.
  const isGone = index.has(slot, mark.leaver) || !index.has(slot, mark.inSource);
  if (claimant === undefined || !isGone || index.has(claimant, mark.conflict)) return undefined;
  // Nothing is planned for bystanders, except where one person alone is explained.
  if (!isFocused && index.has(slot, mark.bystander)) return undefined;
  const email = parkingPlaceOf(slot, job);
  return email === undefined ? undefined : { email, claimant: index.person(claimant).identification };
}
