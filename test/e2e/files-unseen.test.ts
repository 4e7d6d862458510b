import { describe, expect, it } from 'vitest';
import { type Office, type OfficeOptions, openManaged, renamed } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const minuteMs = 60_000;
const csv = { delivery: 'csv' };

/** At least `users` users, all ours, of whom the first `changed` have a new last name in the source. */
async function officeWith(users: number, changed: number, options: OfficeOptions = {}): Promise<Office> {
  // No guard lets more than a third of the users change.
  const count = Math.max(users, 3 * changed);
  const office = await openManaged(count, { ...options, sync: { ...csv, ...options.sync } });
  await office.writeEmployees(renamed(count, changed));
  return office;
}

function writes(office: Office): number {
  return office.sandbox.state.log.length;
}

describe('a file whose end is not seen', () => {
  const settle = { every: '5s', visibleWithin: '20s', deadline: '90s', unknownAfter: '30m' };

  it('is unresolved at the deadline, the next file is not sent for ever, and a later run heals', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle, batchRows: 10 } });
    office.setFaults('file:stuck@1');
    const report = await office.apply();
    expect(report.run.outcome).toBe('failed');
    expect(report.run.reason).toContain('settle.deadline');
    expect(report.run.counts).toMatchObject({ applied: 0, unresolved: 10 });
    expect(writes(office)).toBe(0);
    office.setFaults();
    office.clock.jump(31 * minuteMs);
    await office.apply();
    expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
    expect((await office.plan()).counts).toMatchObject({ update: 0 });
  });

  it('but took effect is found by reading back at the deadline', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle } });
    office.setFaults('file:stuck-after-commit');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(writes(office)).toBe(20);
  });

  it('and has an unknown status is waited for with a warning, then read back', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle } });
    office.setFaults('file:unknown-status=Archived');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(report.findings.filter(({ message }) => message.includes('does not name; treated as pending'))).toHaveLength(
      1,
    );
    expect(office.log.messages('warn').join()).toContain('unknown file status');
  });

  it.each(['status:absent', 'status:status=405'])(
    'for want of a status endpoint is settled by reading back (%s)',
    async (fault) => {
      const office = await officeWith(20, 20, { sync: { ...csv, settle } });
      office.setFaults(fault);
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
      expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    },
  );

  it('for want of a status endpoint is looked for more and more seldom', async () => {
    const office = await officeWith(20, 1, { sync: { ...csv, settle: { ...settle, deadline: '10m' } } });
    office.setFaults('status:absent', 'file:drop-row=E1');
    const before = office.sandbox.state.requests.read ?? 0;
    expect((await office.apply()).run.counts).toMatchObject({ unresolved: 1 });
    const looks = (office.sandbox.state.requests.read ?? 0) - before;
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(30);
  });

  it('for want of a status endpoint leaves a dropped row unresolved', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle } });
    office.setFaults('status:absent', 'file:drop-row=E7');
    expect((await office.apply()).run).toMatchObject({ outcome: 'partial', counts: { applied: 19, unresolved: 1 } });
  });

  it('shows late, within visibleWithin, and counts as applied', async () => {
    const office = await officeWith(20, 20);
    office.setFaults('late=12000');
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(writes(office)).toBe(20);
  });

  it('shows later than visibleWithin has failed, and the next run finds it equal', async () => {
    const office = await officeWith(5, 5);
    office.setFaults('late=60000');
    expect((await office.apply()).run).toMatchObject({ outcome: 'partial', counts: { failed: 5 } });
    office.clock.jump(2 * minuteMs);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it.each(['status:status=500@1-2', 'status:html@1', 'status:reset-before-commit@1-3'])(
    'because its status cannot be had for a while is asked about again (%s)',
    async (fault) => {
      const office = await officeWith(20, 20);
      office.setFaults(fault);
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    },
  );

  it.each(['status:status=500', 'status:html', 'status:reset-before-commit', 'status:status=503;retry-after=40'])(
    'because its status can never be had is waited for until the deadline, then read back (%s)',
    async (fault) => {
      const office = await officeWith(20, 20, { sync: { ...csv, settle } });
      office.setFaults(fault);
      const from = office.clock.now();
      const report = await office.apply();
      expect(report.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
      expect(office.clock.now() - from).toBeGreaterThanOrEqual(90_000);
      expect(report.findings.map(({ message }) => message).join()).toMatch(
        /until settle\.deadline \(last: no status: .+\)/,
      );
      expect(office.log.messages('warn')).toContain('the platform does not return the file status: waiting');
      expect(writes(office)).toBe(20);
    },
  );

  it('because its status can never be had leaves a dropped row unresolved, not failed', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle } });
    office.setFaults('status:status=500', 'file:drop-row=E7');
    expect((await office.apply()).run).toMatchObject({ outcome: 'partial', counts: { applied: 19, unresolved: 1 } });
  });

  it('is asked about no sooner than the platform wants to be', async () => {
    const office = await officeWith(20, 20, { sync: { ...csv, settle } });
    office.setFaults('status:status=503;retry-after=40@1');
    const from = office.clock.now();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(office.sandbox.state.requests.status).toBe(2);
    expect(office.clock.now() - from).toBeGreaterThanOrEqual(40_000);
  });
});
