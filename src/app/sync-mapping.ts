import { classAllowance } from '../core/guard/guard.ts';
import { changeClasses } from '../core/plan/change.ts';
import { appliedInWindow } from '../run/judge/count-changes.ts';
import type { MappingSamples, SyncMapping } from '../views/syncs.ts';
import type { AppIo } from './app-io.ts';
import { findSync } from './find-named.ts';
import { readTrial } from './try-source.ts';

/** Describes the mapping and the guards of a sync. */
export async function describeMapping({ engine: io }: AppIo, of: string): Promise<SyncMapping> {
  const sync = findSync(of, io.syncs);
  const { settings, mapping, source } = sync;
  const { name, connection } = settings;
  const { store } = io;
  const [read, users, used] = await Promise.all([
    store.reads.last(name),
    store.ledger.countOwned(connection, name),
    appliedInWindow(sync, io),
  ]);
  const { identification, fields } = settings.mapping;
  const rules = [
    ['identification', identification] as const,
    ...mapping.fields.flatMap((field) => {
      const rule = fields[field];
      return rule === undefined ? [] : [[field, rule] as const];
    }),
  ];
  return {
    sync: name,
    source: source.kind,
    scope: settings.scope,
    read: read && { at: read.at, rows: read.rows },
    fields: rules.map(([field, rule]) => {
      const reads = [...mapping.readers].filter(([, keys]) => keys.includes(field)).map(([path]) => path);
      return {
        field,
        rule,
        reads,
        fillRate: field === 'identification' ? undefined : read?.fillRates[field],
        unseen: reads.filter((path) => read?.visibility?.[path] === false),
      };
    }),
    guards: changeClasses.map((one) => ({
      class: one,
      threshold: settings.guards[one],
      allowed: classAllowance(one, settings.guards[one], users),
      used: used[one],
    })),
    ...users,
  };
}

const shownRecords = 5;

/** Reads the first records of the source. Stores nothing but tokens. */
export async function readSamples(io: AppIo, sync: string, signal: AbortSignal): Promise<MappingSamples> {
  const { rows, people } = await readTrial(io, sync, {
    shown: shownRecords,
    limit: shownRecords,
    progress: io.engine.progress,
    signal,
  });
  return { rows, records: people.map(({ at, trace }) => ({ at, steps: trace.steps })) };
}
