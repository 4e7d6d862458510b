import type { User } from '../../core/person/fields.ts';
import type { Spool } from '../../ports/runtime.ts';

/** Slots that need a decision, each with its user's place in the spool. */
export interface Candidates {
  readonly slots: number[];
  readonly places: number[];
}

/** A user as the spool keeps it. */
export type KeptUser = User | EqualUser;

/** What the person does not tell of an enabled user who shows every readable field as wanted. */
export type EqualUser = readonly [
  id: string,
  others: Pick<User, 'uid' | 'rawIdentification' | 'lastUpdate' | 'fields'>,
];

export function readKept(spool: Spool, place: number): KeptUser {
  return JSON.parse(spool.read(place)) as KeptUser;
}

export function isEqualUser(kept: KeptUser): kept is EqualUser {
  return Array.isArray(kept);
}
