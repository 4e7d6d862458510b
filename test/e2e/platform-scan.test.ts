import { describe, expect, it } from 'vitest';
import { drawFrom } from '../support/drawn.ts';
import { employees, type Office, type OfficeOptions, openOffice, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const changed = employees(31, { E2: { last: 'Núñez' }, E3: { status: 'left' } });

async function officeWithPages(options: OfficeOptions = {}): Promise<Office> {
  const office = await openOffice({
    ...options,
    dialect: { search: { pageSize: 10 }, ...options.dialect },
    sandbox: { people: usersOf(employees(30)), ...options.sandbox },
  });
  await office.writeEmployees(changed);
  return office;
}

describe('a directory that cannot be proven complete', () => {
  const unproven = [
    { name: 'a page is missing', fault: 'search:missing-page@3-' },
    { name: 'a page repeats a row', fault: 'search:duplicate-row@3-' },
    { name: 'a row is null', fault: 'search:null-row@3-' },
    { name: 'the total is too high', fault: 'search:total-off=2' },
    { name: 'the total is too low', fault: 'search:total-off=-2' },
    { name: 'parameters are ignored', fault: 'search:ignore-parameters' },
    { name: 'later pages are refused', fault: 'search:status=500@4-' },
    { name: 'later pages are web pages', fault: 'search:html@4-' },
    { name: 'later pages are cut', fault: 'search:cut-body@4-' },
  ];

  it.each(drawFrom(unproven, 3))('is no ground for any write: $name', async ({ fault }) => {
    const office = await officeWithPages({ faults: [fault] });
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed', phase: 'done' });
    expect(report.run.reason).toBeTruthy();
    expect(office.sandbox.state.log).toEqual([]);
    expect(office.sandbox.state.requests).toMatchObject({ upload: 0, create: 0, update: 0, delete: 0 });

    office.setFaults();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded' });
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0 });
  });

  it.each([
    { name: 'rows come while it is read', fault: 'search:shift-pages=1' },
    { name: 'rows go while it is read', fault: 'search:shift-pages=-1' },
  ])('is read again or given up, and never planned from, when $name', async ({ fault }) => {
    const office = await officeWithPages({ faults: [fault] });
    const report = await office.apply();
    if (report.run.outcome === 'failed') expect(office.sandbox.state.log).toEqual([]);
    else expect(report.run.counts).toMatchObject({ create: 1, update: 1, disable: 1 });
    office.setFaults();
    await office.apply();
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, enable: 0 });
  });

  it.each([['search:missing-page@3', 'search:status=502@5'], ['search:missing-page@/2'], ['search:cut-body@/3']])(
    'heals by itself when reading again helps (%s)',
    async (...faults) => {
      const office = await officeWithPages({ faults });
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded' });
    },
  );
});

describe('a platform of another dialect', () => {
  it('that reads parameters from the body is noticed before anything is written, and the setting named', async () => {
    const office = await officeWithPages({
      sandbox: { people: usersOf(employees(30)), quirks: { parameters: 'body' } },
    });
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'failed' });
    expect(report.run.reason).toContain('dialect.search.parameters');
    expect(office.sandbox.state.log).toEqual([]);
  });

  it('is served once the dialect says so', async () => {
    const office = await officeWithPages({
      sandbox: { people: usersOf(employees(30)), quirks: { parameters: 'body' } },
      dialect: { search: { pageSize: 10, parameters: 'body' } },
    });
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded' });
    expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
  });

  const dialects = [
    { name: 'smaller pages', quirks: { maxPageSize: 7 }, dialect: {} },
    { name: '400 for a missing user', quirks: { missingUser: 400 as const }, dialect: {} },
    { name: '500 for a missing user', quirks: { missingUser: 500 as const }, dialect: {} },
    { name: 'enable by I', quirks: { enableBy: 'I' as const }, dialect: { enableBy: 'I' } },
    { name: 'uid as userId', quirks: { userId: 'uid' as const }, dialect: { userId: 'uid' } },
    {
      name: 'JSON uploads',
      quirks: { uploadEncodings: ['json-base64' as const] },
      dialect: { upload: { encoding: 'json-base64' } },
    },
    {
      name: 'a full header whose empty cells keep',
      quirks: { emptyCell: 'keeps' as const },
      dialect: { csv: { header: 'full', emptyCell: 'keeps' } },
    },
    {
      name: 'semicolons and other dates',
      quirks: { csvDelimiter: ';', csvDateFormat: 'dd/MM/yyyy' as const },
      dialect: { csv: { delimiter: ';', dateFormat: 'dd/MM/yyyy' } },
    },
  ];

  it.each(drawFrom(dialects, 2))('is served, and the second plan is empty: $name', async ({ quirks, dialect }) => {
    const people = usersOf(employees(30).map((row) => (row.id === 'E4' ? { ...row, status: 'left' } : row)));
    const office = await officeWithPages({ sandbox: { people, quirks }, dialect });
    const report = await office.apply();
    expect(report.run).toMatchObject({ outcome: 'succeeded' });
    expect(report.run.counts).toMatchObject({ create: 1, update: 1, disable: 1, enable: 1, applied: 4 });
    expect((await office.plan()).counts).toMatchObject({ create: 0, update: 0, disable: 0, enable: 0 });
  });
});
