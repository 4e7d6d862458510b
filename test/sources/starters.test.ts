import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileLifecycle, statusField } from '../../src/core/person/lifecycle.ts';
import type { LifecycleSettings } from '../../src/core/run/settings.ts';
import { parseSource, sourceKinds } from '../../src/sources/registry.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

/** Factorial's answers hold no first day; its starter says what to do where they do. */
const starters = sourceKinds.flatMap(({ starters: all }) => all).filter(({ name }) => name !== 'factorial');
const withLastDay = starters.flatMap(({ name, mapping }) => {
  const { lifecycle } = parse(mapping) as { readonly lifecycle: Partial<LifecycleSettings> };
  return lifecycle.leaveDate === undefined ? [] : [{ name, lifecycle }];
});

it.each(withLastDay)('$name: whoever was hired again is no leaver for an old last day', ({ lifecycle }) => {
  const { dateFormat, leavesBy, timezone, active = [], leaver = [] } = lifecycle;
  const [status, hireDate, leaveDate] = [lifecycle.status, lifecycle.hireDate, lifecycle.leaveDate].map(String);
  const { judge } = compileLifecycle({ status, hireDate, leaveDate, dateFormat, leavesBy, timezone, active, leaver });
  const date = (day: string): string => (dateFormat === undefined ? day : day.split('-').reverse().join('/'));
  const fields = {
    [String(status)]: active[0],
    [String(leaveDate)]: date('2020-06-30'),
    [String(hireDate)]: date('2024-03-01'),
  };

  expect(judge(fields, now)).toMatchObject({ standing: 'active' });
});

const derived = sourceKinds
  .flatMap(({ starters: all }) => all)
  .flatMap(({ name, mapping }) => {
    const { lifecycle } = parse(mapping) as { readonly lifecycle: Partial<LifecycleSettings> };
    return lifecycle.status === statusField ? [{ name, lifecycle }] : [];
  });

it.each(derived)('$name: a person who has not begun has a status that needs no name', ({ lifecycle }) => {
  const { active = [], leaver = [], hireDate, leaveDate } = lifecycle;
  const settings = { status: statusField, active, leaver, hireDate, leaveDate };
  const { judge } = compileLifecycle({ ...settings, dateFormat: undefined, leavesBy: undefined, timezone: undefined });

  expect(judge({ [statusField]: 'prehire' }, now)).toMatchObject({ standing: 'future' });
});

const withAddress = sourceKinds.flatMap(({ kind, starters: [starter] }) => {
  const { source } = parse(starter?.source ?? '') as { readonly source: Readonly<Record<string, unknown>> };
  const right = kind === 'bamboohr' || 'baseUrl' in source ? 'baseUrl' : 'url';
  return kind === 'csv' ? [] : [{ kind, source, right, wrong: right === 'url' ? 'baseUrl' : 'url' }];
});

it.each(withAddress)('$kind: who writes $wrong is told of $right', ({ source, right, wrong }) => {
  const { [right]: address = 'https://hr.example.com', ...rest } = source;

  expect(parseSource({ ...rest, [wrong]: address })).toMatchObject({
    problems: expect.arrayContaining([
      {
        path: [wrong],
        message: expect.stringContaining(`is not a known key; did you mean ${right}? Known here: kind`),
      },
    ]),
  });
});
