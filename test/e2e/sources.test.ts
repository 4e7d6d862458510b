import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../support/drawn.ts';
import { csvOf, employees, type Office, type OfficeOptions, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const missingAtOnce = { afterReads: 1, minAge: '0s' };

/** Twenty people, all ours since a first run. */
async function managedOffice(sync: OfficeOptions['sync'] = {}): Promise<Office> {
  const office = await openOffice({
    sandbox: { people: usersOf(employees(20)) },
    sync: { missing: missingAtOnce, ...sync },
  });
  expect((await office.applyRows(employees(20))).run.outcome).toBe('nothing-to-do');
  return office;
}

function enabledUsers(office: Office): number {
  return [...office.sandbox.state.users.values()].filter(({ enabled }) => enabled).length;
}

const whole = csvOf(employees(20, { E2: { last: 'Núñez' } }));
const lines = whole.trimEnd().split('\n');

const halfReads: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'cut in the middle of its last row', text: whole.slice(0, -20) },
  { name: 'cut in the middle of row 12', text: whole.slice(0, whole.indexOf('E12,') + 9) },
  { name: 'cut at the end of row 12', text: `${lines.slice(0, 13).join('\n')}\n` },
  { name: 'empty', text: '' },
  { name: 'only a header', text: `${lines[0]}\n` },
  { name: 'left with an open quote', text: whole.replace('E12,', 'E12,"') },
  { name: 'short of a column in one row', text: whole.replace('E12,Ana12,', 'E12,') },
  { name: 'without a key in one row', text: whole.replace('E12,', ',') },
  { name: 'binary', text: '\u0000\u0001\u0002' },
];

const policies = ['sync', 'upsert-only', 'create-only'].flatMap((policy) =>
  halfReads.map((read) => ({ policy, ...read })),
);

it.each(drawFrom(policies, 3))(
  'a source disables nobody by the policy $policy, and is no success, when the file is $name',
  async ({ policy, text }) => {
    const office = await managedOffice({ policy });
    await office.writeText(text);
    const report = await office.apply();
    expect(['held', 'partial', 'failed']).toContain(report.run.outcome);
    expect(report.run.reason).toBeTruthy();
    expect(report.run.counts).toMatchObject({ disable: 0, remove: 0 });
    expect(enabledUsers(office)).toBe(20);
  },
);

describe('a source that was only half read', () => {
  it('still creates and updates from its whole rows', async () => {
    const office = await managedOffice();
    const rows = employees(23, { E2: { last: 'Núñez' }, E3: { status: 'left' } });
    await office.writeText(csvOf(rows).slice(0, -10));
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial' });
    expect(report.run.counts).toMatchObject({ create: 2, update: 1, disable: 0, applied: 3 });
    expect(office.sandbox.state.users.get('E23')).toBeUndefined();
    expect(report.findings.map(({ code }) => code)).toContain('source-incomplete');
  });

  it('says so first, however many of its rows are bad', async () => {
    const office = await managedOffice();
    const bad = Array.from({ length: 10_100 }, (_, i) => `B${i},,,,active`).join('\n');
    await office.writeText(`${csvOf(employees(20))}${bad}`);
    const report = await office.apply();
    expect(report.findingsInAll).toBeGreaterThan(10_000);
    expect(report.findings[0]?.code).toBe('source-incomplete');
  });

  it('fails cleanly when the file is not there, and heals', async () => {
    const office = await managedOffice();
    await rm(join(office.folder, 'employees.csv'));
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed', phase: 'done' });
    expect(report.run.reason).toContain('there is no such file');
    expect(office.sandbox.state.log).toHaveLength(0);
    expect((await office.applyRows(employees(21))).run).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    { name: 'its identification', from: 'id,', to: 'key,' },
    { name: 'a mapped field that may be absent', from: ',mail', to: ',e-mail' },
    { name: 'the status', from: ',status', to: ',state' },
  ])('fails before anything is read when the file has no column for $name', async ({ from, to }) => {
    const office = await managedOffice();
    await office.writeText(whole.replace(from, to));
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed', counts: { disable: 0, update: 0 } });
    expect(report.run.reason).toContain(`no field ${from.replace(',', '')}`);
    expect(report.run.reason).toContain('rollcall check');
    expect(office.sandbox.state.log).toHaveLength(0);
  });

  it('fails when the scope names a column that is not there, instead of meaning nobody', async () => {
    const office = await openOffice({ sandbox: { people: usersOf(employees(3)) }, sync: { scope: "contry = 'UY'" } });
    await office.writeEmployees(employees(3));
    expect((await office.apply()).run).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('contry') });
  });

  it('tells no cell of a file whose header line is gone', async () => {
    const office = await managedOffice();
    await office.writeText(whole.slice(whole.indexOf('\n') + 1));
    const { run } = await office.apply();
    expect(run.outcome).toBe('failed');
    expect(run.reason).not.toContain('Ana');
  });

  it('fails when not one row can be used, though the read is whole', async () => {
    const office = await managedOffice();
    const { run, findings } = await office.applyRows(employees(20).map((row) => ({ ...row, status: 'aktiv' })));
    expect(run).toMatchObject({ outcome: 'failed', facts: { sourceRows: 20 } });
    expect(run.reason).toContain('20 rows, none of them usable');
    expect(findings).toHaveLength(21);
    expect(findings[0]?.message).toMatch(
      /^20 people: status has a value that is in neither .* \(a word, 5 characters\)/,
    );
    expect(enabledUsers(office)).toBe(20);
  });

  it('disables nobody while the file grows under the reader', async () => {
    const office = await managedOffice();
    const rows = csvOf(employees(5000, { E3: { status: 'left' } }));
    await office.writeText(rows.slice(0, rows.length / 2));
    const path = join(office.folder, 'employees.csv');
    const growing = (async () => {
      for (let i = 0; i < 200; i += 1) await appendFile(path, `F${i},Ana,Díaz,f${i}@example.com,active\n`);
    })();
    const report = await office.plan();
    await growing;
    expect(report.counts).toMatchObject({ disable: 0, remove: 0 });
  });

  it.each([
    { name: 'there is no marker', marker: undefined },
    { name: 'the marker counts other rows', marker: 'rows=500' },
    { name: 'the marker names another file', marker: `sha256: ${'0'.repeat(64)}` },
  ])('disables nobody when $name', async ({ marker }) => {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(20)) },
      sync: { missing: missingAtOnce, source: { kind: 'csv', path: './employees.csv', complete: 'marker' } },
    });
    await office.writeEmployees(employees(20));
    await writeFile(join(office.folder, 'employees.csv.done'), 'rows=20');
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    await office.writeEmployees(employees(18, { E3: { status: 'left' } }));
    if (marker === undefined) await rm(join(office.folder, 'employees.csv.done'));
    else await writeFile(join(office.folder, 'employees.csv.done'), marker);
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial' });
    expect(enabledUsers(office)).toBe(20);
  });

  it.each([
    { name: 'the trailer is missing', trailer: '' },
    { name: 'the trailer counts other rows', trailer: 'T,500,,,\n' },
  ])('disables nobody when $name', async ({ trailer }) => {
    const office = await openOffice({
      sandbox: { people: usersOf(employees(20)) },
      sync: {
        missing: missingAtOnce,
        source: { kind: 'csv', path: './employees.csv', complete: 'trailer', trailer: 'T' },
      },
    });
    await office.writeText(`${csvOf(employees(20))}T,20,,,\n`);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    await office.writeText(`${csvOf(employees(18, { E3: { status: 'left' } }))}${trailer}`);
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial' });
    expect(enabledUsers(office)).toBe(20);
  });

  it('a row that names nobody stops missing, but not leavers', async () => {
    const office = await managedOffice();
    const rows = employees(20, { E3: { status: 'left' } }).filter(({ id }) => id !== 'E20');
    await office.writeText(`${csvOf(rows)},Nobody,Díaz,nobody@example.com,active\n`);
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'partial' });
    expect(report.run.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(office.sandbox.state.users.get('E20')?.enabled).toBe(true);
  });
});
