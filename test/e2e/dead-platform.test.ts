import { describe, expect, it } from 'vitest';
import { employees, type Office, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const minuteMs = 60_000;

/** A create, an update and a disable. */
async function officeWithChanges(): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(10)) },
    sync: { delivery: 'csv', settle: { every: '2s', visibleWithin: '10s', deadline: '60s' } },
    limits: { timeout: '100ms' },
  });
  expect((await office.applyRows(employees(10))).run.outcome).toBe('nothing-to-do');
  await office.writeEmployees(employees(11, { E2: { last: 'Núñez' }, E3: { status: 'left' } }));
  return office;
}

describe('a platform that is not there', () => {
  it.each([
    '*:reset-before-commit',
    '*:hang',
    '*:html',
    '*:empty',
    '*:status=502',
    '*:redirect=https://login.example.com/',
  ])('fails the run in words, and the next one heals (%s)', async (fault) => {
    const office = await officeWithChanges();
    office.setFaults(fault);
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed', phase: 'done' });
    expect(run.reason).toBeTruthy();
    expect(run.reason).not.toContain('unexpected');
    expect(office.sandbox.state.log).toEqual([]);
    office.setFaults();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 3 } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it('names neither people nor the token in run, findings and log', async () => {
    const office = await officeWithChanges();
    office.setFaults('*:status=403');
    const report = await office.apply();
    const text = JSON.stringify([report, office.log.text()]);
    expect(text).not.toContain(office.sandbox.accessToken);
    expect(text).not.toContain('ana2@example.com');
    expect(text).not.toContain('Núñez');
  });

  it('in the middle of a run leaves what is out unresolved, and later runs find it', async () => {
    const office = await officeWithChanges();
    office.setFaults('status:status=403');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed' });
    expect(run.counts.unresolved).toBeGreaterThan(0);
    office.setFaults();
    office.clock.jump(minuteMs);
    const next = await office.apply();
    expect(next.run.counts).toMatchObject({ repeated: 0 });
    expect(office.sandbox.state.log).toHaveLength(3);
  });
});
