import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { chunk } from '../core/batch.ts';
import type { HoldFacts, HoldRecord } from '../ports/store.ts';
import type { HoldRow } from './schema.ts';

/** Number of hashes that are sorted before other work of this process gets a turn. */
const sortedPerTurn = 10_000;

/** A hold row without its hashes, which may be megabytes. */
export type HoldFactsRow = Omit<Selectable<HoldRow>, 'hashes'>;

export const holdFacts = [
  'holds.id',
  'holds.sync',
  'holds.run',
  'holds.class',
  'holds.reason',
  'holds.digest',
  'holds.hashes_key',
  'holds.held_at',
  'holds.expires_at',
  'holds.state',
] as const;

export function toFacts(row: HoldFactsRow): HoldFacts {
  return {
    id: row.id,
    sync: row.sync,
    run: row.run,
    class: row.class,
    reason: row.reason,
    digest: row.digest,
    heldAt: Number(row.held_at),
    expiresAt: Number(row.expires_at),
    state: row.state,
  };
}

/** Returns each hash once, in order. Sorts by prefix, so that other work of this process gets a turn in between. */
async function sorted(hashes: readonly string[]): Promise<string[]> {
  const groups = new Map<string, Set<string>>();
  for (const [i, hash] of hashes.entries()) {
    const beginning = hash.slice(0, 2);
    const group = groups.get(beginning);
    if (group === undefined) groups.set(beginning, new Set([hash]));
    else group.add(hash);
    if ((i + 1) % sortedPerTurn === 0) await nextTurn();
  }
  const all: string[] = [];
  let turn = sortedPerTurn;
  for (const beginning of [...groups.keys()].sort()) {
    for (const hash of [...(groups.get(beginning) ?? [])].sort()) all.push(hash);
    if (all.length < turn) continue;
    turn = all.length + sortedPerTurn;
    await nextTurn();
  }
  return all;
}

/** Returns the same key for the same hashes in the same order. */
async function keyOf(hashes: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const [i, some] of chunk(hashes, sortedPerTurn).entries()) {
    hash.update(`${i === 0 ? '' : ','}${some.join()}`);
    await nextTurn();
  }
  return hash.digest('base64url');
}

export async function toRow(hold: HoldRecord): Promise<HoldRow> {
  const hashes = await sorted(hold.hashes);
  const hashesKey = await keyOf(hashes);
  const text = JSON.stringify(hashes);
  await nextTurn();
  return {
    id: hold.id,
    sync: hold.sync,
    run: hold.run,
    class: hold.class,
    reason: hold.reason,
    digest: hold.digest,
    hashes: text,
    hashes_key: hashesKey,
    held_at: hold.heldAt,
    expires_at: hold.expiresAt,
    state: hold.state,
  };
}
