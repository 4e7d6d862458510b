import type { ChangeClass } from '../core/plan/change.ts';
import type { HoldFacts } from '../ports/store.ts';

export interface HoldRow {
  id: string;
  sync: string;
  run: string;
  class: ChangeClass;
  reason: string;
  digest: string;
  /** The first page of the sorted hashes, as JSON. Versions without `hold_pages` have written all of them here. */
  hashes: string;
  /** sha256 over the hashes in order: equal for holds of the same changes. */
  hashes_key: string;
  held_at: number;
  expires_at: number;
  state: HoldFacts['state'];
  /** Number of hashes, all pages included. */
  size: number | null;
}

/** A page of the hashes of a hold, as JSON. Page 0 is in the hold. */
export interface HoldPageRow {
  hold: string;
  page: number;
  hashes: string;
}

/** Every run that held the same changes. A renewed hold is found from the run that created it. */
export interface HoldRunRow {
  hold: string;
  run: string;
}
