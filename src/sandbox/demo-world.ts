import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { type RunningSandbox, type SeedUser, seedUsers, startSandbox } from './index.ts';

const userCount = 500;
const seed = 7;
const columns = [
  'employee_id',
  'first_name',
  'last_name',
  'work_email',
  'department',
  'office',
  'hire_date',
  'job_title',
  'cost_center',
  'status',
  'end_date',
] as const;
type Row = Record<(typeof columns)[number], string>;

const movers = [12, 57, 103, 160, 204, 251, 299, 342, 389, 401, 447, 480];
const leavers = [33, 141, 268, 415];
const joiners = 17;

/**
 * Starts a platform with 500 users and writes `rollcall.yaml` and an `employees.csv` of 520 employees, which differ, into
 * `folder`. Close the sandbox afterwards.
 */
export async function openDemoWorld(folder: string, now: () => number) {
  const users = [...seedUsers(userCount, seed)];
  const sandbox = await startSandbox({ now, people: users, processingMs: 1500, accessTokenLifeMs: 3_600_000 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const rows = employeesOf(users, now());
  await writeFile(join(folder, 'employees.csv'), stringify(rows, { header: true, columns }), { mode: 0o600 });
  const configPath = join(folder, 'rollcall.yaml');
  await writeFile(configPath, configText(sandbox), { mode: 0o600 });
  const story = [
    `${joiners} joiners and 1 person hired for next month`,
    `${movers.length} movers (another department)`,
    `${leavers.length} leavers, and 1 rehire whose account is disabled`,
    '1 row with an impossible date, and 1 person who is there twice',
  ];
  const leaver = users[leavers[0] ?? 0]?.identification ?? '';
  const makeAccident = async (): Promise<void> => {
    const wrong = rows.map((row, index) => (index % 10 === 0 ? { ...row, status: 'terminated', end_date: '' } : row));
    await writeFile(join(folder, 'employees.csv'), stringify(wrong, { header: true, columns }), { mode: 0o600 });
  };
  return { sandbox, configPath, story, users: users.length, employees: rows.length, leaver, makeAccident };
}

function employeesOf(users: readonly SeedUser[], now: number): Row[] {
  const rows = users.map((user, i) => employeeOf(user, i, now));
  const disabled = users.findIndex(({ enabled }) => !enabled);
  const rehire = rows[disabled];
  if (rehire !== undefined)
    rows[disabled] = { ...rehire, status: 'active', end_date: '', hire_date: day(now - 3 * dayMs) };
  const newcomers = [...seedUsers(userCount + joiners + 2, seed)]
    .slice(userCount)
    .map((user, i) => employeeOf(user, userCount + i, now));
  const [future, bad] = newcomers.slice(joiners);
  const twice = rows[76];
  return [
    ...rows,
    ...newcomers.slice(0, joiners).map((row) => ({ ...row, status: 'active', end_date: '' })),
    ...(future === undefined ? [] : [{ ...future, status: 'active', end_date: '', hire_date: day(now + 30 * dayMs) }]),
    ...(bad === undefined ? [] : [{ ...bad, status: 'active', end_date: '', hire_date: '31/02/2024' }]),
    ...(twice === undefined ? [] : [{ ...twice, department: 'Somewhere else' }]),
  ];
}

const dayMs = 86_400_000;

function employeeOf({ identification, enabled, fields }: SeedUser, index: number, now: number): Row {
  const hasLeft = !enabled || leavers.includes(index);
  return {
    employee_id: identification,
    first_name: fields.firstName ?? '',
    last_name: fields.lastName ?? '',
    work_email: fields.email ?? '',
    department: movers.includes(index) ? 'Transformation' : (fields.area ?? ''),
    office: fields.office ?? '',
    hire_date: (fields.orgEntryDate ?? '').split('-').reverse().join('/'),
    job_title: fields.job ?? '',
    cost_center: fields.customField1 ?? '',
    status: hasLeft ? 'terminated' : 'active',
    end_date: hasLeft ? day(now - 10 * dayMs) : '',
  };
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10).split('-').reverse().join('/');
}

function configText(sandbox: RunningSandbox): string {
  return `# Written by "rollcall demo": a sync from employees.csv to the sandbox platform.
connections:
  sandbox:
    baseUrl: ${sandbox.url}
    accessToken: ${sandbox.accessToken}
    limits: { requestsPerSecond: 100, concurrency: 4 }

syncs:
  people:
    connection: sandbox
    source: { kind: csv, path: ./employees.csv, complete: stable }
    policy: sync
    mapping:
      identification: employee_id
      firstName: first_name
      lastName: last_name
      email: { from: work_email, transform: [trim, lowercase] }
      area: department
      office: office
      orgEntryDate: { from: hire_date, format: dd/MM/yyyy }
      job: job_title                     # write-only on the platform
      customFields: { 1: cost_center }
    lifecycle:
      { status: status, active: [active], leaver: [terminated], hireDate: hire_date, leaveDate: end_date, dateFormat: dd/MM/yyyy }
    settle: { every: 1s, visibleWithin: 30s }

server: { port: 0, signInLink: admin }   # the page: rollcall start prints a link that signs in once
log: { level: warn }
`;
}
