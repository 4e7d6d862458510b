import { stringify } from 'csv-stringify/sync';
import type { Container, ContainerEngine } from './container-engine.ts';
import { until } from './until.ts';

/** One row of the HR system's file. */
export interface Employee {
  readonly identification: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly area: string;
}

/** The platform, as `rollcall sandbox` of the image under test plays it, and what it knows of what was done to it. */
export interface Platform {
  readonly container: Container;
  readonly url: string;
  /** Its enabled users, as HR would have them. */
  employees(): Promise<readonly Employee[]>;
  setFaults(faults: readonly string[]): Promise<void>;
  /** Identifications of the rows of every file that was taken, file after file. */
  rowsSent(): Promise<readonly string[]>;
  /** Who differs from the employees, by identification. */
  differing(employees: readonly Employee[]): Promise<readonly string[]>;
  /** Refresh tokens presented in all, and those presented more than once. */
  refreshes(): Promise<{ readonly all: number; readonly repeated: number }>;
}

export interface PlatformOptions {
  readonly name: string;
  readonly image: string;
  readonly port: number;
  readonly users: number;
  readonly secrets: { readonly application: string; readonly refresh: string };
}

/** Access tokens live so short that they are renewed in the middle of the longer runs. */
const tokenLifeMs = 30_000;

export async function startPlatform(
  engine: ContainerEngine,
  { name, image, port, users, secrets }: PlatformOptions,
): Promise<Platform> {
  const url = `http://127.0.0.1:${port}`;
  const words = { port, users, 'token-life-ms': tokenLifeMs, 'processing-ms': 200 };
  const container = await engine.start({
    name,
    image,
    command: [
      ...['sandbox', '--application-token', secrets.application, '--refresh-token', secrets.refresh],
      ...Object.entries(words).flatMap(([word, value]) => [`--${word}`, String(value)]),
    ],
  });
  const look = async <Shape>(path: string): Promise<Shape> => {
    const answer = await fetch(`${url}/_sandbox/${path}`);
    if (!answer.ok) throw new Error(`the sandbox answers ${answer.status} to ${path}`);
    return (await answer.json()) as Shape;
  };
  await until('the sandbox answers', () => look('state').catch(() => undefined));
  const employees = async (): Promise<readonly Employee[]> => {
    const accounts = await look<readonly Account[]>('users');
    return accounts.filter(({ enabled }) => enabled).map(employeeOf);
  };
  return {
    container,
    url,
    employees,
    async setFaults(faults) {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}/_sandbox/faults`, { method: 'PUT', headers, body: JSON.stringify(faults) });
      if (!answer.ok) throw new Error(`the sandbox refuses the faults: ${await answer.text()}`);
    },
    async rowsSent() {
      const rows: string[] = [];
      for (const { id } of await look<readonly { id: number }[]>('files')) {
        const file = await look<{ rows: readonly { identification: string }[] }>(`files/${id}`);
        for (const { identification } of file.rows) rows.push(identification);
      }
      return rows;
    },
    async differing(wanted) {
      const there = new Map((await employees()).map((employee) => [employee.identification, JSON.stringify(employee)]));
      return wanted
        .filter((one) => there.get(one.identification) !== JSON.stringify(one))
        .map((one) => one.identification);
    },
    async refreshes() {
      const presented = await look<readonly { times: number }[]>('refreshes');
      return { all: presented.length, repeated: presented.filter(({ times }) => times > 1).length };
    },
  };
}

interface Account {
  readonly identification: string;
  readonly enabled: boolean;
  readonly fields: Readonly<Record<string, string>>;
}

function employeeOf({ identification, fields }: Account): Employee {
  const { firstName = '', lastName = '', email = '', area = '' } = fields;
  return { identification, firstName, lastName, email, area };
}

/** The HR system's file. */
export function renderEmployees(employees: readonly Employee[]): string {
  return stringify([...employees], { header: true });
}
