import type { AnswerProfile } from '../core/guard/answer.ts';
import type { StoredBlocked } from '../core/guard/blocked.ts';
import type { DecidingColumns } from '../core/guard/deciding-columns.ts';
import type { FieldVisibility } from '../core/guard/field-visibility.ts';
import type { Safeguards } from '../core/guard/loosened.ts';
import type { Correction } from '../core/person/corrections.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { Configuration, LastWrite } from '../core/plan/configuration.ts';
import type { PastStanding } from '../core/plan/roster.ts';
import type { Finding } from '../core/run/finding.ts';
import type { Watermark } from '../core/run/next-read.ts';
import type { OwnedRun } from './runs.ts';
import type { AuditEntry } from './store-operations.ts';

/** What a read looked like besides its people: the next ones are compared with it. */
export interface ReadProfile {
  readonly answers?: AnswerProfile;
  /** See `ReadEnd`: a second read with the same doubts is accepted. */
  readonly doubts?: readonly string[];
  /** The share of different values in each mapped field, among the first people. */
  readonly distinct?: Readonly<Partial<Record<FieldName, number>>>;
  readonly deciding?: DecidingColumns;
  /** Number of records beyond the first one of each identification. */
  readonly doubled?: number;
}

export interface ReadRecord {
  readonly sync: string;
  readonly run: string;
  readonly at: number;
  readonly rows: number;
  readonly stamp: string;
  /** False while a guard doubts the read: far fewer rows, an emptied or vanished field, or too many blocked people. */
  readonly isAccepted: boolean;
  /** Share of people with a value, per mapped field: 0 to 1. */
  readonly fillRates: Readonly<Partial<Record<FieldName, number>>>;
  /** Visibility of the source fields that the mapping reads. Absent when the read did not check it. */
  readonly visibility?: FieldVisibility;
  /** People for whom no decision is possible. Absent when the read did not count them. */
  readonly blocked?: StoredBlocked;
  /** Sealed. What no configured key opens counts as absent. */
  readonly profile?: ReadProfile;
}

export interface Reads {
  /** Returns the last accepted complete full read of a run: the reference for the next one. */
  last(sync: string): Promise<ReadRecord | undefined>;
  /** Returns the last stored read, accepted or not. */
  latest(sync: string): Promise<ReadRecord | undefined>;
  /** Returns when the last accepted complete full reads were stored (epoch ms), newest first, at most `count`. */
  recent(sync: string, count: number): Promise<readonly number[]>;
  put(owned: OwnedRun, read: ReadRecord): Promise<void>;
  /** Accepts the read of this run after an operator reviewed its guards. The read becomes the new reference. */
  accept(runId: string): Promise<void>;
  /**
   * Returns where the sync's next delta may begin, as `runs.update` last stored it; undefined: a full read is required.
   */
  watermark(sync: string): Promise<Watermark | undefined>;
  /** Returns what HR has to correct, as `runs.update` last stored it, in order of person. */
  corrections(sync: string): Promise<readonly Correction[]>;
}

/** A configuration of a sync, as an accepted full run found it. */
export interface StoredConfiguration extends Configuration {
  /** When it was stored (epoch ms). */
  readonly at: number;
}

/** What the last accepted full run after an edit measured. */
export interface MeasuredConfiguration extends StoredConfiguration {
  readonly run: string;
  /** A change of the edit was rejected, or a person could not be decided: the run cannot end the comparison. */
  readonly isOpen: boolean;
  /** The guard holds the changes of the edit. */
  readonly isHeld: boolean;
}

export interface Baseline {
  /** The configuration with which later ones are compared. */
  readonly accepted: StoredConfiguration | undefined;
  /** The edited configuration that was measured last; undefined while none differs. */
  readonly measured: MeasuredConfiguration | undefined;
}

/** The safeguards of a sync that a process worked with, with their digest. */
export interface StoredSafeguards {
  readonly sync: string;
  readonly digest: string;
  readonly safeguards: Safeguards;
  /** When a process first worked with them (epoch ms). */
  readonly at: number;
}

/** The configurations with which each sync's configuration is compared, sealed. */
export interface Baselines {
  /** What no configured key opens counts as absent. */
  read(sync: string): Promise<Baseline>;
  /** Makes a configuration the baseline. The one that was measured is no longer needed. */
  accept(owned: OwnedRun, configuration: StoredConfiguration): Promise<void>;
  measure(owned: OwnedRun, measured: MeasuredConfiguration): Promise<void>;
  /**
   * Makes the configuration that the run measured the baseline, if nothing of the edit is left: each of its changes was
   * applied or exported.
   */
  advance(owned: OwnedRun): Promise<void>;
  /** Returns the last applied change of each of these people, by identification. */
  lastWrites(connection: string, identifications: readonly string[]): Promise<ReadonlyMap<string, LastWrite>>;
  /** Returns the safeguards that a process worked with last, by sync. What no configured key opens counts as absent. */
  safeguards(): Promise<ReadonlyMap<string, StoredSafeguards>>;
  /**
   * Replaces the safeguards of a sync, and adds the entry, in one transaction. `before`: the digest of those that were read;
   * undefined for none. If another process replaced those meanwhile, nothing is stored, and the result is false.
   */
  replaceSafeguards(
    before: string | undefined,
    next: StoredSafeguards,
    entry: AuditEntry | undefined,
  ): Promise<boolean>;
}

/** One person as the last accepted complete read showed them, for searches by name. */
export interface DirectoryRow {
  readonly identification: string;
  /** Empty when the source gives none. */
  readonly name: string;
  readonly email: string;
  /** `source`: a record names the person. `platform`: only an account. */
  readonly side: 'source' | 'platform';
  /** What the source says: `active`, `leaver`, `future`, `unknown`, `out-of-scope`, `unusable`. Empty for an account only. */
  readonly standing: string;
  /** Whether the platform showed an account before the run's changes. */
  readonly isOnPlatform: boolean;
  /** Whether that account was enabled. */
  readonly isEnabled: boolean;
  /** When an account that no record names was changed last, as the platform writes it. */
  readonly lastUpdate?: string;
  /** `YYYY-MM-DD`; only where the mapping has a birth date. */
  readonly birthDate?: string;
  /** The record is about another person than the account, and a person has not decided that they are the same. */
  readonly isStranger?: true;
}

export interface DirectoryHeader {
  readonly sync: string;
  readonly run: string;
  /** When the source was read (epoch ms). */
  readonly at: number;
  readonly people: number;
  readonly pages: number;
}

export interface DirectoryPage {
  readonly page: number;
  /** Equal for equal rows. */
  readonly digest: string;
  readonly rows: readonly DirectoryRow[];
}

/** The last pages of a directory, and its header. Pages beyond its number are deleted. */
export interface DirectoryEnd {
  readonly header: DirectoryHeader;
  readonly pages: readonly DirectoryPage[];
}

/**
 * The people of each sync by name, in pages. The values are sealed, so a search opens the pages in memory. A page that is
 * equal to the stored one need not be written again.
 */
export interface Directories {
  /** Returns the directories of all syncs that have one, in order of sync. */
  list(): Promise<readonly DirectoryHeader[]>;
  digests(sync: string): Promise<ReadonlyMap<number, string>>;
  read(sync: string, pages: readonly number[]): Promise<readonly DirectoryPage[]>;
  /** Stores some pages. `Rosters.put` follows, with the end of the directory. */
  write(owned: OwnedRun, sync: string, pages: readonly DirectoryPage[]): Promise<void>;
}

/** `at`: the start of the run that told it. Runs without changes told it too, until `untilAt`. */
export interface PastFinding {
  readonly finding: Finding;
  readonly run: string;
  readonly at: number;
  readonly untilAt: number;
}

/** What is stored of the past of one person, besides the changes. Both in order of time. */
export interface Past {
  /**
   * What accepted full reads said of the person, from when on: the start of `run`, or, for the first one, when the sync's first
   * full read began, or since when the past is kept. Empty: there was none.
   */
  readonly standings: readonly { readonly at: number; readonly run: string | undefined; readonly says: PastStanding }[];
  readonly findings: readonly PastFinding[];
}

/** A text that another system sent, such as the body of a refusal. It may hold personal data. */
export interface RawText {
  readonly at: number;
  /** What it belongs to: `batch 3`, `end of the run`. */
  readonly about: string;
  readonly text: string;
}

/**
 * Raw answers of other systems beside the run that received them. They are never part of findings, logs, alerts or job
 * data.
 */
export interface RawTexts {
  /**
   * Keeps a text, sealed. Keeps nothing without `encryptionKey`, nothing beyond 200 texts per run, and at most 4,000
   * characters of each. They are deleted with the details of the run.
   */
  add(owned: OwnedRun, text: RawText): Promise<void>;
  /** Returns the texts of a run in order. Throws `STORE_INVALID` for texts that were sealed with another key. */
  ofRun(run: string): Promise<readonly RawText[]>;
}
