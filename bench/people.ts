import type { FieldName, FieldValues } from '../src/core/person/fields.ts';
import { seedUsers } from '../src/sandbox/index.ts';

/** What differs between the HR file and the platform. */
export type Difference = 'none' | 'mixed';

export const hrColumns = [
  'employee_id',
  'first_name',
  'last_name',
  'work_email',
  'hire_date',
  'end_date',
  'birth_date',
  'status',
  'type',
  'country',
  'department',
  'project',
  'account',
  'location',
  'title',
  'phone',
  'level',
  'cost_center',
  'manager_email',
  'team',
  'legal_entity',
  'grade',
  'badge',
  'union_name',
  'notes',
] as const;

/** One synthetic person as the platform keeps them. */
export interface BenchPerson {
  readonly number: number;
  readonly identification: string;
  readonly fields: FieldValues;
}

/** `count` people after the first `skip`, the same ones every time. */
export function* benchPeople(count: number, skip = 0): Generator<BenchPerson, void> {
  let number = 0;
  for (const { identification, fields } of seedUsers(skip + count)) {
    number += 1;
    if (number <= skip) continue;
    const more: Partial<Record<FieldName, string>> = {
      project: fields.project ?? 'Bench',
      customField2: `manager${number % 997}@example.com`,
      customField3: `Team ${number % 311}`,
      customField4: number % 3 === 0 ? 'Acme Sociedad Anónima' : 'Acme Holding',
      customField5: `G${number % 17}`,
      customField6: `B${String(number * 7919).padStart(9, '0')}`,
      customField7: number % 5 === 0 ? 'Gremio Único' : 'None',
    };
    yield { number, identification, fields: { ...fields, ...more } };
  }
}

/** The HR rows of `count` people: with `mixed`, 1 % have left, 2 % are in another department, and 1 % more are new. */
export function* hrRows(count: number, difference: Difference): Generator<readonly string[], void> {
  for (const person of benchPeople(count)) {
    const place = difference === 'none' ? -1 : person.number % 100;
    const isLeaver = place === 0;
    const area = place === 1 || place === 2 ? 'Reorganised' : (person.fields.area ?? '');
    yield hrRow(person, area, isLeaver);
  }
  if (difference === 'none') return;
  for (const person of benchPeople(Math.floor(count / 100), count))
    yield hrRow(person, person.fields.area ?? '', false);
}

function hrRow({ number, identification, fields }: BenchPerson, area: string, isLeaver: boolean): readonly string[] {
  const of = (name: FieldName): string => fields[name] ?? '';
  return [
    identification,
    of('firstName'),
    of('lastName'),
    of('email'),
    of('orgEntryDate'),
    isLeaver ? '2026-01-31' : '',
    of('birthDate'),
    isLeaver ? 'terminated' : 'active',
    'employee',
    'UY',
    area,
    of('project'),
    of('account'),
    of('office'),
    of('job'),
    of('phoneNumber'),
    of('seniority'),
    of('customField1'),
    of('customField2'),
    of('customField3'),
    of('customField4'),
    of('customField5'),
    of('customField6'),
    of('customField7'),
    number % 7 === 0 ? 'Imported, "checked"' : 'Imported',
  ];
}

/** The sync's mapping of those columns: 19 fields, three of them write-only, two dates. */
export const benchMapping = {
  identification: 'employee_id',
  firstName: 'first_name',
  lastName: 'last_name',
  email: { from: 'work_email', transform: ['trim', 'lowercase'] },
  orgEntryDate: 'hire_date',
  birthDate: 'birth_date',
  area: 'department',
  project: 'project',
  account: 'account',
  office: 'location',
  job: 'title',
  phoneNumber: 'phone',
  seniority: 'level',
  customFields: {
    1: 'cost_center',
    2: 'manager_email',
    3: 'team',
    4: 'legal_entity',
    5: 'grade',
    6: 'badge',
    7: 'union_name',
  },
} as const;

/** What a ledger holds of somebody whom an earlier run wrote: the fields that the platform does not show, and dates. */
export const hiddenNames = ['orgEntryDate', 'job', 'phoneNumber', 'seniority', 'birthDate'] as const;
