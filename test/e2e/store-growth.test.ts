import { expect, it } from 'vitest';
import { findChanges } from '../../src/app/runs.ts';
import { employees, openOffice, usersOf } from '../support/office.ts';

const dayMs = 86_400_000;

it.each(['plan', 'apply'] as const)('%s alone prunes too: a shown plan is gone after a week', async (command) => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(3)) } });
  await office.writeEmployees(employees(3, { E2: { last: 'Paz' } }));
  const shown = await office.plan();
  const changes = () => findChanges(office.app, shown.id, { limit: 10 });
  office.clock.jump(6 * dayMs);
  await office[command]();
  expect(await changes()).toHaveLength(1);
  office.clock.jump(2 * dayMs);
  await office[command]();
  expect(await changes()).toEqual([]);
});
