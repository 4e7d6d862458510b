import { join } from 'node:path';

/** The kinds of source that are measured; `sql` once for each database. */
export const sourceCases = ['csv', 'sqlite', 'postgres', 'rest', 'scim'] as const;
export type SourceCase = (typeof sourceCases)[number];

/** What one measurement is against: the least that anybody must do to have the same people decoded. */
export const floorMeaning: Readonly<Record<SourceCase, string>> = {
  csv: 'csv-parse over the file, an object for each row',
  sqlite: 'better-sqlite3, one select in order of the key',
  postgres: 'pg, one cursor in order of the key, 1000 rows at a time',
  rest: 'undici and JSON.parse, page after page of 200 by cursor',
  scim: 'undici and JSON.parse, page after page of 100 by index',
};

/** Where the people of a case lie: a folder of this machine, and the address of a server if there is one. */
export interface SourcePlace {
  readonly folder: string;
  readonly url: string;
}

export const restPage = 200;
export const scimPage = 100;

export const selectEverybody = 'select * from employees';

export function csvPath(folder: string): string {
  return join(folder, 'employees.csv');
}

export function databasePath(folder: string): string {
  return join(folder, 'hr.db');
}

/** The section `source` as a deployment would have it: with status, dates, and what SCIM must be told to ask for. */
export function sourceConfig(name: SourceCase, { url }: SourcePlace): Readonly<Record<string, unknown>> {
  const limits = { requestsPerSecond: 1000 };
  const sql = { kind: 'sql', query: selectEverybody, key: 'employee_id' };
  switch (name) {
    case 'csv':
      return { kind: 'csv', path: './employees.csv', complete: 'stable' };
    case 'sqlite':
      return { ...sql, url: 'sqlite:./hr.db' };
    case 'postgres':
      return { ...sql, url };
    case 'rest':
      return {
        kind: 'rest',
        baseUrl: url,
        path: '/people',
        auth: { kind: 'bearer', token: 'bench' },
        items: 'data',
        key: 'id',
        total: 'meta.total',
        paging: { style: 'cursor', size: restPage, next: 'meta.next' },
        expect: ['name.first', 'name.last', 'email', 'status'],
        fields: { hired: { from: 'employment.start_date', date: true } },
        status: {
          from: 'status',
          map: { active: 'active', terminated: 'terminated' },
          terminationDate: 'employment.end_date',
        },
        limits,
      };
    case 'scim':
      return {
        kind: 'scim',
        baseUrl: url,
        auth: { kind: 'bearer', token: 'bench' },
        attributes: scimAttributes,
        paging: 'index',
        pageSize: scimPage,
        limits,
      };
  }
}

const scimAttributes = [
  'externalId',
  'name.givenName',
  'name.familyName',
  'emails',
  'phoneNumbers',
  'title',
  'enterprise.employeeNumber',
  'enterprise.department',
  'enterprise.manager',
];
