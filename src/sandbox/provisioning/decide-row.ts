import type { FieldValues } from '../../core/person/fields.ts';
import { type Account, filled } from '../people/account.ts';
import type { SandboxQuirks } from '../quirks.ts';
import type { FileRow } from './read-csv.ts';

/** The effect of a row on its user. */
export type RowEffect =
  | { readonly kind: 'create'; readonly fields: FieldValues }
  | { readonly kind: 'update' | 'enable'; readonly account: Account; readonly fields: FieldValues }
  | { readonly kind: 'disable'; readonly account: Account }
  | { readonly kind: 'bad'; readonly reason: string };

export interface RowSurroundings {
  readonly account: Account | undefined;
  readonly isBlacklisted: boolean;
  readonly quirks: Pick<SandboxQuirks, 'emptyCell' | 'enableBy'>;
}

/**
 * Decides one row (contract, "States and transitions"): I creates, U updates, D disables. A row of a full file creates or
 * updates. A quirk defines whether I or U enables a disabled user.
 */
export function decideRow(row: FileRow, { account, isBlacklisted, quirks }: RowSurroundings): RowEffect {
  if (row.problem !== undefined) return bad(row.problem);
  if (row.command === 'D') return account === undefined ? bad('there is no such user') : { kind: 'disable', account };
  if (account === undefined) {
    if (row.command === 'U') return bad('there is no such user');
    return decideCreate(row, isBlacklisted);
  }
  const enables = !account.enabled && quirks.enableBy === (row.command ?? 'U');
  if (row.command === 'I' && !enables) return bad('the user already exists');
  const fields = quirks.emptyCell === 'clears' ? row.fields : filled(row.fields);
  if (fields.firstName?.trim() === '' || fields.lastName?.trim() === '')
    return bad('firstName and lastName cannot be cleared');
  return { kind: enables ? 'enable' : 'update', account, fields };
}

function decideCreate(row: FileRow, isBlacklisted: boolean): RowEffect {
  if (isBlacklisted) return bad('the user is blacklisted');
  const { firstName = '', lastName = '' } = row.fields;
  if (firstName.trim() === '' || lastName.trim() === '') return bad('firstName and lastName are required');
  return { kind: 'create', fields: filled(row.fields) };
}

function bad(reason: string): RowEffect {
  return { kind: 'bad', reason };
}
