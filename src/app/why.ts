import type { MappingTrace } from '../core/mapping.ts';
import type { Person, RejectedPerson, SourceRecord } from '../core/person.ts';
import { decide, type SourceSays } from '../core/plan.ts';
import { certifySnapshot, type Snapshot } from '../core/snapshot.ts';
import type { User } from '../core/user.ts';
import type { EngineIo, Sync } from '../engine/engine-io.ts';
import { sayOf } from '../engine/source-says.ts';
import { blockedUsers } from '../engine/unresolved.ts';
import type { PersonTrace } from './app.ts';

/** Reads source, platform and ledger for one person, and returns what a run would decide and by which rule. */
export async function explainPerson(
  identification: string,
  sync: Sync,
  io: EngineIo,
  signal: AbortSignal,
): Promise<PersonTrace> {
  const { settings, mapping, platform } = sync;
  const now = io.clock.now();
  const records: { record: SourceRecord; trace: MappingTrace }[] = [];
  let unreadable = 0;
  const last = await io.store.reads.last(settings.name);
  const previous = last === undefined ? undefined : { rows: last.rows };
  const reading = sync.source.read({ kind: 'full' }, { clock: io.clock, logger: io.logger, signal, previous });
  let page = await reading.next();
  for (; page.done !== true; page = await reading.next()) {
    unreadable += page.value.broken.length;
    for (const record of page.value.records) {
      const mapped = await mapping.map(record, now);
      if (mapped.kind === 'unreadable') unreadable += 1;
      else if (mapped.identification === identification)
        records.push({ record, trace: await mapping.explain(record, now) });
    }
  }
  const snapshot = certifySnapshot({ kind: 'full', end: page.value, unreadable, readAt: now });
  const says = await sourceSays(identification, records, snapshot, sync, io);
  const lookup = await platform.find(identification, signal);
  const ledger = await io.store.ledger.get(settings.connection, identification);
  const user: User | undefined = lookup.found === true ? lookup.user : undefined;
  const decision = decide({ identification, source: says, user, ledger }, settings, now);
  const history = await io.store.plans.history(settings.name, identification, 20);
  return { identification, records, snapshot, says, lookup, ledger, decision, history };
}

async function sourceSays(
  identification: string,
  records: readonly { readonly trace: MappingTrace }[],
  snapshot: Snapshot,
  sync: Sync,
  io: EngineIo,
): Promise<SourceSays> {
  const { blocked } = await blockedUsers(sync, io);
  if (records.length > 1) {
    const reason = `${records.length} records of the source have this identification`;
    return { says: 'unusable', code: 'duplicate-key', reason };
  }
  const mapped = records[0]?.trace.mapped;
  const person: Person | RejectedPerson | undefined = mapped?.kind === 'unreadable' ? undefined : mapped;
  return sayOf(person, snapshot, blocked.has(identification));
}
