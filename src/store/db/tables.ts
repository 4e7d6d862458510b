import type { AuditAction, UnreadableValues } from '../../ports/store.ts';
import { keyOf, type Schema } from './database.ts';

/** The row of `store_keys` with the key of the hashes of forgotten people. */
export const personKeyName = 'forgotten';

type ColumnOf<Table extends keyof Schema> = keyof Schema[Table] & string;

/** States the owner of a column, and what happens to it when the person is forgotten or its key is lost. */
interface ColumnFacts {
  /** `person`: it names a person, or holds values of one. `secret`: a token, or a key. */
  readonly of: 'person' | 'secret';
  /**
   * How `forget` finds the person in it and what it leaves. `row`: the row is deleted. `mention`: a placeholder.
   * `unlisted`: the person is taken out of a stored scope. `null`: nothing. `own`: code of its own, see `person-records.ts`.
   */
  readonly forgotten?: 'row' | 'mention' | 'unlisted' | 'null' | 'own';
  /** Whether it is an identification as it is. Otherwise it is a text that may mention one. */
  readonly isExact?: true;
  /** Only a row with one of these actions mentions a person. The texts of others have counts, which look like short ones. */
  readonly actions?: readonly AuditAction[];
  /** `key ring`: sealed with the key of the store, when there is one. `vault`: sealed before the store gets it. */
  readonly sealedBy?: 'key ring' | 'vault';
  /** Only the row with this key is sealed. */
  readonly sealedIn?: string;
  /** What `dropUnreadable` does when no key opens it. Absent: nothing. `own`: see `sealing.ts`. */
  readonly lost?: 'null' | 'row' | 'own';
}

interface TableFacts<Table extends keyof Schema> {
  /** The column with the name of a sync that a row belongs to. */
  readonly sync?: ColumnOf<Table>;
  /** The columns that are not just facts about runs. */
  readonly columns?: { readonly [Name in ColumnOf<Table>]?: ColumnFacts };
  /** The part of `UnreadableValues` that counts its sealed rows. */
  readonly countedAs?: Exclude<keyof UnreadableValues, 'keyId'>;
  /** Every store has rows in it before anything was done with it, so they are no contents. */
  readonly isBookkeeping?: true;
  /** A restore empties it: what it holds is no longer true, or was sent since. */
  readonly isDroppedByRestore?: true;
}

const exactRow = { of: 'person', isExact: true, forgotten: 'row' } as const;
const mention = { of: 'person', forgotten: 'mention' } as const;
const scope = { of: 'person', forgotten: 'unlisted' } as const;
const token = { of: 'secret', sealedBy: 'vault' } as const;

/**
 * Each table: its owner, and to whom its columns belong. Forgetting and showing a person, sealing with a new key, counting what
 * no key opens, backup and restore read it here and have no lists of their own. In an order in which rows can be
 * inserted: a table comes after those to which it refers.
 */
export const tables: { readonly [Table in keyof Schema]: TableFacts<Table> } = {
  runs: { sync: 'sync', columns: { scope, reason: mention } },
  plans: { sync: 'sync' },
  holds: { sync: 'sync', columns: { reason: mention, held_before: mention } },
  hold_runs: {},
  batches: { sync: 'sync', columns: { reason: mention } },
  changes: {
    columns: {
      identification: { of: 'person', isExact: true, forgotten: 'own' },
      personal: { of: 'person', sealedBy: 'key ring', lost: 'own' },
      waits_for: { of: 'person', isExact: true, forgotten: 'null' },
      mark_reason: mention,
    },
    countedAs: 'changes',
  },
  plan_holds: { columns: { reason: mention } },
  findings: { columns: { identification: exactRow, message: mention, cause: mention } },
  corrections: { sync: 'sync', columns: { subject: exactRow, place: mention, owner: mention } },
  raw_texts: {
    // The rest of a text that names the person may be about the person too.
    columns: { sealed: { of: 'person', sealedBy: 'key ring', forgotten: 'row', lost: 'row' } },
    countedAs: 'rawTexts',
  },
  // Answers may name people. Without a profile, the next read is compared with none.
  reads: { sync: 'sync', columns: { profile: { of: 'person', sealedBy: 'key ring', lost: 'null' } } },
  triggers: { sync: 'sync', columns: { scope, scope_key: mention } },
  ledger: {
    sync: 'owner',
    columns: {
      identification: { of: 'person', isExact: true, forgotten: 'own' },
      hidden: { of: 'person', sealedBy: 'key ring', lost: 'null' },
      quirks: { of: 'person', sealedBy: 'key ring', lost: 'null' },
      leaders: { of: 'person', sealedBy: 'key ring', forgotten: 'own', lost: 'null' },
    },
    countedAs: 'ledger',
  },
  forgotten: { sync: 'owner' },
  store_keys: {
    columns: { value: { of: 'secret', sealedBy: 'key ring', sealedIn: personKeyName, lost: 'own' } },
    countedAs: 'forgotten',
    isBookkeeping: true,
  },
  standing_decisions: {
    sync: 'sync',
    columns: { identification: exactRow, other: exactRow, name_digest: { of: 'person' }, why: mention },
  },
  decisions: { sync: 'sync', columns: { identification: exactRow, why: mention } },
  leavers: { sync: 'sync', columns: { identification: exactRow } },
  baselines: {
    sync: 'sync',
    // Expressions may name people. Without a baseline, the next full run stores one.
    columns: { sealed: { of: 'person', sealedBy: 'key ring', lost: 'row' } },
  },
  // Without a roster and a watermark, the next run of each sync reads all people.
  rosters: { sync: 'sync', isDroppedByRestore: true },
  roster_pages: { sync: 'sync', isDroppedByRestore: true },
  // Hashes with the salt of the roster. `forget` deletes those of the person.
  standings: { sync: 'sync', isDroppedByRestore: true },
  watermarks: { sync: 'sync', isDroppedByRestore: true },
  directories: { sync: 'sync' },
  directory_pages: {
    sync: 'sync',
    // The next complete read writes a lost page again.
    columns: { sealed: { of: 'person', sealedBy: 'key ring', forgotten: 'own', lost: 'row' } },
    countedAs: 'directories',
  },
  previews: {
    sync: 'sync',
    // A preview is short-lived, and can be made again.
    columns: { scope: { of: 'person', forgotten: 'row' }, report: { of: 'person', forgotten: 'row' } },
    isDroppedByRestore: true,
  },
  tokens: { columns: { refresh_sealed: token, access_sealed: token }, countedAs: 'tokens' },
  alert_states: { columns: { state: mention } },
  alert_deliveries: { columns: { body: mention } },
  mailed_reports: {},
  pauses: { sync: 'sync' },
  learned: {},
  audit: {
    sync: 'sync',
    columns: { detail: { ...mention, actions: ['adopt', 'decide-accounts'] }, why: mention },
  },
  audit_heads: {},
  // The public part still proves what it signed, and the next key signs.
  signing_keys: { columns: { sealed: { of: 'secret', sealedBy: 'key ring', lost: 'null' } } },
  restores: {},
  // Users sign in again: their roles may have changed since.
  sessions: { isDroppedByRestore: true },
  store_identity: { isBookkeeping: true },
  // Another disk has other room.
  leases: { isBookkeeping: true },
  turns: { isBookkeeping: true, isDroppedByRestore: true },
  observations: { isBookkeeping: true, isDroppedByRestore: true },
  clock_marks: { isBookkeeping: true, isDroppedByRestore: true },
  clock_jumps: { isBookkeeping: true },
  schema_compatibility: { isBookkeeping: true },
};

/** In the order of their declaration. */
export const declaredTables = Object.keys(tables) as readonly (keyof Schema)[];

export function isDeclared(table: string): table is keyof Schema {
  return Object.hasOwn(tables, table);
}

/** A column with its declaration, without the types of its table. */
export interface DeclaredColumn extends ColumnFacts {
  readonly table: keyof Schema;
  readonly name: string;
}

/** Returns the columns of a table that are a person's or a secret, in order of declaration. */
export function declaredColumns(table: keyof Schema): readonly DeclaredColumn[] {
  const columns: Readonly<Record<string, ColumnFacts | undefined>> = tables[table].columns ?? {};
  return Object.entries(columns).flatMap(([name, facts]) => (facts === undefined ? [] : [{ ...facts, table, name }]));
}

/** The place of a sealed value: a text that was sealed for one place cannot be opened as another. */
export function placeOf<Table extends keyof Schema>(
  table: Table,
  column: ColumnOf<Table>,
  row: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify([table, ...keyOf(table).map((name) => row[name]), column]);
}
