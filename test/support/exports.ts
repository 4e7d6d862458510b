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
  /** What a person who knows the file would map: field, lifecycle or source key → the texts of its rule. */
  readonly truth: Readonly<Record<string, readonly string[]>>;
  /** Values of the status by what they mean to such a person. */
  readonly statuses: StatusWords | undefined;
  /** Users whose values the file has otherwise: who moved, and whose names the file cannot write. */
  readonly updates: number;
}

const count = 160;
const joiners = 6;
const movers = [8, 30, 77, 111, 150];
/** People who left. Those of the second list still have their accounts. */
const gone = [3, 28, 53, 78, 103, 128];
const leavers = [15, 60, 121];

interface HrPerson extends SeedUser {
  readonly number: number;
  readonly left: boolean;
  readonly endDate: string;
  /** The area that the platform knows, which is another one for who moved. */
  readonly areaBefore: string;
  /** The name that is used, where it is not the legal one. */
  readonly preferred: string;
  readonly legal: string;
}

/** The same people for each export, as HR has them. */
function world(): readonly HrPerson[] {
  return [...seedUsers(count + joiners, 21)].map((user, number) => {
    const left = gone.includes(number) || leavers.includes(number);
    const areaBefore = user.fields.area ?? '';
    const area = movers.includes(number) ? 'Transformation' : areaBefore;
    const endDate = left ? `2025-0${(number % 8) + 1}-${10 + (number % 19)}` : '';
    const legal = user.fields.firstName ?? '';
    const preferred = number % 9 === 4 ? `Lee ${legal}` : '';
    const fields = { ...user.fields, area, firstName: preferred === '' ? legal : preferred };
    return { ...user, fields, number, left, endDate, areaBefore, preferred, legal };
  });
}

type Write = (person: HrPerson) => string;
type StatusWords = Readonly<Record<'active' | 'leaver' | 'unknown', readonly string[]>>;
/** A column: the keys that it is right for, each with its format, and its cells. Without keys it is there to mislead. */
type Column = readonly [truth: Readonly<Record<string, string>>, write: Write, words?: StatusWords];

const two = (value: number): string => String(value).padStart(2, '0');
const months = 'January February March April May June July August September October November December'.split(' ');

/** Writes a day as the format says. */
function dateAs(iso: string, format: string): string {
  if (iso === '') return '';
  const at = Date.parse(`${iso}T00:00:00Z`);
  if (format === 'sheet-days') return String(at / 86_400_000 + 25_569);
  if (format === 'filetime') return String((BigInt(at) + 11_644_473_600_000n) * 10_000n);
  if (format === 'json-date') return `/Date(${at})/`;
  const [year, month, day] = iso.split('-').map(Number) as [number, number, number];
  const name = months[month - 1] ?? '';
  const parts: Readonly<Record<string, string>> = {
    ...{ yyyy: String(year), MMMM: name, MMM: name.slice(0, 3), MM: two(month), M: String(month), dd: two(day) },
    ...{ d: String(day), HH: '00', h: '12', mm: '00', ss: '00', SSS: '000', S: '0', a: 'AM', XXX: '-08:00', Z: 'Z' },
  };
  return format.replace(/'T'|([A-Za-z])\1*/g, (letters) => parts[letters] ?? 'T');
}

const dated = (key: string, format: string, dayOf: Write, none = ''): Column => {
  const write: Write = (person) => dateAs(dayOf(person), format) || none;
  return [key === '' ? {} : { [key]: format === 'yyyy-MM-dd' ? '' : format }, write];
};
const own = (name: keyof SeedUser['fields']) => (): Column => [{ [name]: '' }, ({ fields }) => fields[name] ?? ''];
const capital = ([truth, write]: Column): Column => [truth, (person) => write(person).toUpperCase()];
const digits: Write = ({ number }) => String(40_100 + number);
const rut: Write = ({ number }) => `${10_003_607 + number * 13}-${number % 7 || 'K'}`;

/** The columns of the rows below. */
const kinds: Readonly<Record<string, (...words: string[]) => Column>> = {
  ...{ email: own('email'), first: own('firstName'), last: own('lastName'), area: own('area'), job: own('job') },
  ...{ office: own('office'), phone: own('phoneNumber'), account: own('account'), project: own('project') },
  ...{ cost: own('customField1'), EMAIL: () => capital(own('email')()), FIRST: () => capital(own('firstName')()) },
  LAST: () => capital(own('lastName')()),
  id: () => [{ identification: '' }, ({ identification }) => identification],
  padded: (width) => [{ identification: '' }, (person) => digits(person).padStart(Number(width), '0')],
  number: () => [{ identification: '' }, ({ number }) => String(1_000 + number)],
  rut: () => [
    { identification: '' },
    (person) =>
      rut(person)
        .toLowerCase()
        .replace(/\B(?=(\d{3})+-)/g, '.'),
  ],
  /** Filled for a few, and then what the platform has. */
  preferred: () => [{ firstName: '' }, ({ preferred }) => preferred],
  legal: () => [{ firstName: '' }, ({ legal }) => legal],
  reversed: () => [{ firstName: '', lastName: '' }, ({ fields }) => `${fields.lastName}, ${fields.firstName}`],
  hired: (format = '') => dated('orgEntryDate', format, ({ fields }) => fields.orgEntryDate ?? ''),
  born: (format = '') => dated('birthDate', format, ({ fields }) => fields.birthDate ?? ''),
  ends: (format = '', none) => dated('leaveDate', format, ({ endDate }) => endDate, none),
  /** The end of the first months, which everybody has. */
  trial: (format = '') => dated('', format, ({ fields }) => `${Number(fields.orgEntryDate?.slice(0, 4)) + 1}-03-31`),
  any: (...texts) => [{}, ({ number }) => texts[number % texts.length] ?? ''],
  mail: (domain) => [{}, ({ number }) => `p${number}@${domain}`],
  /** A word with `?` means nothing that the file shows. */
  status: (active = '', leaver = '', onLeave = active) => {
    const bare = (word: string): string => word.replace('?', '');
    const known = (words: readonly string[]) => words.filter((word) => !word.startsWith('?'));
    const unknown = [leaver, onLeave].filter((word) => word.startsWith('?')).map(bare);
    const write: Write = ({ left, number }) => bare(left ? leaver : number % 40 === 7 ? onLeave : active);
    return [{ status: '' }, write, { active: known([active, onLeave]), leaver: known([leaver]), unknown }];
  },
};

interface Shape {
  readonly name: string;
  /** `HEADER=KIND WORD|WORD`, divided by semicolons. */
  readonly columns: string;
  readonly delimiter?: string;
  readonly file?: string;
  /** The platform's identification. */
  readonly identification?: Write;
  readonly encode?: (text: string) => Buffer;
  readonly layout?: Readonly<Record<string, string>>;
  /** Absent: those who moved. */
  readonly updates?: number;
  readonly render?: (records: readonly Readonly<Record<string, unknown>>[]) => string;
}

const latin1 = (text: string): Buffer =>
  Buffer.from(
    text
      .replace(/Ł/g, 'L')
      .replace(/ł/g, 'l')
      .replace(/[\u{100}-\u{10ffff}]/gu, ''),
    'latin1',
  );
const nested = (record: Readonly<Record<string, unknown>>): unknown => {
  const all: Record<string, Record<string, unknown>> = {};
  for (const [path, value] of Object.entries(record)) {
    const [outer = '', inner = ''] = path.split('.');
    all[outer] = { ...all[outer], [inner]: value };
  }
  return all;
};

/** After the public samples of the vendors. */
const shapes: readonly Shape[] = [
  {
    name: 'Workday RaaS',
    columns: `Employee_ID=id;Legal_Name_First_Name=legal;Preferred_Name_First_Name=preferred;Legal_Name_Last_Name=last;
      Email_Primary_Work=email;Supervisory_Organization=area;Business_Title=job;Location=office;Worker_Type=any Regular|Temp;
      Hire_Date=hired yyyy-MM-ddXXX;Marital_Status=any Single|Married;Date_of_Birth=born yyyy-MM-ddXXX;
      Termination_Date=ends yyyy-MM-ddXXX;Active_Status=status 1|0;Country=any Uruguay|Brazil`,
  },
  {
    name: 'SuccessFactors',
    columns: `STATUS=status active|inactive;USERID=id;FIRSTNAME=first;LASTNAME=last;GENDER=any F|M;EMAIL=email;
      MANAGER=any E000001|E000002;DEPARTMENT=area;TITLE=job;LOCATION=office;HIREDATE=hired MM/dd/yyyy;CUSTOM01=cost;
      DATE_OF_BIRTH=born MM/dd/yyyy;TIMEZONE=any US/Eastern`,
  },
  {
    name: 'Personio',
    columns: `ID=any 1181788|1181789;First name=first;Last name=last;Email=email;Status=status active|inactive|leave;
      Employee number=id;Office=office;Department=area;Position=job;Hire date=hired yyyy-MM-dd;Gender=any f|m|x;
      Probation period end=trial yyyy-MM-dd;Termination date=ends yyyy-MM-dd;Employment type=any Internal|External`,
  },
  {
    name: 'BambooHR',
    columns: `Employee #=id;Last name=last;First name=first;Work Email=email;Home Email=mail home.example;Department=area;
      Division=account;Location=office;Job Title=job;Hire Date=hired MM/dd/yyyy;Status=status Active|Inactive;
      Employment Status=any Full-Time|Full-Time|Part-Time;Birth Date=born MM/dd/yyyy;Mobile Phone=phone`,
  },
  {
    name: 'HiBob',
    columns: `Employee ID=id;First name=first;Last name=last;Email=email;Start date=hired dd/MM/yyyy;Department=area;
      Site=office;Job title=job;Lifecycle status=status Employed|Terminated|?Garden leave;Termination date=ends dd/MM/yyyy;
      Probation end date=trial dd/MM/yyyy;Employment contract=any Permanent|Fixed`,
  },
  {
    name: 'ADP Workforce Now',
    columns: `Associate ID=id;File Number=any 01|02|03;Legal First Name=legal;Preferred Name=preferred;Legal Last Name=last;
      Work Contact: Work Email=email;Home Department Description=area;Job Title Description=job;Hire Date=hired MM/dd/yyyy;
      Position Status=status Active|Terminated|Leave;Termination Date=ends MM/dd/yyyy;Location Description=office;
      Birth Date=born MM/dd/yyyy;Worker Category Description=any Full Time|Part Time`,
  },
  {
    name: 'UKG Pro, with leading zeros',
    identification: digits,
    columns: `Employee Number=padded 9;First Name=first;Last Name=last;Preferred Name=any;Email Address=email;Org Level 2=area;
      Employment Status=status A|T|?L;Job=job;Last Hire=hired M/d/yyyy h:mm:ss a;Work Location=office;
      Date of Termination=ends M/d/yyyy h:mm:ss a;Full/Part Time=any F|F|P`,
  },
  {
    name: 'Paylocity',
    columns: `Employee Id=id;Last Name=last;First Name=first;Employee Status=status A|T;Work Email=email;Cost Center 1=cost;
      Department Name=area;Position Title=job;Hire Date=hired M/d/yyyy;Term Date=ends M/d/yyyy;Birth Date=born M/d/yyyy;
      Marital Status=any S|M;Sex=any F|M;Work Location=office`,
  },
  {
    name: 'Gusto',
    columns: `First name=first;Last name=last;Work email=email;Personal email=mail mail.example;Employee ID=id;Department=area;
      Job title=job;Start date=hired MMM d, yyyy;Last day=ends MMM d, yyyy;Status=status Active|Dismissed;
      Employment type=any Salary|Hourly;Work address=office`,
  },
  {
    name: 'Rippling',
    columns: `Employee number=id;Preferred first name=preferred;Legal first name=legal;Last name=last;Work email=email;
      Employment status=status ACTIVE|TERMINATED;Start date=hired yyyy-MM-dd;End date=ends yyyy-MM-dd;Department=area;
      Title=job;Work location=office;Employment type=any SALARIED_FT|HOURLY_PT`,
  },
  {
    name: 'a list of SAP',
    delimiter: '|',
    identification: digits,
    columns: `PERNR=padded 8;VORNA=first;NACHN=last;STAT2=status 3|0;BEGDA=hired dd.MM.yyyy;ENDDA=ends dd.MM.yyyy|31.12.9999;
      ORGEH=any 50000100|50000101;ORGTX=area;PLSTX=job;GBDAT=born dd.MM.yyyy;KOSTL=cost;BTEXT=office;USRID_LONG=EMAIL;
      FAMST=any 0|1|2`,
  },
  {
    name: 'DATEV, in German',
    delimiter: ';',
    encode: latin1,
    layout: { encoding: 'windows-1252' },
    updates: 12,
    columns: `Personalnummer=id;Familienname=last;Vorname=first;Geburtsdatum=born dd.MM.yyyy;Familienstand=any ledig|verheiratet;
      Eintrittsdatum=hired dd.MM.yyyy;Austrittsdatum=ends dd.MM.yyyy;Abteilung=area;Kostenstelle=cost;Standort=office;
      E-Mail=email;Geschlecht=any weiblich|männlich;Status=status aktiv|ausgeschieden`,
  },
  {
    name: 'Sage, in French',
    delimiter: ';',
    columns: `Matricule=id;Nom=last;Prénom=first;Courriel=email;Service=area;Poste=job;Date d'entrée=hired dd/MM/yyyy;
      Date de sortie=ends dd/MM/yyyy;Situation familiale=any Célibataire|Marié;Situation=status Présent|Sorti;
      Établissement=office;Date de naissance=born dd/MM/yyyy;Type de contrat=any CDI|CDI|CDD`,
  },
  {
    name: 'AFAS, in Dutch',
    delimiter: ';',
    columns: `Medewerker=id;Roepnaam=first;Achternaam=last;E-mail werk=email;Afdeling=area;Functie=job;Vestiging=office;
      Datum in dienst=hired dd-MM-yyyy;Datum uit dienst=ends dd-MM-yyyy;Geboortedatum=born dd-MM-yyyy;
      Burgerlijke staat=any Gehuwd|Ongehuwd;Geslacht=any Vrouw|Man`,
  },
  {
    name: 'Enova, in Polish, with two formats of dates',
    delimiter: ';',
    columns: `Kod=id;Imię=first;Nazwisko=last;E-mail=email;Dział=area;Stanowisko=job;Stan cywilny=any wolny|zamężna;
      Data zatrudnienia=hired yyyy-MM-dd;Data zwolnienia=ends dd.MM.yyyy;Data urodzenia=born yyyy-MM-dd`,
  },
  {
    name: 'Zucchetti, in Italian',
    delimiter: ';',
    updates: 9,
    columns: `Matricola=id;Cognome=LAST;Nome=FIRST;E-mail aziendale=email;Reparto=area;Mansione=job;Sede=office;
      Data assunzione=hired dd/MM/yyyy;Data cessazione=ends dd/MM/yyyy;Stato civile=any Celibe|Coniugato`,
  },
  {
    name: 'SmartHR, in Japanese',
    columns: `社員番号=id;姓=last;名=first;メールアドレス=email;部署=area;役職=job;入社年月日=hired yyyy/MM/dd;性別=any 男|女;
      退職年月日=ends yyyy/MM/dd;在籍状況=status 在籍中|退職済み;生年月日=born yyyy/MM/dd`,
  },
  {
    name: 'Oracle HCM',
    columns: `PERSON_NUMBER=id;FIRST_NAME=legal;KNOWN_AS=preferred;LAST_NAME=last;EMAIL_ADDRESS=email;DEPARTMENT_NAME=area;
      JOB_NAME=job;HIRE_DATE=hired dd-MMM-yyyy;ACTUAL_TERMINATION_DATE=ends dd-MMM-yyyy|31-Dec-4712;PERSON_TYPE=any E|C;
      ASSIGNMENT_STATUS=status ACTIVE|INACTIVE;LOCATION_NAME=office;DATE_OF_BIRTH=born dd-MMM-yyyy`,
  },
  {
    name: 'Dayforce',
    columns: `XRefCode=id;FirstName=first;LastName=last;BusinessEmail=email;Department=area;Job=job;Location=office;
      HireDate=hired yyyy-MM-dd'T'HH:mm:ss;TerminationDate=ends yyyy-MM-dd'T'HH:mm:ss;PayType=any Hourly(Non)|Salaried;
      EmploymentStatus=status ACTIVE|TERMINATED;BirthDate=born yyyy-MM-dd'T'HH:mm:ss`,
  },
  {
    name: 'Ceridian, with unknown headers and no status',
    columns:
      'EE=id;F1=first;F2=last;F3=email;F4=area;F5=hired yyyy/MM/dd;F6=ends yyyy/MM/dd;F7=office;F8=any F|M;F9=any S|M|D',
  },
  {
    name: 'Google Sheets',
    columns: `ID=id;First name=first;Last name=last;Email=email;Team=area;Start date=hired M/d/yyyy;Office=office;
      Last day=ends M/d/yyyy;State=any TX|CA|NY`,
  },
  {
    name: 'Excel: day numbers, UTF-16, title lines, totals, empty columns',
    delimiter: ';',
    encode: (text) =>
      Buffer.from(`\ufeffHeadcount report;;;;;;;;;\r\nBy HR;;;;;;;;;\r\n;;;\r\n${text}Total;162\r\n`, 'utf16le'),
    layout: { skipLines: '3', skipFooter: '1', delimiter: ';' },
    columns: `Employee No.=id;First Name=FIRST;Surname=last;Work Email=email;Division=area;Location=office;Client=account;
      Start Date=hired sheet-days;Employment Status=status Active|Terminated;End Date=ends sheet-days;=any`,
  },
  {
    name: 'Active Directory',
    columns: `employeeID=id;givenName=first;sn=last;mail=email;department=area;title=job;physicalDeliveryOfficeName=office;
      Enabled=status True|False;whenCreated=hired yyyyMMddHHmmss.SZ;accountExpires=ends filetime|9223372036854775807`,
  },
  {
    name: 'Okta',
    columns: `login=EMAIL;status=status ACTIVE|?DEPROVISIONED;employeeNumber=id;firstName=first;lastName=last;department=area;
      title=job;mobilePhone=phone;userType=any E|C;startDate=hired yyyy-MM-dd'T'HH:mm:ss.SSSXXX;city=office`,
  },
  {
    name: 'a Chilean one, with dots in its identifications',
    delimiter: ';',
    identification: rut,
    columns: `RUT=rut;Nombres=first;Apellido Paterno=last;Correo=email;Gerencia=area;Cargo=job;Fecha de ingreso=hired dd-MM-yyyy;
      Fecha término=ends dd-MM-yyyy;Estado civil=any Soltero|Casado;Estado=status Vigente|Finiquitado;Sucursal=office`,
  },
  {
    name: 'one with two e-mail columns and tabs',
    delimiter: '\t',
    file: 'people.txt',
    encode: latin1,
    layout: { delimiter: 'tab', encoding: 'windows-1252' },
    updates: 12,
    columns: `Number=id;Given=first;Family=last;E-mail 1=mail mail.example.org;E-mail 2=email;Team=area;
      Joined=hired MM/dd/yyyy;Mobile=phone;Programme=project;State=status E|?X`,
  },
  {
    name: 'a saved page of a REST API',
    file: 'export.json',
    layout: { items: 'data.employees' },
    render: (records) =>
      JSON.stringify({ meta: { fields: [{ id: 1 }] }, data: { total: 162, employees: records.map(nested) } }),
    columns: `job.employeeNumber=id;person.givenName=first;person.familyName=last;contact.workEmail=email;unit.department=area;
      unit.location=office;job.title=job;job.startDate=hired json-date;job.lastDay=ends json-date|0;
      job.state=status ACTIVE|TERMINATED;person.gender=any F|M`,
  },
  {
    name: 'JSON lines',
    file: 'export.jsonl',
    layout: { items: '.' },
    identification: ({ number }) => String(1_000 + number).padStart(6, '0'),
    render: (records) => records.map((one) => `${JSON.stringify({ ...one, id: Number(one.id) })}\n`).join(''),
    columns: `id=number;first_name=legal;preferred_name=preferred;last_name=last;work_email=email;department=area;title=job;
      start_date=hired yyyy-MM-dd;end_date=ends yyyy-MM-dd;active=status true|false`,
  },
  {
    name: 'a Portuguese one without e-mail, with the whole name in one column',
    delimiter: ';',
    columns: `Matrícula=id;Nome completo=reversed;Setor=area;Função=job;Data de admissão=hired dd-MM-yyyy;Filial=office;
      Situação=status Ativo|Desligado|Férias`,
  },
];

/** Exports that have little in common. */
export function hrExports(): readonly HrExport[] {
  const people = world();
  return shapes.map(
    ({
      name,
      columns,
      delimiter = ',',
      file = 'export.csv',
      updates = movers.length,
      identification,
      encode = Buffer.from,
      ...shape
    }) => {
      const nameOf = identification ?? ((person: HrPerson) => person.identification);
      // The platform knows a few people whom HR does not, such as an administrator, and HR others.
      const extra = [...seedUsers(3, 22)].map((user, i) => ({ ...user, identification: `admin-${i + 1}` }));
      const known = people.slice(0, count).map((person, i) => {
        const fields = { ...person.fields, area: person.areaBefore };
        return { identification: nameOf(person), enabled: !gone.includes(i), fields };
      });
      const hr = people.filter(({ number }) => number % 40 !== 39);
      const all = columns.split(/;\s*/).map((text) => {
        const [, header = '', kind = '', words = ''] = /^([^=]*)=(\w+) ?(.*)$/s.exec(text) ?? [];
        const column = kinds[kind];
        if (column === undefined) throw new RangeError(`no kind of column in ${text}`);
        return [header, column(...(words === '' ? [] : words.split('|')))] as const;
      });
      const cells = hr.map((person) => all.map(([header, [, write]]) => [header, write(person)] as const));
      const quote = (cell: string): string => (/[",;|\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
      const lines = [all.map(([header]) => header), ...cells.map((row) => row.map(([, cell]) => cell))];
      const text =
        shape.render?.(cells.map((row) => Object.fromEntries(row))) ??
        `${lines.map((line) => line.map(quote).join(delimiter)).join('\r\n')}\r\n`;
      const truth: Record<string, string[]> = Object.fromEntries(
        Object.entries(shape.layout ?? {}).map(([key, value]) => [key, [value]]),
      );
      for (const [header, [means]] of all)
        for (const [key, format] of Object.entries(means)) truth[key] = [...(truth[key] ?? []), header, format];
      if (truth.orgEntryDate !== undefined) truth.hireDate = truth.orgEntryDate;
      const statuses = all.map(([, [, , words]]) => words).find((words) => words !== undefined);
      return { name, file, users: [...known, ...extra], bytes: encode(text), truth, statuses, updates };
    },
  );
}

/** Writes each export into a folder, for a trial by hand: node test/support/exports.ts. */
export async function writeExports(folder: string): Promise<void> {
  for (const { name, file, bytes } of hrExports()) await writeFile(join(folder, `${name} ${file}`), bytes);
}

/** What `init --from` writes, as far as a test reads it. */
export interface Written {
  readonly syncs: {
    readonly people: {
      readonly source: Readonly<Record<string, unknown>>;
      readonly mapping: Readonly<Record<string, unknown>> & {
        readonly customFields?: Readonly<Record<string, unknown>>;
      };
      readonly lifecycle?: Readonly<Record<string, unknown>> & {
        readonly active?: string[];
        readonly leaver?: string[];
      };
    };
  };
}

/** Compares a proposed configuration with the truth of its export: the keys that are wrong, and the share that is right. */
export function compareProposal(yaml: string, { truth }: Pick<HrExport, 'truth'>) {
  const { source, mapping, lifecycle = {} } = (parse(yaml) as Written).syncs.people;
  const { customFields = {}, ...plain } = mapping;
  const custom = Object.entries(customFields).map(([number, rule]) => [`customField${number}`, rule]);
  const { dateFormat = '', leaveDateFormat = dateFormat, ...rest } = lifecycle;
  const dates = { hireDate: [rest.hireDate, dateFormat], leaveDate: [rest.leaveDate, leaveDateFormat] };
  const rules: Readonly<Record<string, unknown>> = {
    ...{ ...source, ...plain, ...rest, ...dates, ...Object.fromEntries(custom) },
  };
  // A format without zeros reads days with zeros too.
  const loose = (text: string): string => text.replace(/\b(d|M)\1\b/g, '$1');
  const says = (key: string): string => JSON.stringify(rules[key] ?? '').replaceAll('\\"', '"');
  const wrong = Object.entries(truth).flatMap(([key, parts]) =>
    parts.every((part) => loose(says(key)).includes(loose(part))) ? [] : [key],
  );
  return { wrong, share: 1 - wrong.length / Object.keys(truth).length };
}
