export interface TurnRequest {
  /** Name of the lease. */
  readonly name: string;
  readonly owner: string;
  /** How long the lease is held after a take (ms). */
  readonly ttlMs: number;
  /** Owners that have waited longer than this without asking again are passed over; they keep their place (ms). */
  readonly placeMs: number;
}

export interface Turn {
  /** Whether the owner holds the lease now. */
  readonly isTaken: boolean;
  /** Number of owners that have their turn before this one, including the one that holds the lease. */
  readonly ahead: number;
}

/** Gives a lease to its waiting owners in the order in which they asked first. */
export interface Turns {
  /**
   * Takes or renews the lease when it is the owner's turn. Otherwise gives the owner the last place in the queue, or
   * confirms the place that it has. An owner that releases the lease and asks again gets the last place.
   */
  take(request: TurnRequest, now: number): Promise<Turn>;
  /** Releases the lease if the owner holds it. */
  release(name: string, owner: string): Promise<void>;
  /** Gives up the owner's place in the queue. */
  leave(name: string, owner: string): Promise<void>;
}
