import type { User } from '../../core/person/user.ts';
import type { Spool } from '../../ports/runtime.ts';

/** Slots that need a decision, each with its user's place in the spool. */
export interface Candidates {
  readonly slots: number[];
  readonly places: number[];
}

/**
 * A user as the spool keeps it: only the id of one that shows every readable field as wanted and is new to the ledger.
 */
export type KeptUser = User | string;

export function readKept(spool: Spool, place: number): KeptUser {
  return JSON.parse(spool.read(place)) as KeptUser;
}
