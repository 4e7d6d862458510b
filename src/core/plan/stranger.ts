import type { ChangeDraft } from './change.ts';
import type { IdentityDecision } from './standing.ts';

/** A record that is about another person than the account of its identification. */
export interface Stranger {
  /** `E105 was Ana Ruiz, born 1990-01-02; HR now calls E105 Jonas Weber`. Personal. */
  readonly words: string;
  /** Digest of the name that HR gives. */
  readonly nameDigest: string;
  /** A person decided that they are two. */
  readonly parted?: Pick<IdentityDecision, 'by'>;
}

/** Gives a change the class `identity`: it is in no other one, but for that of an edit. */
export function ofIdentity<Made extends { readonly change?: ChangeDraft }>(
  decision: Made,
  { words }: Pick<Stranger, 'words'>,
): Made {
  const { change } = decision;
  if (change === undefined) return decision;
  const classes = ['identity' as const, ...change.classes.filter((name) => name === 'configuration')];
  return { ...decision, change: { ...change, classes, reason: `${words}: ${change.reason}` } };
}
