import type { EngineIo } from '../engine/engine-io.ts';
import type { AuditEntry } from '../ports/store.ts';

type Act = Pick<AuditEntry, 'action' | 'by'> &
  Partial<Pick<AuditEntry, 'sync' | 'connection' | 'run' | 'detail' | 'reason' | 'via'>>;

/** Adds an entry to the audit, dated now. */
export async function note({ action, by, sync, connection, run, detail, ...signed }: Act, io: EngineIo): Promise<void> {
  const [id, at] = [io.newId('audit'), io.clock.now()];
  await io.store.audit.add({ id, at, by, action, sync, connection, run, detail, ...signed });
}
