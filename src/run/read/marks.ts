/**
 * What is known of one slot. Bits, because there may be a million slots. Each step adds marks; only the read takes some
 * back, when another record of the person counts.
 *
 * | set by                        | marks                                                   | read by               |
 * |-------------------------------|---------------------------------------------------------|-----------------------|
 * | read: a record                | inSource, active, leaver, outOfScope, undated           | every step            |
 * | read: several records         | tied, unsure, worksOutside, unknownOutside              | read, decide, record  |
 * | read: of some people          | bystander                                               | compare, decide, lead |
 * | read, compare, order of mails | conflict                                                | every step            |
 * | read of some people, pairs    | left                                                    | decide                |
 * | compare: the ledger           | inLedger, ours, plain                                   | compare, decide       |
 * | compare: the roster           | wasUndecided                                            | record                |
 * | compare: the platform         | seen, enabled, lost; leadable of who is equal           | every step            |
 * | decide                        | prevented, leadable, stranger                           | lead, record          |
 * | lead                          | led; bystander and seen of people who wait for a leader | record                |
 */
export const mark = {
  /** Some record of the source names this person. */
  inSource: 1,
  /** The record's data can be used, and the person works here. */
  active: 1 << 1,
  /** The record's data can be used, and the person left. */
  leaver: 1 << 2,
  outOfScope: 1 << 3,
  /** Two records, two people differing by case only, or an e-mail claimed twice: no change, protected. */
  conflict: 1 << 4,
  /** Ours, and nothing in the ledger that must be checked: see `recall`. Ask `isPlain`: the account may be a new one. */
  plain: 1 << 5,
  /** The ledger knows this identification. */
  inLedger: 1 << 6,
  /** The platform has shown this user. */
  seen: 1 << 7,
  /** Read only for what the record claims; no decision is made about this person. */
  bystander: 1 << 8,
  /** The ledger calls this user ours, or the source names them and a sync that is gone has left them behind. */
  ours: 1 << 9,
  /** A lifecycle date cannot be read, so it is not known whether the person works here. Counted as blocked. */
  undated: 1 << 10,
  /** Two records of this person, of which no rule tells which one counts. */
  tied: 1 << 11,
  /** A record of this person cannot be compared with the others. */
  unsure: 1 << 12,
  /** A record out of scope shows that this person works, beside the one that counts. */
  worksOutside: 1 << 13,
  /** A record out of scope, beside the one that counts, has no known standing. */
  unknownOutside: 1 << 14,
  /** The source asks for a change that something else than the source prevents: what was rejected stays rejected. */
  prevented: 1 << 15,
  /** The conflict is no trouble: a person decided it for a time, or only a look-alike of this person was named. */
  left: 1 << 16,
  /** The account is ours, and enabled now or after this plan: its leaders are decided. */
  leadable: 1 << 17,
  /** The leaders were decided, so decisions about changes of them that are no longer asked for end. */
  led: 1 << 18,
  /** This read saw the account enabled. */
  enabled: 1 << 19,
  /** The full read before could not decide about the person: see `Claim.undecided`. */
  wasUndecided: 1 << 20,
  /** The record is about another person than the account: what it shows is not what is known of the identification. */
  stranger: 1 << 21,
  /** Rollcall manages an account of this active person, and neither the scan nor a sample of single reads shows it. */
  lost: 1 << 22,
} as const;
