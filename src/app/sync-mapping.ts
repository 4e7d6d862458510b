import { classAllowance } from '../core/guard/guard.ts';
import type { FieldName } from '../core/person/fields.ts';
import type { MappingStep } from '../core/person/mapping.ts';
import { type ChangeClass, changeClasses } from '../core/plan/change.ts';
import type { FieldRule, Threshold } from '../core/run/settings.ts';
import type { EngineIo, Sync } from '../run/engine-io.ts';
import { appliedInWindow } from '../run/judge/count-changes.ts';
import { trySource } from './try-source.ts';

/** The mapping of a sync, with what the last accepted complete read showed. */
export interface SyncMapping {
  readonly sync: string;
  readonly source: string;
  readonly fields: readonly MappedField[];
  readonly scope: string | undefined;
  /** Undefined: no complete read was accepted yet. */
  readonly read: { readonly at: number; readonly rows: number } | undefined;
  readonly guards: readonly GuardUse[];
  /** Users that the sync owns, and those of them whom we have not disabled. */
  readonly managed: number;
  readonly enabled: number;
}

export interface MappedField {
  readonly field: 'identification' | FieldName;
  readonly rule: FieldRule;
  /** Source fields that the rule reads. */
  readonly reads: readonly string[];
  /** Share of people with a value, 0 to 1. Undefined: not known. */
  readonly fillRate: number | undefined;
  /** The fields of `reads` that no record of the read showed. */
  readonly unseen: readonly string[];
}

/** How much of a guard's limit is used. */
export interface GuardUse {
  readonly class: ChangeClass;
  readonly threshold: Threshold;
  /** How many changes pass in 24 hours without approval. */
  readonly allowed: number;
  /** Changes of the last 24 hours without approval. */
  readonly used: number;
}

/** Values of the first records of a source, after the mapping. Personal data. */
export interface MappingSamples {
  readonly rows: number;
  readonly records: readonly { readonly at: string; readonly steps: readonly MappingStep[] }[];
}

export async function describeMapping(sync: Sync, io: EngineIo): Promise<SyncMapping> {
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
export async function sampleMapping(sync: Sync, io: EngineIo, signal: AbortSignal): Promise<MappingSamples> {
  const { rows, people } = await trySource(sync, { shown: shownRecords, limit: shownRecords }, io, signal);
  return { rows, records: people.map(({ at, trace }) => ({ at, steps: trace.steps })) };
}
