import { countOf } from './count-of.ts';

/**
 * What one read of the source proves. Only this file makes proofs, and the planner asks for them by type: without
 * `LeaverProof` there is no way to say *leaver*, without `MissingProof` none to say *missing*.
 */

declare const proven: unique symbol;

/** Held by a complete read of any kind: its leaver states may be believed. */
export interface LeaverProof {
  readonly [proven]: 'leaver';
  readonly readAt: number;
}

/** Held by a complete full read in which every record named its person: absence means something. */
export interface MissingProof {
  readonly [proven]: 'missing';
  readonly readAt: number;
  /** What the source knows the snapshot by: a content hash, perhaps with the file's rank. */
  readonly stamp: string;
  /** The instant that the snapshot shows (epoch ms); undefined where no time can be trusted. */
  readonly asOf: number | undefined;
}

export type ReadKind = 'full' | 'delta' | 'point';

/** How a source's read ended. `complete` is the adapter's own claim with its evidence; the engine adds the rest. */
export type ReadEnd =
  | {
      readonly complete: true;
      readonly rows: number;
      /** Why the adapter is sure: `trailer says 520 rows`, `marker employees.csv.done`. */
      readonly evidence: string;
      /** Content hash or source time; equal for two reads of the same snapshot. */
      readonly stamp: string;
      /**
       * Which instant the read shows. `read`: a live system, as it was when the read began. A number: a file, written then
       * (epoch ms). Absent: no time can be trusted, and equal stamps are the same snapshot.
       */
      readonly asOf?: 'read' | number;
      /** Fields that the source was asked for and gave for nobody: a permission or a column may have been taken away. */
      readonly notReturned?: readonly string[];
      /** What a person should know of the read though it is no doubt, without field values. */
      readonly notes?: readonly string[];
    }
  | {
      readonly complete: false;
      readonly rows: number;
      readonly reasons: readonly string[];
      /** The one doubt is that there are far fewer rows than before: a person who knows better may accept the read. */
      readonly isShrunk?: true;
      /** As above: what was read still leads to updates. */
      readonly notReturned?: readonly string[];
      readonly notes?: readonly string[];
    };

/** Only a full read can prove an absence: for the others the types have no way to say it. */
export type Snapshot = SnapshotFacts &
  (
    | { readonly kind: 'full'; readonly missing: MissingProof | undefined }
    | { readonly kind: 'delta' | 'point'; readonly missing: undefined }
  );

interface SnapshotFacts {
  readonly rows: number;
  readonly leavers: LeaverProof | undefined;
  /** Why a proof is absent, in words for the report; empty when both are there (or could not be: delta, point). */
  readonly gaps: readonly string[];
  /** Not proven only because it is much shorter than the last complete read. */
  readonly isShrunk?: true;
}

export interface ReadFacts {
  readonly kind: ReadKind;
  readonly end: ReadEnd;
  /** Records that named nobody. */
  readonly unreadable: number;
  readonly readAt: number;
  /** When the run that reads began: one run counts a miss once, even if it reads again after a crash. */
  readonly runAt?: number | undefined;
}

/** Turns the facts of a read into what may be concluded from it. */
export function certifySnapshot(facts: ReadFacts): Snapshot {
  const { kind, end, unreadable, readAt } = facts;
  if (!end.complete) {
    const shrunk = end.isShrunk === true ? { isShrunk: end.isShrunk } : {};
    return { kind, rows: end.rows, leavers: undefined, missing: undefined, gaps: end.reasons, ...shrunk };
  }
  if (end.rows === 0 && kind === 'full') {
    return { kind, rows: 0, leavers: undefined, missing: undefined, gaps: ['the source has no employees'] };
  }
  const leavers = { readAt } as LeaverProof;
  if (unreadable > 0) {
    const nobody = `${countOf(unreadable, 'record names', 'records name')} nobody`;
    const gap = kind === 'full' ? `${nobody}, so nobody can be called missing` : nobody;
    return { kind, rows: end.rows, leavers, missing: undefined, gaps: [gap] };
  }
  if (kind !== 'full') return { kind, rows: end.rows, leavers, missing: undefined, gaps: [] };
  const asOf = end.asOf === 'read' ? (facts.runAt ?? readAt) : trusted(end.asOf);
  return { kind, rows: end.rows, leavers, missing: { readAt, stamp: end.stamp, asOf } as MissingProof, gaps: [] };
}

/** Archives and images carry files with a fixed time of 1970 or 1980. */
const oldestFileTime = Date.UTC(2000, 0, 1);

function trusted(writtenAt: number | undefined): number | undefined {
  return writtenAt === undefined || writtenAt < oldestFileTime ? undefined : writtenAt;
}

/** Snapshots without a time that are remembered as counted: one that comes back is not newer. */
const rememberedStamps = 8;

/**
 * Returns the stamp under which a snapshot counts as the newest, or undefined when it is not newer than `last`, the stamp
 * counted before. By time a later one is newer. By content one is newer that was not counted before: A, B, A is an old
 * file that came back. A stamp without a time, or of a version that stored none, is older than any time.
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
