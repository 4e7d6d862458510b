import type { ChangeClass } from '../core/plan/change.ts';
import type { HoldFacts } from '../ports/store.ts';

/** Its changes are those of the run's plan that are held and in the class. */
export interface HoldRow {
  id: string;
  sync: string;
  run: string;
  class: ChangeClass;
  reason: string;
  digest: string;
  /** sha256 over the hashes of its changes in order of identification: equal for holds of the same changes. */
  members_key: string;
  /** Number of its changes when it was opened. */
  size: number;
  held_at: number;
  expires_at: number;
  state: HoldFacts['state'];
}

/** Every run that held the same changes. A renewed hold is found from the run that created it. */
export interface HoldRunRow {
  hold: string;
  run: string;
}
