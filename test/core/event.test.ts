import { expect, it } from 'vitest';
import type { Change } from '../../src/core/plan/change.ts';
import { countedAs, eventOf } from '../../src/core/plan/event.ts';

const before = (fields: object, hidden: object = {}) => ({ userId: '1', enabled: true, fields, hidden });
const update = (fields: object, after: object, more: object = {}) => ({
  ...{ kind: 'update', rule: 'active-update', classes: ['updates'], changed: Object.keys(after), after },
  ...{ before: before(fields), ...more },
});
const whole = (kind: string, rule: string, more: object = {}) => ({
  ...{ kind, rule, classes: [`${kind}s`], changed: [], after: {}, before: undefined, ...more },
});

it.each([
  ['a new account', 'joiner', whole('create', 'active-create')],
  ['a new account for one who had one', 'returner', whole('create', 'active-create', { returns: true })],
  ['accounts that are gone and made again', 'upkeep', whole('create', 'active-create', { classes: ['recreate'] })],
  ['an account that is enabled', 'returner', whole('enable', 'active-enable')],
  ['an enable by an undo', 'upkeep', whole('enable', 'undo-disable')],
  ['a leaver', 'leaver', whole('disable', 'leaver-enabled')],
  ['a person who is missing', 'leaver', whole('disable', 'missing-disable')],
  ['a person out of scope', 'upkeep', whole('disable', 'out-of-scope')],
  ['an edit of the scope', 'upkeep', whole('disable', 'leaver-enabled', { classes: ['disables', 'configuration'] })],
  ['a removal after the disable', 'upkeep', whole('remove', 'leaver-remove')],
  ['a leader', 'leader', whole('lead', 'leaders-lead')],
  ['another area', 'mover', update({ area: 'A' }, { area: 'B' })],
  ['another area, and a first write', 'mover', update({ area: 'A' }, { area: 'B', job: 'X' })],
  ['another job', 'mover', update({}, { job: 'Y' }, { before: before({}, { job: 'X' }) })],
  ['a first write alone', 'firstWrite', update({}, { job: 'X' })],
  ['an area where none was', 'update', update({ area: '' }, { area: 'B' })],
  ['another name', 'update', update({ firstName: 'Ana' }, { firstName: 'Anna' })],
  ['another name, and a first write', 'update', update({ firstName: 'Ana' }, { firstName: 'Anna', job: 'X' })],
  ['an area by an edit', 'upkeep', update({ area: 'A' }, { area: 'B' }, { classes: ['updates', 'configuration'] })],
  ['the parked e-mail of a leaver', 'upkeep', update({ email: 'a@x' }, { email: 'p@x' }, { rule: 'leaver-parked' })],
])('%s is counted as %s', (_name, event, change) => {
  expect(eventOf(change as unknown as Change)).toBe(event);
});

it.each([
  ['leaver', { state: 'applied', appliedAt: 1 }, undefined],
  ['leaver', { state: 'failed', appliedAt: 1 }, undefined],
  ['leaver', { state: 'unverified' }, undefined],
  ['failed', { state: 'failed' }, undefined],
  ['held', { state: 'held' }, { state: 'open', endedAt: undefined, run: undefined }],
  ['withdrawn', { state: 'held' }, { state: 'open', endedAt: 5, run: undefined }],
  ['rejected', { state: 'dropped' }, { state: 'rejected', endedAt: 5, run: undefined }],
  ['undone', { state: 'dropped' }, { state: 'rejected', endedAt: 5, run: 'run_2' }],
] as const)('a report counts it as %s', (name, change, decision) => {
  expect(countedAs('leaver', change, decision)).toBe(name);
});
