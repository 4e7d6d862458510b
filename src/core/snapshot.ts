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
  /** Identity of the snapshot (content hash or source time): one snapshot counts one miss. */
  readonly stamp: string;
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
  return { kind, rows: end.rows, leavers, missing: { readAt, stamp: end.stamp } as MissingProof, gaps: [] };
}
