import type { User } from '../person/user.ts';
import type { findingEntries } from './codes/finding-entries.ts';

/**
 * Expected problems are data: a finding has what happened, the person, the reason and the action. It holds no field
 * values.
 */
export interface Finding {
  readonly code: FindingCode;
  /** Absent when the finding is about the run, not a person. */
  readonly identification?: string;
  /** Location in the source: `line 12`. */
  readonly at?: string;
  /**
   * The other identification in a conflict about an identification or e-mail. Used during planning only; not stored.
   */
  readonly other?: string;
  /** The account that the person's record seems to be about, in a rename or conversion. Not stored. */
  readonly account?: User;
  /** A complete sentence for display. */
  readonly message: string;
}

/** Returns whether two records, or two accounts, claim one person. Only a full read can resolve such a conflict. */
export function isAboutIdentity({ code }: Finding): boolean {
  return identityCodes.includes(code);
}

const identityCodes: readonly FindingCode[] = [
  'duplicate-key',
  'case-conflict',
  'email-conflict',
  'email-cycle',
  'rename-conflict',
  'conversion',
];

export type FindingCode = keyof typeof findingEntries;
