import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileLifecycle } from '../../src/core/lifecycle.ts';
import type { LifecycleSettings } from '../../src/core/settings.ts';
import { sourceKinds } from '../../src/sources/registry.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

/** Factorial's answers hold no first day; its starter says what to do where they do. */
const starters = sourceKinds.flatMap(({ starters: all }) => all).filter(({ name }) => name !== 'factorial');
const withLastDay = starters.flatMap(({ name, mapping }) => {
  const { lifecycle } = parse(mapping) as { readonly lifecycle: Partial<LifecycleSettings> };
  return lifecycle.leaveDate === undefined ? [] : [{ name, lifecycle }];
});

it.each(withLastDay)('$name: whoever was hired again is no leaver for an old last day', ({ lifecycle }) => {
  const { status, hireDate, leaveDate, dateFormat, timezone, active = [], leaver = [] } = lifecycle;
  const { judge } = compileLifecycle({ status, hireDate, leaveDate, dateFormat, timezone, active, leaver });
  const date = (day: string): string => (dateFormat === undefined ? day : day.split('-').reverse().join('/'));
  const fields = {
    [status ?? '']: active[0],
    [leaveDate ?? '']: date('2020-06-30'),
    [hireDate ?? '']: date('2024-03-01'),
  };

  expect(judge(fields, now)).toMatchObject({ kind: 'standing', standing: 'active' });
});
