import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type SeedUser, seedUsers } from '../../src/sandbox/people/seed-users.ts';

/** An export as an HR system or a person writes it, of generated people, and the platform that it belongs to. */
export interface HrExport {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  /** The platform's users: most of the people of the file, some who moved since, some who are gone. */
  readonly users: readonly SeedUser[];
  /** What a person who knows the file would map: field or lifecycle key → column. */
  readonly truth: Readonly<Record<string, string>>;
  /** Users whose values the file has otherwise: who moved, and whose names the encoding cannot write. */
  readonly updates: number;
  readonly active: readonly string[];
  readonly leaver: readonly string[];
}

const count = 240;
const joiners = 6;
const movers = [8, 30, 77, 111, 150, 199];
const leavers = [15, 60, 121, 180];

interface HrPerson extends SeedUser {
  readonly left: boolean;
  readonly area: string;
  readonly endDate: string;
}

function peopleOf(
  seed: number,
  nameOf: (index: number) => string,
): { readonly hr: readonly HrPerson[]; readonly users: readonly SeedUser[] } {
  const all = [...seedUsers(count + joiners, seed)].map((user, i) => ({ ...user, identification: nameOf(i) }));
  const hr = all.map((user, i): HrPerson => {
    const left = i < count && (!user.enabled || leavers.includes(i));
    const area = movers.includes(i) ? 'Transformation' : (user.fields.area ?? '');
    return { ...user, left, area, endDate: left ? '2026-09-30' : '' };
  });
  // The platform knows a few people whom HR does not, such as an administrator.
  const extra = [...seedUsers(3, seed + 1)].map((user, i) => ({ ...user, identification: `admin-${i + 1}` }));
  return { hr: [...hr].filter((_, i) => i % 40 !== 39), users: [...all.slice(0, count), ...extra] };
}

const dateAs = (iso: string, form: string): string => {
  const [year = '', month = '', day = ''] = iso.split('-');
  if (iso === '') return '';
  return form
    .replace('yyyy', year)
    .replace('MM', month)
    .replace('dd', day)
    .replace('M', String(Number(month)))
    .replace('d', String(Number(day)));
};

type Columns = Readonly<Record<string, (person: HrPerson, index: number) => string>>;

function table(people: readonly HrPerson[], columns: Columns, delimiter: string): string[] {
  const quote = (cell: string): string =>
    cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  const rows = people.map((person, i) =>
    Object.values(columns)
      .map((cell) => quote(cell(person, i)))
      .join(delimiter),
  );
  return [Object.keys(columns).map(quote).join(delimiter), ...rows];
}

const field = (
  name: 'email' | 'firstName' | 'lastName' | 'office' | 'job' | 'phoneNumber' | 'account' | 'project' | 'customField1',
) => {
  return ({ fields }: HrPerson): string => fields[name] ?? '';
};
const at =
  (name: 'orgEntryDate' | 'birthDate', form: string) =>
  ({ fields }: HrPerson) =>
    dateAs(fields[name] ?? '', form);

/** Five exports that have little in common. */
export function hrExports(): readonly HrExport[] {
  return [spanish(), excel(), twoEmails(), withoutEmail(), sapList()];
}

function spanish(): HrExport {
  const { hr, users } = peopleOf(21, (i) => String(40_100 + i));
  const columns: Columns = {
    Legajo: ({ identification }) => identification,
    Apellidos: field('lastName'),
    Nombres: field('firstName'),
    'Correo electrónico': field('email'),
    Gerencia: ({ area }) => area,
    Cargo: field('job'),
    'Fecha de ingreso': at('orgEntryDate', 'dd/MM/yyyy'),
    'Fecha de nacimiento': at('birthDate', 'dd/MM/yyyy'),
    'Centro de costo': field('customField1'),
    Sede: field('office'),
    Estado: ({ left }, i) => (left ? 'Baja' : i % 50 === 7 ? 'Licencia' : 'Activo'),
    'Fecha de egreso': ({ endDate }) => dateAs(endDate, 'dd/MM/yyyy'),
  };
  return {
    ...{ name: 'a Spanish one', file: 'personal.csv', users },
    bytes: Buffer.from(`${table(hr, columns, ',').join('\n')}\n`),
    truth: {
      ...{
        identification: 'Legajo',
        firstName: 'Nombres',
        lastName: 'Apellidos',
        email: 'Correo electrónico',
        area: 'Gerencia',
        job: 'Cargo',
      },
      ...{
        orgEntryDate: 'Fecha de ingreso',
        birthDate: 'Fecha de nacimiento',
        office: 'Sede',
        customField1: 'Centro de costo',
      },
      ...{ status: 'Estado', leaveDate: 'Fecha de egreso', hireDate: 'Fecha de ingreso', dateFormat: 'dd/MM/yyyy' },
    },
    updates: 5,
    active: ['Activo', 'Licencia'],
    leaver: ['Baja'],
  };
}

function excel(): HrExport {
  const { hr, users } = peopleOf(22, (i) => `E${String(i + 1).padStart(4, '0')}`);
  const columns: Columns = {
    'Employee No.': ({ identification }) => identification,
    'First Name': ({ fields }) => (fields.firstName ?? '').toUpperCase(),
    Surname: field('lastName'),
    'Work Email': field('email'),
    Division: ({ area }) => area,
    Location: field('office'),
    'Start Date': at('orgEntryDate', 'd.M.yyyy'),
    Client: field('account'),
    'Employment Status': ({ left }) => (left ? 'Terminated' : 'Active'),
  };
  const lines = table(hr, columns, ';').map((line) => `${line};;;`);
  const text = ['Headcount report;;;;;;;;;;;', 'Created by HR;;;;;;;;;;;', ';;;;;;;;;;;', ...lines].join('\r\n');
  return {
    ...{ name: 'one of Excel: UTF-16, semicolons, title lines, empty columns', file: 'headcount.csv', users },
    bytes: Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(`${text}\r\n`, 'utf16le')]),
    truth: {
      ...{
        identification: 'Employee No.',
        firstName: 'First Name',
        lastName: 'Surname',
        email: 'Work Email',
        area: 'Division',
      },
      ...{
        office: 'Location',
        orgEntryDate: 'Start Date',
        account: 'Client',
        status: 'Employment Status',
        hireDate: 'Start Date',
      },
      ...{ skipLines: '3', delimiter: ';', dateFormat: 'd.M.yyyy' },
    },
    updates: 5,
    active: ['Active'],
    leaver: ['Terminated'],
  };
}

function twoEmails(): HrExport {
  const { hr, users } = peopleOf(23, (i) => `U-${1_000 + i * 3}`);
  const columns: Columns = {
    Number: ({ identification }) => identification,
    Given: field('firstName'),
    Family: field('lastName'),
    'E-mail 1': (_, i) => `private${i}@mail.example.org`,
    'E-mail 2': field('email'),
    Team: ({ area }) => area,
    Joined: at('orgEntryDate', 'MM/dd/yyyy'),
    Mobile: field('phoneNumber'),
    Programme: field('project'),
    State: ({ left }) => (left ? 'X' : 'E'),
  };
  return {
    ...{ name: 'one with two e-mail columns, in Windows-1252 with tabs', file: 'people.txt', users },
    bytes: Buffer.from(
      `${table(hr, columns, '\t').join('\r\n')}\r\n`
        .replace(/Ł/g, 'L')
        .replace(/ł/g, 'l')
        .replace(/[\u{100}-\u{10ffff}]/gu, ''),
      'latin1',
    ),
    truth: {
      ...{
        identification: 'Number',
        firstName: 'Given',
        lastName: 'Family',
        email: 'E-mail 2',
        area: 'Team',
        orgEntryDate: 'Joined',
      },
      ...{
        phoneNumber: 'Mobile',
        project: 'Programme',
        status: 'State',
        hireDate: 'Joined',
        encoding: 'windows-1252',
        delimiter: 'tab',
      },
      dateFormat: 'MM/dd/yyyy',
    },
    updates: 12,
    active: ['E'],
    leaver: ['X'],
  };
}

function withoutEmail(): HrExport {
  const { hr, users } = peopleOf(24, (i) => String(900_000 + i * 7));
  const columns: Columns = {
    Matrícula: ({ identification }) => identification,
    'Nome completo': ({ fields }) => `${fields.lastName}, ${fields.firstName}`,
    Setor: ({ area }) => area,
    Função: field('job'),
    'Data de admissão': at('orgEntryDate', 'dd-MM-yyyy'),
    Filial: field('office'),
    Situação: ({ left }, i) => (left ? 'Desligado' : i % 30 === 4 ? 'Férias' : 'Ativo'),
  };
  return {
    ...{ name: 'a Portuguese one without e-mail, with the whole name in one column', file: 'colaboradores.csv', users },
    bytes: Buffer.from(`\ufeff${table(hr, columns, ';').join('\n')}\n`),
    truth: {
      ...{
        identification: 'Matrícula',
        firstName: 'Nome completo',
        lastName: 'Nome completo',
        area: 'Setor',
        job: 'Função',
      },
      ...{
        orgEntryDate: 'Data de admissão',
        office: 'Filial',
        status: 'Situação',
        hireDate: 'Data de admissão',
        delimiter: ';',
      },
      dateFormat: 'dd-MM-yyyy',
    },
    updates: 5,
    active: ['Ativo', 'Férias'],
    leaver: ['Desligado'],
  };
}

function sapList(): HrExport {
  const { hr, users } = peopleOf(25, (i) => String(1_001 + i).padStart(8, '0'));
  const columns: Columns = {
    PERNR: ({ identification }) => identification,
    VORNA: field('firstName'),
    NACHN: field('lastName'),
    STAT2: ({ left }) => (left ? '0' : '3'),
    BEGDA: at('orgEntryDate', 'dd.MM.yyyy'),
    ENDDA: ({ endDate }) => (endDate === '' ? '31.12.9999' : dateAs(endDate, 'dd.MM.yyyy')),
    ORGEH: (_, i) => String(50_000_100 + (i % 9)),
    ORGTX: ({ area }) => area,
    PLSTX: field('job'),
    GBDAT: at('birthDate', 'dd.MM.yyyy'),
    KOSTL: field('customField1'),
    BTEXT: field('office'),
    USRID_LONG: ({ fields }) => (fields.email ?? '').toUpperCase(),
  };
  return {
    ...{ name: 'a list of SAP', file: 'zhr_list.txt', users },
    bytes: Buffer.from(`${table(hr, columns, '|').join('\n')}\n`),
    truth: {
      ...{
        identification: 'PERNR',
        firstName: 'VORNA',
        lastName: 'NACHN',
        email: 'USRID_LONG',
        area: 'ORGTX',
        job: 'PLSTX',
        office: 'BTEXT',
      },
      ...{
        orgEntryDate: 'BEGDA',
        birthDate: 'GBDAT',
        customField1: 'KOSTL',
        status: 'STAT2',
        hireDate: 'BEGDA',
        leaveDate: 'ENDDA',
      },
      ...{ delimiter: '|', dateFormat: 'dd.MM.yyyy' },
    },
    updates: 5,
    active: ['3'],
    leaver: ['0'],
  };
}

/** Writes each export into a folder, for a trial by hand: node test/support/exports.ts. */
export async function writeExports(folder: string): Promise<void> {
  for (const { file, bytes } of hrExports()) await writeFile(join(folder, file), bytes);
}

/** What `init --from` writes, as far as a test reads it. */
export interface Written {
  readonly syncs: {
    readonly people: {
      readonly source: Readonly<Record<string, unknown>>;
      readonly mapping: Readonly<Record<string, unknown>> & {
        readonly customFields?: Readonly<Record<string, unknown>>;
      };
      readonly lifecycle: Readonly<Record<string, unknown>> & { readonly active: string[]; readonly leaver?: string[] };
    };
  };
}

/** Where each field and key comes from, as text. */
function choices({ syncs: { people } }: Written): Record<string, string> {
  const { customFields = {}, ...mapping } = people.mapping;
  const custom = Object.entries(customFields).map(([number, rule]) => [`customField${number}`, rule]);
  const rules = [
    ...Object.entries(mapping),
    ...custom,
    ...Object.entries(people.lifecycle),
    ...Object.entries(people.source),
  ];
  return Object.fromEntries(
    rules.map(([key, rule]) => [
      key,
      typeof rule === 'object' && rule !== null && 'from' in rule ? rule.from : JSON.stringify(rule),
    ]),
  );
}

/** Compares a proposed configuration with the truth of its export: the keys that are wrong, and the share that is right. */
export function compareProposal(yaml: string, { truth }: Pick<HrExport, 'truth'>) {
  const found = choices(parse(yaml) as Written);
  const wrong = Object.entries(truth).flatMap(([key, column]) => (String(found[key]).includes(column) ? [] : [key]));
  return { wrong, share: 1 - wrong.length / Object.keys(truth).length };
}
