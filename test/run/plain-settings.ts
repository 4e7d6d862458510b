import { createExpressions } from '../../src/config/expressions.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { defaultGuards, type FieldRule, type SyncSettings } from '../../src/core/run/settings.ts';

const from = (path: string, whenEmpty: FieldRule['whenEmpty'] = 'keep'): FieldRule => {
  return { kind: 'from', path, transform: [], format: undefined, whenEmpty };
};

const unlimited = { absolute: 1_000_000, percent: 100, cap: undefined };

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
  lifecycle: {
    status: 'status',
    active: ['active'],
    leaver: ['left'],
    hireDate: 'hired',
    leaveDate: 'leaves',
    dateFormat: undefined,
    leavesBy: undefined,
    timezone: undefined,
  },
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
  },
};

export function compilePlainMapping(settings: SyncSettings) {
  return compileMapping(settings.mapping, settings.lifecycle, settings, { expressions: createExpressions() });
}
