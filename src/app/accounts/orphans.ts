import { usageError } from '../../core/run/errors.ts';
import { countOf } from '../../core/run/formats.ts';
import type { OwnedUser } from '../../ports/store.ts';
import { leftOwners, orphaned } from '../../run/compare/neighbors.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { Orphans, OrphansMoved } from '../../views/people.ts';
import type { AppIo } from '../app-io.ts';
import { requireProven, type SignedCaller } from '../audit.ts';
import { findSync, requireOwner } from '../find-named.ts';
import { keepDecision, moveUsers } from './decisions.ts';

/** Returns the syncs that are not configured and still own enabled users, except those that an operator left. */
export async function findOrphans(io: Pick<EngineIo, 'store' | 'syncs' | 'clock'>): Promise<readonly Orphans[]> {
  const { store, syncs } = io;
  const found: Orphans[] = [];
  for (const [connection, some] of Map.groupBy(syncs.values(), ({ settings }) => settings.connection)) {
    const names = some.flatMap(({ settings: { name }, storedAs = name }) => [name, storedAs]);
    const owners = [...(await store.syncNames.owners(connection))].filter(([owner]) => !names.includes(owner));
    const left = owners.length === 0 ? new Set() : await leftOwners(connection, io);
    for (const [owner, users] of owners) {
      if (left.has(owner)) continue;
      found.push({ connection, owner, users, message: orphaned(names[0] ?? 'SYNC', owner, users).message });
    }
  }
  return found;
}

/** A request to move or leave the users of a sync that is not configured. */
export interface OrphansOrder {
  readonly sync: string;
  /** The sync that is not configured. */
  readonly from: string;
  /** Ends the alert about them without a move. Needs a reason. */
  readonly leaves: boolean;
}

/**
 * Returns what `moveOrphans` would do. Throws `USAGE` for a sync that is configured, that owns no users of the
 * connection, or that cannot take users.
 */
export async function previewOrphans(app: AppIo, order: OrphansOrder): Promise<OrphansMoved> {
  const { length: users } = await orphansOf(app, order);
  return { sync: order.sync, from: order.from, users };
}

async function orphansOf({ engine: io }: AppIo, { sync: name, from }: OrphansOrder): Promise<readonly OwnedUser[]> {
  const sync = findSync(name, io.syncs);
  const { connection } = sync.settings;
  if (io.syncs.has(from)) {
    const message = `sync ${from} is configured, so its users move only one by one: name them, or remove ${from} from the configuration`;
    throw usageError(message);
  }
  requireOwner(sync);
  const users: OwnedUser[] = [];
  for await (const entries of io.store.ledger.all(connection)) {
    for (const { identification, owner, removed } of entries) {
      if (owner === from && removed === undefined) users.push({ identification, owner });
    }
  }
  if (users.length > 0) return users;
  const message = `no user of connection ${connection} belongs to a sync named ${from}: check the spelling with "rollcall status"`;
  throw usageError(message);
}

/** Moves the users of a sync that is not configured to this sync, or leaves them as they are. Audited. */
export async function moveOrphans(app: AppIo, order: OrphansOrder & SignedCaller): Promise<OrphansMoved> {
  requireProven(app.engine, order, 'a decision about accounts');
  const { sync, from, leaves, reason } = order;
  const { engine: io } = app;
  const users = await orphansOf(app, order);
  const { connection } = findSync(sync, io.syncs).settings;
  if (leaves) {
    if (reason === undefined) {
      throw usageError('leaving users as they are requires a reason: add --reason TEXT');
    }
    await keepDecision({ connection, sync, way: 'leave', owner: from }, order, io);
    return { sync, from, users: users.length };
  }
  const detail = `${countOf(users.length, 'user')} of sync ${from}, which is not configured`;
  const moved = await moveUsers({ connection, sync, users, detail }, order, io);
  return { sync, from, users: moved.size };
}
