import type { Correction } from '../core/person/corrections.ts';
import type { Change } from '../core/plan/change.ts';
import type { Leaver } from '../core/plan/leavers.ts';
import type { LedgerEntry } from '../core/plan/ledger.ts';
import type { StandingDecision } from '../core/plan/standing.ts';
import type { Finding } from '../core/run/finding.ts';
import type { ChangeState } from '../core/run/run.ts';
import type { DecisionRecord } from './decisions.ts';
import type { DirectoryRow } from './reads.ts';
import type { AuditEntry } from './store-operations.ts';

/** Everything that the store has about one person. */
export interface PersonRecord {
  readonly identification: string;
  readonly ledger: readonly { readonly connection: string; readonly entry: LedgerEntry }[];
  /** The people whose entries name the person as a leader. */
  readonly leads: readonly { readonly connection: string; readonly identification: string }[];
  /** Set when the person was forgotten: what is kept under a keyed hash of the identification. */
  readonly forgotten: readonly { readonly connection: string; readonly entry: LedgerEntry; readonly at: number }[];
  /** How searches by name find the person. */
  readonly directories: readonly { readonly sync: string; readonly row: DirectoryRow }[];
  readonly changes: readonly PersonChange[];
  readonly findings: readonly (Finding & { readonly run: string })[];
  /** What HR has to correct in the person's record, or what a person corrects whom the column `hrOwner` names. */
  readonly corrections: readonly (Correction & { readonly sync: string })[];
  readonly decisions: readonly (DecisionRecord & { readonly sync: string })[];
  /** What was decided about the person's account, or about the person and another account. */
  readonly standing: readonly StandingDecision[];
  /** That HR stated that the person leaves. */
  readonly leavers: readonly Leaver[];
  /** Requests for runs that named the person. */
  readonly requests: readonly { readonly trigger: string; readonly sync: string; readonly requestedAt: number }[];
  /** Number of alert notices, raw answers of other systems and entries of the audit that name the person. */
  readonly notices: number;
  readonly rawTexts: number;
  readonly auditEntries: number;
}

/** A change of one person, with the plan that has it. */
export interface PersonChange extends Change {
  readonly plan: string;
  readonly sync: string;
  readonly madeAt: number;
  readonly state: ChangeState;
  readonly stateReason: string | undefined;
}

/** What `forget` deleted, and what it kept. */
export interface ForgetResult {
  /** Connections for which owner, *disabled by us*, removal and blacklist are kept under a keyed hash. */
  readonly kept: readonly string[];
}

/** Reads and erases what the store has about one person. */
export interface PersonRecords {
  read(identification: string): Promise<PersonRecord>;
  /**
   * Erases the person from ledger, history, findings, decisions, requests, notices, raw answers of other systems and the
   * audit, in one transaction. Keeps who owns the user, that we disabled or removed it, and a blacklist, under a keyed hash: a
   * later read that shows the person continues from there. Changes stay as numbers without a person, so that guards
   * count them. The people whom the person led keep a pseudonym, so that the leader stays ours. Throws `CONFLICT` while a
   * run that may still change the person, or set the person as a leader, is in progress or unresolved.
   */
  forget(identification: string, now: number): Promise<ForgetResult>;
  /**
   * Moves ledger entries of users whom we removed or disabled, and who have been gone since before `before`, behind
   * their keyed hash. Returns how many, at most `limit`.
   */
  forgetGone(before: number, now: number, limit: number): Promise<number>;
}

/** Numbers of stored values that one key sealed, when no configured key opens them. */
export interface UnreadableValues {
  /** Distinguishes keys and reveals nothing about them: 8 hexadecimal digits. */
  readonly keyId: string;
  readonly ledger: number;
  readonly changes: number;
  readonly rawTexts: number;
  /** Pages of directories. The next complete read writes them again. */
  readonly directories: number;
  readonly tokens: number;
  /** People under a keyed hash, when the key of the hash is sealed with it. */
  readonly forgotten: number;
}

/** Keeps stored personal data sealed with the current key. */
export interface Sealing {
  /**
   * Seals rows that are not sealed with the current key, at most `limit` of them, and returns how many it sealed.
   * Returns 0 when everything is sealed, and without a key.
   */
  reseal(limit: number): Promise<number>;
  /** Counts the values that no configured key opens, by the key that sealed them. Empty: everything can be opened. */
  unreadable(): Promise<readonly UnreadableValues[]>;
  /**
   * Drops these values, and stores the audit entry, in one transaction. Keeps who owns a user, that we disabled or
   * removed it, and changes as numbers without values. Changes that wait for approval are dropped, and those of unknown
   * outcome fail. Raw answers of other systems are deleted, and so is what is kept about forgotten people when its key
   * is lost. Tokens stay, because a new first token replaces them. Throws `CONFLICT` while a run in progress has such a
   * change, or when one of unknown outcome was sent after `sentBefore`.
   */
  dropUnreadable(sentBefore: number, entry: AuditEntry): Promise<void>;
}
