import { conflict, type ErrorCode, notFound, RollcallError, usageError } from '../core/run/errors.ts';
import type { Run, Store } from '../ports/store.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';

/** Returns the named sync. Throws `USAGE`, or another code, with the configured names. */
export function findSync<Sync>(name: string, syncs: ReadonlyMap<string, Sync>, code: ErrorCode = 'USAGE'): Sync {
  const sync = syncs.get(name);
  if (sync !== undefined) return sync;
  const message = `no sync is called ${name}; the configuration has: ${[...syncs.keys()].join(', ')}`;
  throw new RollcallError(message, { code });
}

/** Throws `USAGE` for a sync that cannot own users. */
export function requireOwner({ settings: { name, delivery } }: Sync): void {
  if (delivery === 'outbox') throw usageError(`sync ${name} has delivery: outbox, so it owns no users`);
}

/**
 * Returns the named sync as the store has it: under its former name, until a command with an effect moves what is kept
 * under it. Throws as `findSync` does.
 */
export function asStored(engine: EngineIo, name: string): { readonly engine: EngineIo; readonly sync: Sync } {
  const sync = findSync(name, engine.syncs);
  const { storedAs } = sync;
  if (storedAs === undefined) return { engine, sync };
  const former = { ...sync, settings: { ...sync.settings, name: storedAs } };
  const others = [...engine.syncs].filter(([one]) => one !== name);
  return { engine: { ...engine, syncs: new Map([...others, [storedAs, former]]) }, sync: former };
}

/** Returns the name under which the store keeps what is the sync's. One that is not configured has its own. */
export function storedName(name: string, syncs: EngineIo['syncs']): string {
  return syncs.get(name)?.storedAs ?? name;
}

/** Returns the names under which the store keeps what is the configured syncs'. */
export function storedNames(syncs: EngineIo['syncs']): readonly string[] {
  return [...syncs.keys()].map((name) => storedName(name, syncs));
}

/** Returns the named connection; without a name the only one. Throws `USAGE` with the configured names. */
export function findConnection<Connection>(
  name: string | undefined,
  connections: ReadonlyMap<string, Connection>,
): Connection {
  const known = [...connections.keys()].join(', ');
  if (name === undefined && connections.size > 1) {
    throw usageError(`name one of the connections: ${known}`);
  }
  const connection = name === undefined ? [...connections.values()][0] : connections.get(name);
  if (connection !== undefined) return connection;
  throw usageError(`no connection is called ${name ?? ''}; the configuration has: ${known}`);
}

const searchedRuns = 500;

/**
 * Returns a run by its id, or by a part of it that only one recent run has. Throws `NOT_FOUND`, or `CONFLICT` when
 * several runs match.
 */
export async function findRun(id: string, store: Store): Promise<Run> {
  const exact = await store.runs.get(id);
  if (exact !== undefined) return exact;
  const recent = await store.runs.list({ limit: searchedRuns });
  const found = recent.filter((run) => run.id.endsWith(id) || run.id.startsWith(id) || run.id.startsWith(`run_${id}`));
  const [only, ...others] = found;
  if (only === undefined) throw notFound(`there is no run ${id}: see "rollcall runs"`);
  if (others.length > 0) {
    throw conflict(`${found.length} runs match ${id}: enter more characters of the id`);
  }
  return only;
}
