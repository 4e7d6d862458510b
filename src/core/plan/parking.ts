import type { FieldName, FieldValues } from '../person/fields.ts';
import type { User } from '../person/user.ts';
import { diffFields, withKnown } from './diff.ts';
import type { LedgerEntry } from './ledger.ts';

/** The parking address of a leaver's account whose e-mail an active employee is to get. */
export interface Parking {
  readonly email: string;
  /** Who gets the e-mail. */
  readonly claimant: string;
}

/**
 * Returns the fields of the write that parks the account; undefined when it needs none, or none is possible: every write
 * needs both names. `carried`: mapped fields that every write must carry.
 */
export function parkingWrite(
  { email }: Parking,
  user: User,
  entry: LedgerEntry,
  carried: readonly FieldName[] = [],
): FieldValues | undefined {
  const { firstName = '', lastName = '' } = user.fields;
  const { changed } = diffFields({ email }, user, entry, 'write');
  if (changed.length === 0 || firstName === '' || lastName === '') return undefined;
  return withKnown({ firstName, lastName, email }, user, entry, carried);
}
