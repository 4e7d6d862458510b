import { describe, expect, it } from 'vitest';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const minuteMs = 60_000;

/** A create, an update and a disable by file, or a create and an update by calls. */
async function officeWithChanges(delivery: 'csv' | 'auto'): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(10)) },
    sync: { delivery, settle: { every: '2s', visibleWithin: '10s', deadline: '60s' } },
    limits: { timeout: '100ms' },
  });
  expect((await office.applyRows(employees(10))).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(
    employees(11, { E2: { last: 'Núñez' }, ...(delivery === 'csv' ? { E3: { status: 'left' } } : {}) }),
  );
  return office;
}

const statuses = [400, 401, 403, 429, 500];
const calls: readonly { call: string; delivery: 'csv' | 'auto' }[] = [
  { call: 'search', delivery: 'csv' },
  { call: 'read', delivery: 'csv' },
  { call: 'upload', delivery: 'csv' },
  { call: 'status', delivery: 'csv' },
  { call: 'create', delivery: 'auto' },
  { call: 'update', delivery: 'auto' },
];

const matrix = calls.flatMap((one) => statuses.map((status) => ({ ...one, status })));

describe('when every call of a kind fails', () => {
  it.each(drawFrom(matrix, 3))(
    '$call with $status, the run says why in one message, nothing is half done, and a later run heals',
    async ({ call, delivery, status }) => {
      const office = await officeWithChanges(delivery);
      office.setFaults(`${call}:status=${status}`);
      const { run, findings } = await office.apply();
      // A failing read alone says nothing: a search answers for it. What became of a file shows in its users.
      const isStatusUntold = call === 'status' && (status === 429 || status === 500);
      const isSurvivable = isStatusUntold || (call === 'read' && (status === 400 || status === 500));
      if (isStatusUntold) expect(findings.map(({ message }) => message).join()).toContain(`answered ${status}`);
      if (!isSurvivable) {
        expect(['failed', 'partial']).toContain(run.outcome);
        expect(run.reason).toMatch(/\w+/);
        expect(run.reason).not.toContain('unexpected');
      }
      expect(run.phase).toBe('done');

      office.setFaults();
      office.clock.jump(31 * minuteMs);
      await office.apply();
      expect(office.sandbox.state.users.get('E2')?.fields.lastName).toBe('Núñez');
      expect(office.sandbox.state.users.has('E11')).toBe(true);
      expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
      const created = office.sandbox.state.log.filter(({ kind }) => kind === 'created');
      expect(created).toHaveLength(1);
    },
  );
});
