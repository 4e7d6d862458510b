import type { EngineIo, Sync } from '../engine/engine-io.ts';
import { explain } from '../engine/explain.ts';
import type { PersonTrace } from './app.ts';

/** Says what the next whole run decides about one person, by which rule and from what, and what keeps it from doing it. */
export async function explainPerson(
  identification: string,
  sync: Sync,
  io: EngineIo,
  signal: AbortSignal,
): Promise<PersonTrace> {
  const { name, connection } = sync.settings;
  const now = io.clock.now();
  const { records, subject, ...explained } = await explain(identification, sync, io, signal);
  const traced = records.map(async ({ record }) => ({ record, trace: await sync.mapping.explain(record, now) }));
  const user = subject?.user;
  const lookup =
    user === undefined ? await sync.platform.find(identification, signal) : ({ found: true, user } as const);
  return {
    identification,
    ...explained,
    records: await Promise.all(traced),
    says: subject?.source,
    lookup,
    ledger: await io.store.ledger.get(connection, identification),
    history: await io.store.plans.history(name, identification, 20),
  };
}
