/** What is known of one slot. Bits, because there may be a million slots. */
export const mark = {
  /** Some record of the source names this person. */
  inSource: 1,
  /** The record's data can be used. */
  usable: 1 << 1,
  active: 1 << 2,
  leaver: 1 << 3,
  outOfScope: 1 << 4,
  /** Two records, two people differing by case only, or an e-mail claimed twice: no change, protected. */
  conflict: 1 << 5,
  /** Ours, and nothing in the ledger that must be checked: see `recall`. Ask `isPlain`: the account may be a new one. */
  plain: 1 << 6,
  /** The ledger knows this identification. */
  inLedger: 1 << 7,
  /** The platform has shown this user. */
  seen: 1 << 8,
  /** Read only for what the record claims; no decision is made about this person. */
  bystander: 1 << 9,
  /** The ledger calls this user ours, or the source names them and a sync that is gone has left them behind. */
  ours: 1 << 10,
  /** A lifecycle date cannot be read, so it is not known whether the person works here. Counted as blocked. */
  undated: 1 << 11,
  /** Two records of this person, of which no rule tells which one counts. */
  tied: 1 << 12,
  /** A record of this person cannot be compared with the others. */
  unsure: 1 << 13,
  /** A record out of scope shows that this person works, beside the one that counts. */
  worksOutside: 1 << 14,
  /** A record out of scope, beside the one that counts, has no known standing. */
  unknownOutside: 1 << 15,
} as const;
