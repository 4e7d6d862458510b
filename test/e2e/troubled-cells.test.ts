import { expect, it } from 'vitest';
import { employees, type OfficeOptions, openOffice, plainMapping, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const sync: NonNullable<OfficeOptions['sync']> = {
  mapping: {
    ...plainMapping,
    area: { from: 'dept', whenEmpty: 'clear' },
    birthDate: { from: 'born', whenEmpty: 'clear' },
    customFields: { 1: { expression: "$number(level) > 5 ? 'Senior' : 'Junior'", whenEmpty: 'clear' } },
  },
  lifecycle: { status: 'status', active: ['active'], leaver: ['left'], hireDate: 'hired', leaveDate: 'leaves' },
  scope: '$number(level) >= 0',
};

/** The status is last: the oracle of every test reads it there. */
function rowsOf(patch: Readonly<Record<string, Row>>): Row[] {
  return employees(20, patch).map(({ status = '', ...row }) => {
    return { dept: 'Sales', born: '1990-01-02', level: '7', hired: '2020-01-01', leaves: '', ...row, status };
  });
}

const ordered = (rows: readonly Row[]): Row[] =>
  rows.map(({ id = '', first = '', last = '', mail = '', ...rest }) => ({ id, first, last, mail, ...rest }));

it('a file with one row of each kind of trouble changes what can be read, and everyone who left leaves', async () => {
  const office = await openOffice({ sandbox: { people: usersOf(employees(20)) }, sync });
  await office.writeEmployees(ordered(rowsOf({})));
  await office.applyAll();
  const users = office.sandbox.state.users;
  office.sandbox.state.patchUser('E9', { enabled: false });

  await office.writeEmployees([
    ...ordered(
      rowsOf({
        E1: { dept: 'bell\u0007', last: 'Neu1' },
        E2: { dept: 'Ops '.repeat(75), last: 'Neu2' },
        E3: { born: '31/12/1990', last: 'Neu3' },
        E4: { mail: 'nobody', last: 'Neu4' },
        E5: { last: '', dept: 'Legal' },
        E6: { dept: 'Head\n of\tIT' },
        E7: { hired: 'soon', last: 'Neu7' },
        E8: {
          dept: 'bell\u0007',
          born: 'soon',
          hired: 'soon',
          leaves: 'soon',
          mail: 'nobody',
          last: '',
          status: 'left',
        },
        E9: { hired: 'soon', last: 'Neu9' },
        E10: { level: 'high', status: 'left' },
      }),
    ),
    ...ordered(
      rowsOf({
        E1: { id: 'N1', mail: 'nobody' },
        E2: { id: 'N2', mail: 'n2@example.com', last: '' },
        E3: { id: 'N3', mail: 'n3@example.com', hired: 'soon' },
      }).slice(0, 3),
    ),
    ...ordered(rowsOf({ E4: { id: 'N4', mail: 'n4@example.com', dept: 'bell\u0007' } }).slice(3, 4)),
  ]);
  const report = await office.apply();

  for (const n of [1, 2, 3, 4, 7]) expect(users.get(`E${n}`)?.fields).toMatchObject({ lastName: `Neu${n}` });
  expect(users.get('E1')?.fields).toMatchObject({ area: 'Sales' });
  expect(users.get('E3')?.fields).toMatchObject({ birthDate: '1990-01-02' });
  expect(users.get('E4')?.fields).toMatchObject({ email: 'ana4@example.com' });
  expect(users.get('E5')?.fields).toMatchObject({ lastName: 'Díaz', area: 'Legal' });
  expect(users.get('E6')?.fields).toMatchObject({ area: 'Head of IT' });
  expect(users.get('E8')).toMatchObject({ enabled: false, fields: { area: 'Sales' } });
  expect(users.get('E9')).toMatchObject({ enabled: false, fields: { lastName: 'Díaz' } });
  expect(users.get('E10')?.enabled).toBe(true);
  expect(['N1', 'N2', 'N3'].filter((id) => users.has(id))).toEqual([]);
  expect(users.get('N4')?.fields).not.toHaveProperty('area');
  expect(report.run.counts).toMatchObject({ create: 1, disable: 1, enable: 0 });

  const told = report.findings.map(
    ({ code, identification, message }) => `${code} ${identification ?? ''}: ${message}`,
  );
  expect(told.filter((text) => text.startsWith('cell-'))).toEqual([
    'cell-unreadable : dept contains control characters, in 3 rows (line 2, line 10, line 26): area keeps its value on the platform',
    expect.stringMatching(/^cell-unreadable : dept is longer than 255 characters, in 1 row \(line 3\)/),
    expect.stringMatching(/^cell-unreadable : born is not a date in the format yyyy-MM-dd, in 2 rows/),
    expect.stringMatching(/^cell-unreadable : mail is not one e-mail address .* in 3 rows/),
    expect.stringMatching(/^cell-unreadable : last is required, but blank, in 3 rows/),
    expect.stringMatching(/^cell-collapsed : dept has line breaks or tabs in 1 row/),
    expect.stringMatching(/^cell-unreadable : hired is not a date .* in 4 rows/),
    expect.stringMatching(/^cell-unreadable : leaves is not a date .* in 1 row/),
  ]);
  expect(told.filter((text) => /^(row|create|enable)-|^foreign/.test(text))).toEqual([
    expect.stringMatching(/^foreign-disable E9/),
    expect.stringMatching(/^row-rejected E10: line \d+, scope: the expression failed/),
    expect.stringMatching(/^create-refused N1: line \d+: no account is created: mail is not one e-mail address/),
    expect.stringMatching(/^create-refused N2: .*last is required, but blank/),
    expect.stringMatching(/^create-refused N3: .*hired is not a date/),
  ]);
  for (const value of ['bell', 'xxx', 'soon', 'nobody', '31/12/1990', 'high']) {
    expect(told.join('\n')).not.toMatch(new RegExp(`\\b${value}\\b(?! keeps)`));
  }
});
