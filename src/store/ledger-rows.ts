import type { FieldValues } from '../core/fields.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import { RowWriter } from './row-writer.ts';
import type { LedgerRow } from './schema.ts';

/** Writes entries and overwrites existing ones. */
export function createLedgerWriter(): RowWriter<'ledger', LedgerRow> {
  return new RowWriter('ledger', (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['connection', 'identification']).doUpdateSet((eb) => ({
        owner: eb.ref('excluded.owner'),
        account_id: eb.ref('excluded.account_id'),
        hidden: eb.ref('excluded.hidden'),
        quirks: eb.ref('excluded.quirks'),
        unverified: eb.ref('excluded.unverified'),
        disabled_at: eb.ref('excluded.disabled_at'),
        gone_since: eb.ref('excluded.gone_since'),
        miss_count: eb.ref('excluded.miss_count'),
        miss_since: eb.ref('excluded.miss_since'),
        miss_stamp: eb.ref('excluded.miss_stamp'),
        hand_over_since: eb.ref('excluded.hand_over_since'),
        taken_from: eb.ref('excluded.taken_from'),
        taken_at: eb.ref('excluded.taken_at'),
        removed_at: eb.ref('excluded.removed_at'),
        removed_blacklist: eb.ref('excluded.removed_blacklist'),
        written_at: eb.ref('excluded.written_at'),
      })),
    ),
  );
}

/** Returns one row per user. The last entry wins, and no statement may write the same row twice. */
export function toLedgerRows(connection: string, entries: readonly LedgerEntry[]): LedgerRow[] {
  const byName = new Map(entries.map((entry) => [entry.identification, entry]));
  return [...byName.values()].map((entry) => toRow(connection, entry));
}

function toRow(connection: string, entry: LedgerEntry): LedgerRow {
  return {
    connection,
    identification: entry.identification,
    owner: entry.owner,
    account_id: entry.accountId ?? null,
    hidden: toText(entry.hidden),
    quirks: toText(entry.quirks),
    unverified: entry.unverified,
    disabled_at: entry.disabledAt ?? null,
    gone_since: entry.goneSince ?? null,
    miss_count: entry.misses?.count ?? null,
    miss_since: entry.misses?.since ?? null,
    miss_stamp: entry.misses?.stamp ?? null,
    hand_over_since: entry.handOverSince ?? null,
    taken_from: entry.taken?.from ?? null,
    taken_at: entry.taken?.at ?? null,
    removed_at: entry.removed?.at ?? null,
    removed_blacklist: entry.removed === undefined ? null : Number(entry.removed.blacklist),
    written_at: entry.writtenAt ?? null,
  };
}

function toText(values: object): string | null {
  const text = JSON.stringify(values);
  return text === '{}' ? null : text;
}

export function toLedgerEntry(row: LedgerRow): LedgerEntry {
  const entry: { -readonly [K in keyof LedgerEntry]: LedgerEntry[K] } = {
    identification: row.identification,
    owner: row.owner,
    hidden: row.hidden === null ? {} : (JSON.parse(row.hidden) as FieldValues),
    quirks: row.quirks === null ? {} : (JSON.parse(row.quirks) as LedgerEntry['quirks']),
    unverified: row.unverified,
  };
  if (row.account_id !== null) entry.accountId = row.account_id;
  if (row.disabled_at !== null) entry.disabledAt = Number(row.disabled_at);
  if (row.gone_since !== null) entry.goneSince = Number(row.gone_since);
  if (row.miss_count !== null && row.miss_since !== null && row.miss_stamp !== null) {
    entry.misses = { count: row.miss_count, since: Number(row.miss_since), stamp: row.miss_stamp };
  }
  if (row.hand_over_since !== null) entry.handOverSince = Number(row.hand_over_since);
  if (row.taken_from !== null) entry.taken = { from: row.taken_from, at: Number(row.taken_at) };
  if (row.removed_at !== null) {
    entry.removed = { at: Number(row.removed_at), blacklist: row.removed_blacklist === 1 };
  }
  if (row.written_at !== null) entry.writtenAt = Number(row.written_at);
  return entry;
}
