import { expect, it } from 'vitest';
import { readRequest } from '../../src/app/request-ends.ts';
import { queueRun, requestOrRun } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import { employees, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

it('sixty requests for one person each are one run, and each is told how it ended for its person', async () => {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(180)) },
    sync: { guards: { updates: { absolute: 1000 }, disables: { absolute: 0, percent: 0 } } },
  });
  expect((await office.applyRows(employees(180))).run.outcome).toBe('nothing-to-do');
  const before = (await findRuns(office.app, { limit: 50 })).length;
  const changed = Object.fromEntries(Array.from({ length: 58 }, (_, i) => [`E${i + 1}`, { last: 'Núñez' }]));
  await office.writeEmployees(employees(180, { ...changed, E59: { status: 'left' } }));

  const asked: string[] = [];
  for (let i = 1; i <= 59; i++) {
    const scope = { kind: 'users', identifications: [`E${i}`] } as const;
    asked.push((await queueRun(office.app, 'people', { scope, by: 'ops' })).trigger);
  }
  const last = await requestOrRun(office.app, 'people', {
    by: 'ops',
    scope: { kind: 'users', identifications: ['E60'] },
    signal: new AbortController().signal,
    progress: () => {},
  });

  const runs = await findRuns(office.app, { limit: 50 });
  expect(runs).toHaveLength(before + 1);
  expect(runs[0]).toMatchObject({ outcome: 'held', counts: { applied: 58, held: 1 } });
  expect(runs[0]?.scope).toMatchObject({ identifications: { length: 60 } });
  // Nothing had to change for the last one, whatever became of the others.
  expect(last).toMatchObject({ kind: 'ran', result: { outcome: 'nothing-to-do', changes: { applied: 0, held: 0 } } });
  const results = await Promise.all(asked.map((id) => readRequest(office.app, id)));
  expect(results.every(({ state, run }) => state === 'ended' && run?.id === runs[0]?.id)).toBe(true);
  expect(results.map(({ result }) => result?.outcome)).toEqual([
    ...Array.from({ length: 58 }, () => 'succeeded'),
    'held',
  ]);
  expect(results[58]?.result).toMatchObject({
    reason: '1 change needs approval',
    changes: { held: 1, applied: 0 },
  });
});
