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

describe('a platform of another dialect', () => {
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
