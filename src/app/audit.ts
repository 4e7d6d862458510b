import type { Access } from '../core/guard/access.ts';
import { loosened, loosenedWords, safeguardsDigest, safeguardsOf } from '../core/guard/loosened.ts';
import { notFound, usageError } from '../core/run/errors.ts';
import { given } from '../core/run/given.ts';
import type { SyncSettings } from '../core/run/settings.ts';
import type { AuditEntry, AuditQuery, Store } from '../ports/store.ts';
import type { Session } from '../ports/store-operations.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { AppIo } from './app-io.ts';
import { findRun, storedName } from './find-named.ts';

/** The caller, for the audit. */
export interface Caller {
  /**
   * The identity: `user:` and the subject at the identity provider, `token:` and the name in `server.tokens`, or `shell:` and
   * the login of the machine.
   */
  readonly by: string;
  /** The name of the user that the provider shows. No rule depends on it. */
  readonly label?: string;
  /** What the identity proved. Absent: a login of this machine, which only the machine knows. */
  readonly proven?: Proven;
}

/** What an identity of the provider or of `server.tokens` may do, and its groups. */
export interface Proven {
  readonly access: Access;
  readonly groups: readonly string[];
}

/** Who asks, for the audit, and why. */
export interface SignedCaller extends Caller {
  readonly reason?: string;
  /** A name that the caller gave besides: a note in the audit, never the identity. */
  readonly as?: string;
}

/**
 * Throws `USAGE` where `approvals` ask for more than the caller gave: an identity that was proven, or a reason. `what`: for
 * the message, such as `an approval`.
 */
export function requireProven(
  { approvals }: Pick<EngineIo, 'approvals'>,
  { by, proven, reason }: SignedCaller,
  what: string,
): void {
  if (approvals === undefined) return;
  if (proven === undefined) {
    const message = `with "approvals", ${what} needs an identity of OpenID Connect or of "server.tokens", and ${by} is a login of this machine: set ROLLCALL_TOKEN to one of the tokens, or use the page`;
    throw usageError(message);
  }
  if (approvals.isReasonRequired && reason === undefined) {
    throw usageError(`with "approvals.reason: required", ${what} needs a reason: add --reason TEXT`);
  }
}

type Act = Pick<AuditEntry, 'action' | 'by'> &
  Partial<Pick<AuditEntry, 'sync' | 'connection' | 'run' | 'detail' | 'reason' | 'as' | 'label'>>;

type EntryIo = Pick<EngineIo, 'newId' | 'clock'>;

/** Returns an entry for the audit, dated now. An order may be among the parts of the act: only what an entry has is kept. */
export function auditEntry(act: Act, { newId, clock }: EntryIo): AuditEntry {
  const { action, by, label, sync, connection, run, detail, reason, as } = act;
  const about = { by, action, sync, connection, run, detail, ...given({ label, reason, as }) };
  return { id: newId('audit'), at: clock.now(), ...about };
}

/** Adds an entry to the audit, dated now. */
export async function note(act: Act, io: EntryIo & { readonly store: Pick<Store, 'audit'> }): Promise<void> {
  await io.store.audit.add(auditEntry(act, io));
}

interface SafeguardsIo extends Pick<EngineIo, 'approvals'>, EntryIo {
  readonly store: Pick<Store, 'baselines'>;
}

type ProtectedSync = Pick<SyncSettings, 'name' | 'guards' | 'protected'>;

/**
 * Returns the syncs whose safeguards are others than those with which a process last worked with an effect, and what lets pass
 * more since. Changes nothing.
 */
export async function changedSafeguards(syncs: readonly ProtectedSync[], { store, approvals, clock }: SafeguardsIo) {
  const known = await store.baselines.safeguards();
  return syncs.flatMap((sync) => {
    const safeguards = safeguardsOf(sync, approvals);
    const now = { sync: sync.name, digest: safeguardsDigest(safeguards), safeguards, at: clock.now() };
    const before = known.get(sync.name);
    if (before?.digest === now.digest) return [];
    return [{ before, now, loosened: before === undefined ? [] : loosened(before.safeguards, safeguards) }];
  });
}

/**
 * Stores the safeguards with which this process works, and says in log and audit what they let pass more than before. One
 * of several processes that start at once does so.
 */
export async function keepSafeguards(
  syncs: readonly ProtectedSync[],
  io: SafeguardsIo & Pick<EngineIo, 'logger'>,
): Promise<void> {
  for (const { before, now, loosened: all } of await changedSafeguards(syncs, io)) {
    const act = { action: 'loosen-safeguards', by: 'configuration', sync: now.sync } as const;
    const entry = all.length === 0 ? undefined : auditEntry({ ...act, detail: all.map(loosenedWords).join('; ') }, io);
    const isStored = await io.store.baselines.replaceSafeguards(before?.digest, now, entry);
    if (!isStored || entry === undefined) continue;
    io.logger.warn({ sync: now.sync }, 'safeguards are looser than in the last run: see "rollcall audit"');
  }
}

/**
 * Gives renamed syncs what the store keeps under their former names. Returns the names that are still in use, by the name of
 * the sync: if read-only, nothing is moved. Throws as `SyncNames.rename` does.
 */
export async function moveFormerNames(
  syncs: readonly { readonly name: string; readonly connection: string; readonly formerly?: string }[],
  io: Pick<EngineIo, 'store' | 'logger'> & EntryIo,
  { isReadOnly = false }: { readonly isReadOnly?: boolean },
): Promise<ReadonlyMap<string, string>> {
  const kept = new Map<string, string>();
  for (const { name: to, connection, formerly: from } of syncs) {
    if (from === undefined || !(await io.store.syncNames.isUsed({ from, to, connection }))) continue;
    if (isReadOnly) {
      kept.set(to, from);
      continue;
    }
    const act = { action: 'rename-sync', by: 'configuration', sync: to, detail: `was ${from}` } as const;
    await io.store.syncNames.rename({ from, to, connection }, auditEntry(act, io));
    io.logger.info({ sync: to, formerly: from }, 'the stored data of the former name moved to this sync');
  }
  return kept;
}

/** Lists entries of the audit, newest first. */
export async function findAudit(
  { engine: { store, syncs } }: AppIo,
  { run, ...asked }: AuditQuery,
): Promise<readonly AuditEntry[]> {
  const query = asked.sync === undefined ? asked : { ...asked, sync: storedName(asked.sync, syncs) };
  return store.audit.list(run === undefined ? query : { ...query, run: (await findRun(run, store)).id });
}

/** The part of a session's key that names it: it cannot be used to sign in, and is short enough to type. */
const idLength = 12;

interface OpenSession extends Omit<Session, 'key' | 'origin' | 'grants'> {
  readonly id: string;
}

/** Lists who is signed in to the page, the one used last first. A session that was idle for too long may be among them. */
export async function listSessions({ engine: { store, clock } }: AppIo): Promise<readonly OpenSession[]> {
  const now = clock.now();
  const open = (await store.sessions.list()).filter(({ expiresAt }) => expiresAt > now);
  return open.map(({ key, origin: _origin, grants: _grants, ...shown }) => ({ id: key.slice(0, idLength), ...shown }));
}

/** Ends one session by its id, or all of a user by the name. Returns those that were ended. Throws `NOT_FOUND`. */
export async function endSessions(app: AppIo, which: string, caller: SignedCaller): Promise<readonly OpenSession[]> {
  const { store } = app.engine;
  const ended = (await listSessions(app)).filter(({ id, name }) => id === which || name === which);
  if (ended.length === 0) {
    throw notFound(`no session has the id or the user ${which}: see "rollcall admin sessions"`);
  }
  for (const { key } of await store.sessions.list()) {
    const session = ended.find(({ id }) => key.startsWith(id));
    if (session === undefined || !(await store.sessions.end(key))) continue;
    await note({ ...caller, action: 'end-session', detail: `of ${session.name}` }, app.engine);
  }
  return ended;
}
