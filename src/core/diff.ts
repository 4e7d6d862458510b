import { type FieldName, type FieldValues, fieldTable } from './fields.ts';
import type { LedgerEntry } from './ledger.ts';
import type { User } from './user.ts';

/** How often write-only values are sent without a sign that they were taken before they are assumed to stand. */
export const maxUnverifiedSends = 3;

export interface Difference {
  /** Fields to write, in the order of the field table. */
  readonly changed: readonly FieldName[];
  /** Those of `changed` that are written only because nobody knows what the platform holds. */
  readonly firstSight: readonly FieldName[];
  /** Unobservable fields taken as equal without knowing (`firstSight: assume`, or sent often enough). */
  readonly assumed: FieldValues;
}

/**
 * Three-way diff of one user: what is wanted, what the platform shows, what the ledger remembers.
 *
 * | field                        | equal when                                                    |
 * |------------------------------|---------------------------------------------------------------|
 * | readable, understood         | shown = wanted, or the ledger knows that wanted is shown so   |
 * | write-only, or not understood | the ledger says that wanted was written and believed         |
 * | the same, ledger knows nothing | never at first sight, unless `firstSight` is `assume`       |
 */
export function diffFields(
  wanted: FieldValues,
  user: User,
  ledger: LedgerEntry | undefined,
  firstSight: 'write' | 'assume',
): Difference {
  const changed: FieldName[] = [];
  const unknown: FieldName[] = [];
  const assumed: Partial<Record<FieldName, string>> = {};
  for (const { name, isReadable } of fieldTable) {
    const value = wanted[name];
    if (value === undefined) continue;
    if (isReadable && !user.unreadable.includes(name)) {
      if (!isShownAsWanted(value, user.fields[name] ?? '', ledger?.quirks[name])) changed.push(name);
      continue;
    }
    const written = ledger?.hidden[name];
    if (written === undefined) {
      if (firstSight === 'assume') assumed[name] = value;
      else {
        changed.push(name);
        unknown.push(name);
      }
    } else if (written !== value) changed.push(name);
    else if (ledger !== undefined && ledger.unverified > 0) {
      if (ledger.unverified >= maxUnverifiedSends) assumed[name] = value;
      else changed.push(name);
    }
  }
  return { changed, firstSight: unknown, assumed };
}

function isShownAsWanted(
  wanted: string,
  shown: string,
  quirk: { readonly sent: string; readonly observed: string } | undefined,
): boolean {
  return wanted === shown || (quirk !== undefined && quirk.sent === wanted && quirk.observed === shown);
}
