import { given } from '../core/run/given.ts';
import type { AuditEntry, AuditQuery, Store } from '../ports/store.ts';
import type { EngineIo } from '../run/engine-io.ts';
import type { AppIo } from './app-io.ts';
import { findRun } from './find-named.ts';

/** The caller, for the audit: the name given with `--as`, the name of a server token, or the operator's login. */
export interface Caller {
  readonly by: string;
}

/** A command that is signed in a name other than the caller's, with a reason; the audit stores both. */
export type SignedOrder<Order = object> = Order & { readonly reason?: string; readonly via?: string };

/** Who asks, for the audit. */
export type SignedCaller = SignedOrder<Caller>;

/** The parts of a signed order that the audit keeps. */
export function signature({ reason, via }: SignedOrder) {
  return given({ reason, via });
}

/** Who the audit names, and the parts that a signed order has beside it. `name`: of the token or login that was used. */
export function signedBy(name: string, as: string | undefined, reason: string | undefined) {
  const by = as ?? name;
  return { by, signed: given({ reason, via: by === name ? undefined : name }) };
}

type Act = Pick<AuditEntry, 'action' | 'by'> &
  Partial<Pick<AuditEntry, 'sync' | 'connection' | 'run' | 'detail' | 'reason' | 'via'>>;

type EntryIo = Pick<EngineIo, 'newId' | 'clock'>;

/** Returns an entry for the audit, dated now. */
export function auditEntry(act: Act, { newId, clock }: EntryIo): AuditEntry {
  const { action, by, sync, connection, run, detail, ...signed } = act;
  return { id: newId('audit'), at: clock.now(), by, action, sync, connection, run, detail, ...signed };
}

/** Adds an entry to the audit, dated now. */
export async function note(act: Act, io: EntryIo & { readonly store: Pick<Store, 'audit'> }): Promise<void> {
  await io.store.audit.add(auditEntry(act, io));
}

/** Lists entries of the audit, newest first. */
export async function findAudit(
  { engine: { store } }: AppIo,
  { run, ...query }: AuditQuery,
): Promise<readonly AuditEntry[]> {
  return store.audit.list(run === undefined ? query : { ...query, run: (await findRun(run, store)).id });
}
