import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import type { User } from '../../../src/core/person/fields.ts';
import { cardsOf } from '../../../src/core/setup/cards.ts';
import { propose } from '../../../src/core/setup/proposal.ts';
import { proposalYaml } from '../../../src/core/setup/proposal-lines.ts';
import type { Answers } from '../../../src/core/setup/propose-mapping.ts';
import { scalar } from '../../../src/core/setup/readings.ts';
import { openSurvey } from '../../../src/core/setup/survey.ts';
import { seedUsers } from '../../../src/sandbox/people/seed-users.ts';
import { es } from '../../../src/web/texts/es.ts';
import { drawRuns } from '../../support/drawn.ts';

const people = [...seedUsers(60, 5)].map((one, i) => ({ ...one, enabled: i % 10 !== 0 }));
const users: readonly User[] = people.map(({ identification, enabled, fields: { job: _, ...fields } }, i) => {
  return { id: String(i), identification, enabled, fields, unreadable: [] };
});

type Row = Record<string, string>;

/** The people as an export has them. */
const rows: readonly Row[] = people.map(({ identification, enabled, fields }) => ({
  employee_id: identification,
  first_name: fields.firstName ?? '',
  last_name: fields.lastName ?? '',
  work_email: fields.email ?? '',
  department: fields.area ?? '',
  hire_date: (fields.orgEntryDate ?? '').split('-').reverse().join('/'),
  city: fields.office ?? '',
  cc: fields.customField1 ?? '',
  state: enabled ? 'working' : 'gone home',
}));

function proposed(records: readonly Row[], platform: readonly User[] | 'none' = users, answers: Answers = {}) {
  const survey = openSurvey(platform !== 'none', Date.UTC(2026, 10, 21));
  for (const user of platform === 'none' ? [] : platform) survey.seeUser(user);
  for (const record of records) survey.see(record);
  return propose(survey.result(), answers);
}

const columnsOf = ({ identification, fields }: ReturnType<typeof proposed>): Row =>
  Object.fromEntries(
    [identification, ...fields].flatMap((one) =>
      one === undefined || !('from' in one.rule) || one.certainty === 'off' ? [] : [[one.field, one.rule.from]],
    ),
  );

const truth: Row = {
  ...{ identification: 'employee_id', firstName: 'first_name', lastName: 'last_name', email: 'work_email' },
  ...{ area: 'department', orgEntryDate: 'hire_date', office: 'city', customField1: 'cc' },
};

/** One column with these cells, and an id beside it. */
const cells = (name: string, values: readonly string[]): Row[] =>
  values.map((value, i) => ({ id: `E${i}`, [name]: value }));
const fieldOf = (found: ReturnType<typeof proposed>, field: string) => found.fields.find((one) => one.field === field);

describe('a card', () => {
  const survey = openSurvey(true, Date.UTC(2026, 10, 21));
  for (const user of users) survey.seeUser(user);
  const asked = rows.map(
    (row, i): Row => ({
      ...{ ...row, ext: String(100 + i) },
      ...(i % 20 === 5 ? { state: 'garden' } : {}),
    }),
  );
  for (const row of asked) survey.see(row);
  const cards = (answers: Answers = {}, isRevealed = false) =>
    cardsOf(propose(survey.result(), answers, true), { survey: survey.result(), answers, isRevealed });
  const card = (about: string, answers?: Answers, isRevealed?: boolean) =>
    cards(answers, isRevealed).find((one) => one.about === about);

  it('says what each answer does to people, and masks their values until they are asked for', () => {
    expect(cards()[0]).toMatchObject({
      ...{ about: 'status garden', state: 'open', chosen: '-' },
      choices: [
        { key: 'active', effect: 'changes no access' },
        { key: 'leaver', effect: '3 lose access with policy sync' },
        { key: '-', effect: 'changes no access' },
      ],
    });
    expect(card('email')).toMatchObject({ state: 'proven', evidence: expect.stringContaining('equal for 60 of 60') });
    expect(card('email')?.samples).toHaveLength(5);
    expect(JSON.stringify(card('email')?.samples)).not.toContain('example');
    expect(card('email', {}, true)?.samples[0]?.ours).toBe(rows[0]?.work_email);
  });

  it('follows its answer, and leaves out what is not proven', () => {
    expect(card('status garden', { 'status garden': 'leaver' })).toMatchObject({ state: 'said', chosen: 'leaver' });
    expect(card('area', { area: '-' })).toMatchObject({ state: 'said', chosen: '-' });
    expect(proposalYaml(propose(survey.result(), { office: 'city' }))).toMatch(/office: city .*as you said/);
    // No record has this one.
    expect(proposalYaml(propose(survey.result(), { area: 'town' }))).not.toContain('as you said');
    const out = proposalYaml(propose(survey.result(), { area: '-', status: '-' }, true));
    expect(out).toMatch(/# area: department .*# left out: .*as you said/);
    expect(out).toMatch(/# status: state .*# left out: as you said/);
  });

  it('offers the columns that no field uses where none fits, and takes the one that the operator chooses', () => {
    const offered = [{ key: 'ext', effect: 'filled for 60 of 60 rows' }];
    expect(card('phoneNumber')).toMatchObject({
      ...{ state: 'unfilled', chosen: '-', evidence: 'no column fits', samples: [{ ours: 'ext: 999' }] },
      choices: [...offered, { key: '-', effect: 'it is never sent' }],
    });
    expect(card('phoneNumber', { phoneNumber: 'ext' })).toMatchObject({ state: 'said', chosen: 'ext' });
    expect(proposalYaml(propose(survey.result(), { phoneNumber: 'ext' }))).toMatch(/phoneNumber: ext .*as you said/);
  });

  it('asks for what every sync needs, also where no column shows it', () => {
    const blind = openSurvey(false, 0);
    for (const i of [1, 2, 3, 4]) blind.see({ a: 'x', b: i % 2 === 0 ? 'in' : 'out', c: 'y' });
    const asking = (answers: Answers) =>
      cardsOf(propose(blind.result(), answers, true), { survey: blind.result(), answers, isRevealed: false });
    const open = asking({}).filter(({ state }) => state === 'open');
    expect(open.map(({ about }) => about)).toEqual(['identification', 'firstName', 'lastName', 'status']);
    expect(open.map(({ choices }) => choices[0]?.effect)).toContain('2 values');
    const said = asking({ identification: 'a', firstName: 'b', lastName: 'c', status: '-' });
    expect(said.filter(({ state }) => state === 'open')).toEqual([]);
    expect(said.map(({ evidence }) => es.reason(evidence))).toContain('ninguna columna sirve');
  });
});

describe('a proposal', () => {
  it('finds each column whose values agree with the platform', () => {
    expect(columnsOf(proposed(rows))).toEqual(truth);
  });

  it('finds the same columns in any order, under any name, without those that were dropped', () => {
    const names = Object.keys(rows[0] ?? {});
    const edit = fc.record({
      order: fc.shuffledSubarray(names, { minLength: names.length }),
      renamed: fc.uniqueArray(fc.stringMatching(/^[xyz]{4,8}$/), { minLength: names.length, maxLength: names.length }),
      dropped: fc.subarray(['department', 'city', 'cc', 'work_email']),
    });
    fc.assert(
      fc.property(edit, ({ order, renamed, dropped }) => {
        const kept = order.filter((name) => !dropped.includes(name));
        const called = new Map(kept.map((name, i) => [name, renamed[i] ?? name]));
        const edited = rows.map((row) => Object.fromEntries(kept.map((name) => [called.get(name), row[name] ?? ''])));
        const wanted = Object.entries(truth).filter(([, column]) => called.has(column));
        expect(columnsOf(proposed(edited))).toEqual(
          Object.fromEntries(wanted.map(([field, column]) => [field, called.get(column)])),
        );
      }),
      { numRuns: drawRuns(40) },
    );
  });

  it('is the same for the same input, to the byte', () => {
    expect(proposalYaml(proposed(rows))).toBe(proposalYaml(proposed(rows)));
  });

  it('lets agreement outrank names: a column that is called area and holds the city is the office', () => {
    const called = rows.map(({ department = '', city = '', ...row }) => ({ ...row, area: city, x: department }));
    expect(columnsOf(proposed(called))).toMatchObject({ area: 'x', office: 'area' });
  });

  it('leaves out a column that is only called like the field, and differs for nearly everyone', () => {
    const wrong = rows.map(({ department: _, ...row }, i) => ({ ...row, department: `Unit ${i % 7}` }));
    const area = fieldOf(proposed(wrong), 'area');
    expect(area).toMatchObject({ certainty: 'off', rule: { from: 'department' } });
    expect(proposalYaml(proposed(wrong))).toMatch(/# area: department +# UNSURE, so it is left out/);
  });

  it('finds capitals that the platform writes otherwise', () => {
    const loud = rows.map((row) => ({ ...row, department: (row.department ?? '').toUpperCase() }));
    expect(fieldOf(proposed(loud), 'area')?.rule).toEqual({ from: 'department', transform: ['capitalize'] });
  });

  it('says who is on one side only, and by what people were found', () => {
    const { people: both } = proposed([
      ...rows.slice(5),
      ...cells('first_name', ['Ana', 'Bo']).map(({ id, ...row }) => ({ ...row, employee_id: `N${id}` })),
    ]);
    expect(both).toMatchObject({ by: 'identification', both: 55, sourceOnly: 2, platformOnly: 5 });
    expect(both?.platformOnlyNames[0]).toBe(people[0]?.identification);
  });

  it('finds people by e-mail where the identifications are others', () => {
    const other = rows.map((row, i) => ({ ...row, employee_id: `HR-${i}` }));
    const found = proposed(other);
    expect(found.people).toMatchObject({ by: 'e-mail', both: 60 });
    expect(columnsOf(found)).toEqual(truth);
    expect(found.remarks.join(' ')).toContain('rollcall adopt');
  });

  it('flags two e-mail columns that nothing tells apart, and takes the one that the platform has', () => {
    const two = rows.map((row, i) => ({
      ...row,
      work_email: '',
      mail_a: `p${i}@home.example`,
      mail_b: row.work_email ?? '',
    }));
    const alone = fieldOf(proposed(two, 'none'), 'email');
    expect(alone).toMatchObject({ certainty: 'unsure', evidence: expect.stringContaining('could also be mail_b') });
    expect(fieldOf(proposed(two), 'email')).toMatchObject({ certainty: 'sure', rule: { from: 'mail_b' } });
  });
});

/** The people with one more column, and the platform's identifications in another form. */
const also = (name: string, cell: (i: number, row: Row) => string): readonly Row[] =>
  rows.map((row, i) => ({ ...row, [name]: cell(i, row) }));
const called = (nameOf: (i: number) => string): readonly User[] =>
  users.map((user, i) => ({ ...user, identification: nameOf(i) }));

describe('two figures', () => {
  it('let no column with few values win, and make the first filled of two', () => {
    const legal = also('preferred', (i, row) => (i % 9 === 4 ? (row.first_name ?? '') : '')).map((row, i) => ({
      ...row,
      first_name: i % 9 === 4 ? `Legal ${row.first_name}` : (row.first_name ?? ''),
    }));
    const found = fieldOf(proposed(legal), 'firstName');
    expect(found).toMatchObject({ certainty: 'sure', agreement: { pairs: 60, equal: 60 } });
    expect(found?.rule).toEqual({ expression: '`preferred` ? `preferred` : `first_name`' });
    const few = fieldOf(proposed(legal.map(({ first_name: _, ...row }) => row)), 'firstName');
    expect(few).toMatchObject({ certainty: 'unsure', effect: expect.stringContaining('gets no account') });
  });

  const rut = (i: number, mark = '.') => `10${mark}003${mark}${100 + i}-${i % 3 === 0 ? 'k' : i % 3}`;
  test.each([
    [
      'dots and case',
      (i: number) => rut(i),
      (i: number) => rut(i, '').toUpperCase(),
      "$uppercase($replace(`employee_id`, /[\\.]/, ''))",
    ],
    [
      'marks of the platform',
      (i: number) => rut(i, ''),
      (i: number) => rut(i),
      "$replace($replace(`employee_id`, /[\\W_]/, ''), /^(.+)(.{3})(.{3})(.{1})$/, '$1.$2.$3-$4')",
    ],
    [
      'leading zeros',
      (i: number) => `00${100 + i}`,
      (i: number) => String(100 + i),
      "$replace(`employee_id`, /^0+(?=.)/, '')",
    ],
    [
      'zeros of the platform',
      (i: number) => String(95 + i),
      (i: number) => String(95 + i).padStart(5, '0'),
      "$pad(`employee_id`, -5, '0')",
    ],
    [
      'blanks and case',
      (i: number) => `E ${i}`,
      (i: number) => `e${i}`,
      "$lowercase($replace(`employee_id`, /[\\ ]/, ''))",
    ],
  ])('match identifications in another form: %s', (...[, ours, theirs, expression]) => {
    const { identification, people: both } = proposed(also('employee_id', ours), called(theirs));
    expect(identification).toMatchObject({ certainty: 'sure', rule: { expression } });
    expect(both).toMatchObject({ by: 'identification', both: 60 });
  });

  it('make two people never one', () => {
    const twins = also('employee_id', (i) => (i === 1 ? '0101' : String(101 + i - (i === 0 ? 0 : 1))));
    expect(
      proposed(
        twins,
        called((i) => String(101 + i)),
      ).identification,
    ).toMatchObject({ certainty: 'unsure' });
  });
});

describe('the last day of work', () => {
  const isGone = (i: number) => i % 10 === 0;
  const left = (i: number, day: string) => (isGone(i) ? day : '');
  const bare = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'state'));
  const leaveOf = (records: readonly Row[], platform: readonly User[] = users) =>
    proposed(records.map(bare), platform).lifecycle?.leaveDate;

  test.each([
    ['by its days alone', 'zzz', (i: number) => left(i, '2026-03-31'), 'sure'],
    ['in Japanese', '退職日', (i: number) => left(i, '2026年3月31日'), 'sure'],
    [
      'as an instant of Active Directory',
      'zzz',
      (i: number) => (isGone(i) ? '134140320000000000' : '9223372036854775807'),
      'sure',
    ],
    ['not where nearly everyone has one', 'probation end date', () => '31/12/2025', 'off'],
    ['not where no cell is a date', 'Baja', (i: number) => (isGone(i) ? 'S' : 'N'), undefined],
    ['not where no cell is a date, but a number', 'Baja', (i: number) => (isGone(i) ? '1' : '0'), undefined],
    [
      'not for a training that active people had',
      'training',
      (i: number) => (i % 4 === 1 ? '2025-03-31' : ''),
      undefined,
    ],
  ])('%s', (...[, name, cell, certainty]) => {
    expect(leaveOf(also(name, cell))?.certainty).toBe(certainty);
  });

  it('has its own format, over all its cells, and a line where it is left out', () => {
    const two = also('austritt', (i) => left(i, ['11/15/2025', '10/30/2025', '12/12/2025'][i % 3] ?? ''));
    expect(proposalYaml(proposed(two))).toMatch(/dateFormat: dd\/MM\/yyyy\s+leaveDateFormat: M\/d\/yyyy/);
    const short = proposalYaml(proposed(also('austritt', (i) => left(i, '31.03.26')).map(bare)));
    expect(short).toMatch(
      /# leaveDate: austritt +# UNSURE, so it is left out: .*no format that Rollcall reads: export years of four digits/,
    );
  });

  it('cannot be a column that Rollcall cannot read, whatever is answered', () => {
    const short = also('austritt', (i) => left(i, '31.03.26')).map(bare);
    const found = proposed(short, users, { leaveDate: 'austritt' });
    expect(found.lifecycle?.leaveDate).toMatchObject({ certainty: 'off', choices: [{ key: '-' }] });
    expect(found.open).toContainEqual({
      about: 'leaveDate',
      effect: 'if austritt is the last day of work: no account ends by a date; as written: none',
    });
  });

  it('takes no order from a first day whose own order nothing shows, and asks for it', () => {
    const american = rows.map((row, i) => {
      const [year, month, day] = (people[i]?.fields.orgEntryDate ?? '').split('-');
      return {
        ...row,
        hire_date: `${month}/0${1 + (Number(day) % 9)}/${year}`,
        'term date': left(i, `0${1 + (i % 7)}/0${1 + (i % 5)}/2025`),
      };
    });
    const silent = users.map(({ fields: { orgEntryDate: _, birthDate: __, ...fields }, ...user }) => ({
      ...user,
      fields,
    }));
    const leave = (answers: Answers) => proposed(american, silent, answers).lifecycle?.leaveDate;
    const key = '{ from: term date, format: MM/dd/yyyy }';
    const choices = [{ key }, { key: '{ from: term date, format: dd/MM/yyyy }' }, { key: '-' }];
    expect(leave({})).toMatchObject({ certainty: 'unsure', choices });
    // The column alone says nothing of the order.
    expect(leave({ leaveDate: 'term date' })).toMatchObject({ certainty: 'unsure', choices });
    expect(leave({ leaveDate: key })).toMatchObject({ certainty: 'sure', rule: { format: 'MM/dd/yyyy' }, choices });
  });

  it('says what it does to people whose accounts are enabled', () => {
    const enabled = users.map((user) => ({ ...user, enabled: true }));
    const found = proposed(also('termination date', (i) => left(i, '2026-03-31')).map(bare), enabled);
    expect(found.open).toEqual([
      {
        about: 'leaveDate',
        effect: 'as written: 6 lose access with policy sync; if termination date is another day: none',
      },
    ]);
  });
});

describe('by names alone', () => {
  test.each([
    ['English', 'Employee Number;Given Name;Surname;Work E-mail;Department;Job Title;Date of Birth'],
    ['Spanish', 'Nº Legajo;Nombres;Apellidos;Correo corporativo;Gerencia;Puesto;Fecha de nacimiento'],
    ['Portuguese', 'Matrícula;Primeiro nome;Sobrenome;E-mail profissional;Setor;Cargo;Data de nascimento'],
    ['SAP', 'PERNR;VORNA;NACHN;USRID_LONG;ORGTX;PLSTX;GBDAT'],
  ])('%s', (_, header) => {
    const names = header.split(';');
    const values = ['7001', 'Ana', 'Pérez', 'ana@example.com', 'Legal', 'Analyst', '31/01/1990'];
    const row = (i: number): Row =>
      Object.fromEntries(names.map((name, place) => [name, place === 0 ? String(7001 + i) : (values[place] ?? '')]));
    expect(Object.values(columnsOf(proposed([row(0), row(1), row(2)], 'none')))).toEqual(
      [0, 3, 1, 2, 4, 5, 6].map((place) => names[place]),
    );
  });

  it('divides a whole name', () => {
    const found = proposed(cells('Apellidos y nombres', ['Pérez, Ana', 'Sosa, Bruno']), 'none');
    expect(found.fields.map(({ field, certainty, rule }) => [field, certainty, 'expression' in rule])).toEqual([
      ['firstName', 'unsure', true],
      ['lastName', 'unsure', true],
    ]);
  });
});

describe('dates', () => {
  test.each([
    ['a day above 12 shows dd/MM', ['01/02/2020', '13/02/2021'], 'dd/MM/yyyy', 'sure', '1 day above 12'],
    ['a day above 12 shows MM/dd', ['01/02/2020', '02/13/2021'], 'MM/dd/yyyy', 'sure', '1 day above 12'],
    ['days without a zero', ['1/2/2020', '13/2/2021'], 'd/M/yyyy', 'sure', 'every date fits'],
    ['nothing shows the order', ['01/02/2020', '03/04/2021'], 'dd/MM/yyyy', 'unsure', 'it can also be MM/dd/yyyy'],
    ['one cell does not fit', ['13/02/2020', '13/03/2020', 'soon'], 'dd/MM/yyyy', 'unsure', '1 cell is no such date'],
    ['a date that means none is no misfit', ['13.02.2020', '31.12.9999'], 'dd.MM.yyyy', 'sure', 'every date fits'],
    ['ISO', ['2020-01-02'], undefined, 'sure', 'every date fits'],
  ])('%s', (...[, values, format, certainty, evidence]) => {
    const found = fieldOf(proposed(cells('hire date', values), 'none'), 'orgEntryDate');
    expect(found).toMatchObject({ certainty, evidence: expect.stringContaining(evidence) });
    expect(found?.rule).toEqual({ from: 'hire date', ...(format === undefined ? {} : { format }) });
  });

  it('take the order from another column, or from the platform', () => {
    const born = cells('hire date', ['01/02/2020', '03/04/2021']).map((row) => ({
      ...row,
      'birth date': '31/01/1990',
    }));
    expect(fieldOf(proposed(born, 'none'), 'orgEntryDate')).toMatchObject({
      certainty: 'sure',
      rule: { format: 'dd/MM/yyyy' },
    });
    const early = users.filter(({ fields }) => Number((fields.orgEntryDate ?? '-31').slice(-2)) <= 12);
    const american = rows.flatMap((row, i) => {
      const [year, month, day] = (people[i]?.fields.orgEntryDate ?? '').split('-');
      return Number(day) > 12 ? [] : [{ ...row, hire_date: `${month}/${day}/${year}` }];
    });
    expect(fieldOf(proposed(american, early), 'orgEntryDate')).toMatchObject({
      certainty: 'sure',
      rule: { format: 'MM/dd/yyyy' },
    });
  });

  it('of a spreadsheet are days, and short years leave a line that says so', () => {
    const days = fieldOf(proposed(cells('hire date', ['45306', '45307']), 'none'), 'orgEntryDate');
    expect(days).toMatchObject({ certainty: 'unsure', rule: { format: 'sheet-days' } });
    const short = proposed(cells('hire date', ['01/02/99']), 'none');
    expect(proposalYaml(short)).toMatch(/# orgEntryDate: hire date +# UNSURE, so it is left out/);
  });
});

describe('statuses', () => {
  const of = (found: ReturnType<typeof proposed>) =>
    Object.fromEntries((found.lifecycle?.statuses ?? []).map(({ value, meaning }) => [value, meaning]));

  it('mean what their words say, and what the platform shows of unknown words', () => {
    expect(of(proposed(rows))).toEqual({ working: 'active', 'gone home': 'leaver' });
    expect(of(proposed(rows, 'none'))).toEqual({ working: 'active', 'gone home': 'unknown' });
  });

  it('are no word of active people only because leavers still have their accounts', () => {
    const enabled = users.map((user) => ({ ...user, enabled: true }));
    const of6 = (word: string, last = '') =>
      rows.map((row, i) => (i % 10 === 0 ? { ...row, state: word, 'last day': last } : row));
    expect(of(proposed(of6('ausgeschieden'), enabled))).toEqual({ working: 'active', ausgeschieden: 'unknown' });
    expect(of(proposed(of6('Sorti', '2026-10-31'), enabled))).toEqual({ working: 'active', Sorti: 'leaver' });
    expect(of(proposed(of6('Befristet', '2027-10-31'), enabled))).toEqual({ working: 'active', Befristet: 'unknown' });
    const three = rows.map((row, i) => ({ ...row, state: ['Vollzeit', 'Teilzeit', 'ausgeschieden'][i % 3] ?? '' }));
    expect(proposed(three, enabled).lifecycle?.status).toBeUndefined();
  });

  test.each([
    ['marriage', 'Marital status', ['Single', 'Married', 'Divorced']],
    ['marriage under any name', 'Status', ['verheiratet', 'verheiratet', 'ledig']],
    ['kinds of contracts', 'Employment Status', ['Full-Time', 'Full-Time', 'Part-Time']],
    ['places', 'State', ['TX', 'TX', 'TX', 'CA']],
    ['a yes or no of something else', 'Disabled', ['No', 'No', 'No', 'Yes']],
  ])('are never %s', (_, name, words) => {
    const found = proposed(also(name, (i) => words[i % words.length] ?? '').map(({ state: __, ...row }) => row));
    expect(found.lifecycle?.status).toBeUndefined();
    expect(found.open).toMatchObject([{ about: 'status' }]);
  });

  it('of one value leave a line, and those of a yes or no mean what their column asks', () => {
    const one = also('status', () => 'active').map(({ state: _, ...row }) => row);
    expect(proposalYaml(proposed(one))).toMatch(/# status: status +# UNSURE, so it is left out/);
    const asked = (name: string, yes: string, no: string) =>
      of(proposed(also(name, (i) => (i % 10 === 0 ? yes : no)).map(({ state: _, ...row }) => row)));
    expect(asked('Terminated', 'Yes', 'No')).toEqual({ Yes: 'leaver', No: 'active' });
    expect(asked('is_active', '0', '1')).toEqual({ 0: 'leaver', 1: 'active' });
  });

  test.each([
    ['a word for those who are away in some countries', 'De baja', 'Finalizado', 'En activo', 'unknown', 'unknown'],
    ['the opposite of active', 'Inactive', 'On leave', 'Active', 'leaver', 'active'],
    ['the same beside a word for leavers', 'Inactive', 'Terminated', 'Active', 'unknown', 'leaver'],
    ['the same beside a word that may be one', 'nicht aktiv', 'beendet', 'aktiv', 'unknown', 'unknown'],
  ])('that say left only by %s take no access where another value may say it', (...[, word, other, rest, ...meant]) => {
    const words = also('state', (i) => (i % 10 === 0 ? word : i % 10 === 1 ? other : rest));
    const enabled = users.map((user) => ({ ...user, enabled: true }));
    expect(of(proposed(words, enabled))).toEqual({ [word]: meant[0], [other]: meant[1], [rest]: 'active' });
    // Their accounts show it.
    expect(of(proposed(words))).toMatchObject({ [word]: 'leaver' });
  });

  test.each([
    ['Estado', 'Cesado', 'En nómina', 5, 'sure'],
    ['zzz', 'P', 'Q', 5, 'unsure'],
    ['zzz', 'P', 'Q', 1, 'unsure'],
  ])('of %s are told by accounts: %s of %s', (...[name, gone, here, most, certainty]) => {
    const hasLeft = (i: number) => i % 8 < most;
    const platform = users.map((user, i) => ({ ...user, enabled: !hasLeft(i) }));
    const told = also(name, (i) => (hasLeft(i) ? gone : here)).map(({ state: _, ...row }) => row);
    const found = proposed(told, platform);
    expect(found.lifecycle?.status).toMatchObject({ path: name, certainty });
    expect(of(found)).toEqual({ [gone]: 'leaver', [here]: 'active' });
    // One account of an unknown word is enabled: no one loses it by a guess.
    const late = proposed(
      told,
      platform.map((user, i) => (i === 0 ? { ...user, enabled: true } : user)),
    );
    expect(of(late)[gone] ?? 'unknown').toBe(gone === 'Cesado' ? 'leaver' : 'unknown');
  });

  it('that no column has say what happens to disabled accounts', () => {
    const bare = rows.map(({ state: _, ...row }) => row);
    const effect = 'as written: no person counts as a leaver; 6 disabled accounts get access';
    expect(proposed(bare).open).toEqual([{ about: 'status', effect }]);
  });

  it('that are unknown are listed with what they would do to people', () => {
    const enabled = users.map((user) => ({ ...user, enabled: true }));
    const found = proposed(
      also('state', (i) => (i % 10 === 0 ? 'ausgeschieden' : 'aktiv')),
      enabled,
    );
    expect(found.open).toContainEqual({
      about: 'status ausgeschieden',
      effect: 'if ausgeschieden means left: 6 lose access with policy sync; as written: none',
    });
  });

  it('are in neither list where word and platform disagree, so that nothing happens', () => {
    const swapped = rows.map((row, i) => ({
      ...row,
      state: people[i]?.enabled ? 'on' : 'activo',
      status: people[i]?.enabled ? 'vigente' : 'activo',
    }));
    expect(of(proposed(swapped))).toMatchObject({ activo: 'unknown', vigente: 'active' });
  });
});

describe('the key', () => {
  it('is unsure where a value occurs twice', () => {
    expect(proposed([...cells('n', ['a', 'b', 'c']), { id: 'E0', n: 'd' }], 'none').identification).toMatchObject({
      certainty: 'unsure',
      evidence: expect.stringContaining('1 row repeats a value'),
    });
  });

  it('without any, the configuration says what to change', () => {
    expect(
      proposalYaml(
        proposed(
          cells('x', ['same', 'same']).map(({ id: _, ...row }) => row),
          undefined,
        ),
      ),
    ).toContain('identification: CHANGE_ME');
  });
});

test('each column name is the same text again when YAML has read it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.constantFrom('no', 'Yes', '3', 'a: b', 'x #y', 'Nº de legajo', '- a', 'E-mail 2', 'null', '~'),
      ),
      (name) => {
        expect(parse(`key: ${scalar(name)}`)).toEqual({ key: name });
        expect(parse(`{ from: ${scalar(name)}, x: 1 }`)).toEqual({ from: name, x: 1 });
      },
    ),
    { numRuns: drawRuns(400) },
  );
});
