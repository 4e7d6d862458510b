import type { AnswerProfile } from '../guard/answer.ts';
import { countOf } from '../run/formats.ts';

/**
 * What one read of the source proves. Only this file creates proofs, and the planner requires them by type. *Leaver*
 * requires a `LeaverProof`, *missing* an `AbsenceProof`.
 */

declare const proven: unique symbol;
declare const confirmed: unique symbol;

/** Given by a complete read of any kind: its leaver states are trusted. */
export interface LeaverProof {
  readonly [proven]: 'leaver';
  readonly readAt: number;
}

/** Given by a complete full read in which every record had an identification: only then an absence counts. */
export interface MissingProof {
  readonly [proven]: 'missing';
  readonly readAt: number;
  /** Identity of the snapshot at the source: a content hash, optionally with the file's rank. */
  readonly stamp: string;
  /** The instant that the snapshot shows (epoch ms); undefined where no time can be trusted. */
  readonly asOf: number | undefined;
}

/**
 * A missing proof that a lookup by id has confirmed for one person, or of a source that cannot look people up. Only this
 * proof counts a miss. A lookup alone proves no absence.
 */
export type AbsenceProof = MissingProof & { readonly [confirmed]: true };

/** Returns the proof for a person who cannot be looked up, or whose absence changes nothing. */
export function absentWithoutLookup(missing: MissingProof): AbsenceProof {
  return missing as AbsenceProof;
}

/** Returns the proof for a person of whom a lookup returned no record. Undefined when the lookup may lack people. */
export function absentInLookup(missing: MissingProof, lookup: Snapshot): AbsenceProof | undefined {
  return lookup.kind === 'point' && lookup.leavers !== undefined ? (missing as AbsenceProof) : undefined;
}

export type ReadKind = 'full' | 'delta' | 'point';

/**
 * How a source's read ended. `complete` is the adapter's own claim with its evidence; the engine adds its own checks.
 */
export type ReadEnd =
  | {
      readonly complete: true;
      readonly rows: number;
      /** Evidence of the adapter: `trailer says 520 rows`, `marker employees.csv.done`. */
      readonly evidence: string;
      /** Content hash or source time. Equal for two reads of the same snapshot. */
      readonly stamp: string;
      /**
       * The instant that the read shows. `read`: a live system, at the start of the read. A number: a file, with its
       * write time (epoch ms). Absent: no time can be trusted, and equal stamps are the same snapshot.
       */
      readonly asOf?: 'read' | number;
      /** Fields that were requested and that no record has: a permission or a column may have been removed. */
      readonly notReturned?: readonly string[];
      /** Notes about the read for the operator that raise no doubt. They hold no field values. */
      readonly notes?: readonly string[];
      /** What the answers held beside the list, to compare the next ones with. */
      readonly answers?: AnswerProfile;
      /** Why no person is counted as missing until a second read has the same doubts, or a person approves the read. */
      readonly doubts?: readonly string[];
    }
  | {
      readonly complete: false;
      readonly rows: number;
      readonly reasons: readonly string[];
      /** The only doubts are what an operator may accept: far fewer rows, or another answer than before. */
      readonly isAcceptable?: true;
      readonly answers?: AnswerProfile;
      /** As above. The records of this read still lead to updates. */
      readonly notReturned?: readonly string[];
      readonly notes?: readonly string[];
    };

/**
 * The conclusions from a read. Only a full read can prove an absence, so the other kinds have no type for that proof.
 */
export type Snapshot = SnapshotFacts &
  (
    | { readonly kind: 'full'; readonly missing: MissingProof | undefined }
    | { readonly kind: 'delta' | 'point'; readonly missing: undefined }
  );

interface SnapshotFacts {
  readonly rows: number;
  readonly leavers: LeaverProof | undefined;
  /**
   * Why a proof is absent, for the report. Empty when both proofs exist, or when the kind cannot have them (delta,
   * point).
   */
  readonly gaps: readonly string[];
  /** The only gaps are what an operator may accept: the read is much shorter, or its answers differ from before. */
  readonly isAcceptable?: true;
}

export interface ReadFacts {
  readonly kind: ReadKind;
  readonly end: ReadEnd;
  /** Number of records without a usable identification. */
  readonly unreadable: number;
  /** Number of identifications under which different people stand: one of them has another identification in truth. */
  readonly shared?: number;
  readonly readAt: number;
  /** Start of the run that reads. One run counts a miss once, even if it reads again after a crash. */
  readonly runAt: number | undefined;
}

/** Derives the possible conclusions from the facts of a read. */
export function certifySnapshot(facts: ReadFacts): Snapshot {
  const { kind, end, unreadable, shared = 0, readAt } = facts;
  if (!end.complete) {
    const acceptable = end.isAcceptable === true ? { isAcceptable: end.isAcceptable } : {};
    return { kind, rows: end.rows, leavers: undefined, missing: undefined, gaps: end.reasons, ...acceptable };
  }
  if (end.rows === 0 && kind === 'full') {
    return { kind, rows: 0, leavers: undefined, missing: undefined, gaps: ['the source has no employees'] };
  }
  const leavers = { readAt } as LeaverProof;
  if (unreadable > 0) {
    const unnamed = `${countOf(unreadable, 'record has', 'records have')} no identification`;
    const gap = kind === 'full' ? `${unnamed}, so no person can be counted as missing` : unnamed;
    return { kind, rows: end.rows, leavers, missing: undefined, gaps: [gap] };
  }
  if (kind !== 'full') return { kind, rows: end.rows, leavers, missing: undefined, gaps: [] };
  if (shared > 0) {
    const gap = `${countOf(shared, 'identification is', 'identifications are')} used for different people, so no person can be counted as missing`;
    return { kind, rows: end.rows, leavers, missing: undefined, gaps: [gap] };
  }
  if (end.doubts !== undefined && end.doubts.length > 0) {
    return { kind, rows: end.rows, leavers, missing: undefined, gaps: end.doubts, isAcceptable: true };
  }
  const asOf = end.asOf === 'read' ? (facts.runAt ?? readAt) : trusted(end.asOf, readAt);
  return { kind, rows: end.rows, leavers, missing: { readAt, stamp: end.stamp, asOf } as MissingProof, gaps: [] };
}

/** Older times are invalid, because archives and images give files a fixed time of 1970 or 1980. */
const oldestFileTime = Date.UTC(2000, 0, 1);

/** Clocks and time zones of servers differ by less. Against a later time, no real file would ever be newer. */
const mayBeAheadMs = 86_400_000;

function trusted(writtenAt: number | undefined, readAt: number): number | undefined {
  if (writtenAt === undefined || writtenAt < oldestFileTime || writtenAt > readAt + mayBeAheadMs) return undefined;
  return writtenAt;
}

/**
 * Number of counted snapshots without a time that are remembered. A remembered snapshot that reappears is not newer.
 */
const rememberedStamps = 8;

/**
 * Returns the stamp under which a snapshot counts as the newest, or undefined when it is not newer than `last`, the
 * last counted stamp. With a time, the later snapshot is newer. By content, a snapshot is newer if it was not counted
 * before: in A, B, A the last one is an old file. A stamp without a time is older
 * than any time.
 */
export function newerStamp({ stamp, asOf }: MissingProof, last: string | undefined): string | undefined {
  const before = last === undefined ? undefined : timeOf(last);
  if (asOf !== undefined) {
    return before === undefined || asOf > before ? new Date(asOf).toISOString() : undefined;
  }
  const counted = last === undefined || before !== undefined ? [] : last.split('\n');
  return counted.includes(stamp) ? undefined : [...counted, stamp].slice(-rememberedStamps).join('\n');
}

function timeOf(stamp: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(stamp) ? Date.parse(stamp) : undefined;
}
