import type { SyncConfig } from '../../src/config/config.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { configurationOf } from '../../src/config/fingerprint.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { defaultDialect, defaultGuards, type FieldRule, type SyncSettings } from '../../src/core/run/settings.ts';
import type { Sync } from '../../src/run/engine-io.ts';

const from = (path: string, whenEmpty: FieldRule['whenEmpty'] = 'keep'): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty };
};

const unlimited = { absolute: 1_000_000, percent: 100, cap: undefined };

export const plainLifecycle: NonNullable<SyncSettings['lifecycle']> = {
  status: 'status',
  active: ['active'],
  leaver: ['left'],
  hireDate: 'hired',
  leaveDate: 'leaves',
  dateFormat: undefined,
  leavesBy: undefined,
  timezone: undefined,
};

/** A sync of a few fields of every sort, whose guards hold nothing. */
export const plainSettings: SyncSettings = {
  name: 'people',
  connection: 'acme',
  policy: 'sync',
  delivery: 'auto',
  batchRows: 1000,
  mapping: {
    identification: from('id'),
    fields: {
      email: from('email'),
      firstName: from('first'),
      lastName: from('last'),
      area: from('area', 'clear'),
      birthDate: from('born', 'clear'),
      job: from('job'),
      seniority: from('seniority', 'clear'),
    },
  },
  scope: "type != 'guest'",
  match: ['identification', 'email'],
  lifecycle: plainLifecycle,
  missing: { afterReads: 2, minAgeMs: 3_600_000 },
  outOfScope: 'ignore',
  firstSight: 'write',
  foreignDisable: 'report',
  protected: [],
  remove: 'never',
  handOver: { maxAgeMs: 86_400_000 },
  settle: {
    everyMs: 1000,
    deadlineMs: 1000,
    visibleWithinMs: 1000,
    unknownAfterMs: 1000,
    maxSplits: 1,
    proofWithinMs: 1000,
    lookWithinMs: 1000,
  },
  guards: {
    ...defaultGuards,
    creates: unlimited,
    updates: unlimited,
    emailChanges: unlimited,
    firstSight: unlimited,
    enables: unlimited,
    disables: unlimited,
    removes: unlimited,
    handOvers: unlimited,
    configuration: unlimited,
  },
};

export function compilePlainMapping(settings: SyncSettings) {
  return compileMapping(settings.mapping, settings.lifecycle, settings, { expressions: createExpressions() });
}

/** What the sync's baseline is compared with. `identity`: of the source. */
export function configured(
  settings: SyncSettings,
  { identity = 's1', dialect = defaultDialect } = {},
): Pick<Sync, 'configuration' | 'compile' | 'mappingText' | 'withMapping'> {
  const source = { kind: 'csv', fingerprint: 'f1', identity, open: () => undefined as never };
  const compile: Sync['compile'] = (of) => {
    return compileMapping(of.mapping, of.lifecycle, of, { expressions: createExpressions() });
  };
  const configuration = configurationOf({ ...settings, source } satisfies SyncConfig, dialect);
  const withMapping = () => Promise.reject(new Error('nothing here edits a mapping'));
  return { configuration, compile, mappingText: () => '', withMapping };
}
