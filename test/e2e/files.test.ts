import { describe, expect, it } from 'vitest';
import { findChanges } from '../../src/app/runs.ts';
import { type Office, type OfficeOptions, openManaged, renamed } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const csv = { delivery: 'csv' };

/** Three times as many users, all ours, of whom the first `changed` have a new last name in the source. */
async function officeWith(changed: number, options: OfficeOptions = {}): Promise<Office> {
  const count = 3 * changed;
  const office = await openManaged(count, { ...options, sync: { ...csv, ...options.sync } });
  await office.writeEmployees(renamed(count, changed));
  return office;
}

function writes(office: Office): number {
  return office.sandbox.state.log.length;
}

async function heals(office: Office, expected: object): Promise<void> {
  office.setFaults();
  expect((await office.apply()).run).toMatchObject(expected);
  expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, enable: 0, disable: 0, remove: 0 });
}

describe('a file that fails as a whole', () => {
  it('is split until the bad row stands alone, and the rest lands in the same run', async () => {
    const office = await officeWith(20);
    office.setFaults('file:fail-if=E7');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial' });
    expect(report.run.counts).toMatchObject({ update: 20, applied: 19, failed: 1, unresolved: 0 });
    const [bad] = await findChanges(office.app, report.run.id, { limit: 10, states: ['failed'] });
    expect(bad?.identification).toBe('E7');
    expect(bad?.stateReason).toContain('row alone');
    expect(report.findings.map(({ code }) => code)).toContain('batch-failed');
    expect(writes(office)).toBe(19);
    await heals(office, { outcome: 'succeeded', counts: { applied: 1 } });
  });

  it('because it has too many rows is cut until it fits', async () => {
    const office = await officeWith(20);
    office.setFaults('file:fail-over=6');
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(writes(office)).toBe(20);
  });

  it('again and again means that the platform is ill: the run stops early and says so', async () => {
    const office = await officeWith(40);
    office.setFaults('file:fail');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed', counts: { applied: 0 } });
    expect(report.run.reason).toContain('does not seem to process files');
    expect(office.sandbox.state.files.size).toBeLessThanOrEqual(8);
    expect(writes(office)).toBe(0);
    await heals(office, { outcome: 'succeeded', counts: { applied: 40 } });
  });

  it('after its good rows took effect is read back first: nothing is sent twice', async () => {
    const office = await officeWith(20, {
      sandbox: { quirks: { fileFailure: 'good-applied' } },
    });
    office.setFaults('file:fail-if=E7');
    expect((await office.apply()).run.counts).toMatchObject({ applied: 19, failed: 1 });
    expect(writes(office)).toBe(19);
    expect(office.sandbox.state.files.size).toBe(1);
  });

  it('and says done is not believed: what does not show has failed', async () => {
    const office = await officeWith(20, {
      sandbox: { quirks: { fileFailure: 'says-done' } },
    });
    office.setFaults('file:fail-if=E7');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial', counts: { applied: 19, failed: 1 } });
    await heals(office, { outcome: 'succeeded', counts: { applied: 1 } });
  });

  it('with a row dropped without a word is noticed', async () => {
    const office = await officeWith(20);
    office.setFaults('file:drop-row=E7');
    expect((await office.apply()).run).toMatchObject({ outcome: 'partial', counts: { applied: 19, failed: 1 } });
    await heals(office, { outcome: 'succeeded', counts: { applied: 1 } });
  });
});

describe('files and their order', () => {
  it('wait while somebody else’s file is processed', async () => {
    const office = await officeWith(10);
    office.setFaults('upload:status=409@1-3');
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 10 } });
    expect(office.sandbox.state.requests.upload).toBe(4);
  });

  it('wait while a file that is not ours is processed by a platform that says 400 then', async () => {
    const office = await officeWith(10, { sandbox: { processingMs: 300_000 } });
    const { url, accessToken } = office.sandbox;
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({
      fileName: 'by-hand.csv',
      file: 'command,identification,firstName\nD,somebody-else,\n',
    });
    const byHand = await fetch(`${url}/os-api/public-api/v1/admin/userFiles/`, { method: 'POST', headers, body });
    expect(byHand.status).toBe(200);
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 10 } });
    // The file by hand, at least one that was refused, and the one that was taken.
    expect(office.sandbox.state.requests.upload).toBeGreaterThanOrEqual(3);
  });

  it('that are answered 400 each time end the run as failed, without a change', async () => {
    const office = await officeWith(10);
    office.setFaults('upload:status=400');
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed', counts: { applied: 0, unresolved: 0 } });
    expect(report.run.reason).toContain('The platform does not seem to process files');
    expect(writes(office)).toBe(0);
    await heals(office, { outcome: 'succeeded', counts: { applied: 10 } });
  });
});
