import type { AlertReceiver } from './alert-receivers.ts';
import type { Platform } from './platform.ts';

export interface ConfigParts {
  readonly office: Platform;
  readonly company: Platform;
  readonly mail: AlertReceiver;
  readonly web: AlertReceiver;
  readonly postgres: string;
  readonly redis: string;
}

/** The whole rollcall.yaml. Secrets come from the environment, as the chart gives them. */
export function renderConfig({ office, company, mail, web, postgres, redis }: ConfigParts): object {
  const connection = (platform: Platform, token: string) => ({
    baseUrl: platform.url,
    applicationToken: fromEnv('APPLICATION_TOKEN'),
    refreshToken: fromEnv(token),
    limits: { requestsPerSecond: 1000, concurrency: 4 },
    dialect: { search: { pageSize: 1000 } },
  });
  const sync = (name: string) => ({
    connection: name,
    source: { kind: 'csv', path: `hr/${name}.csv` },
    policy: 'upsert-only',
    delivery: 'csv',
    mapping: {
      identification: 'identification',
      firstName: 'firstName',
      lastName: 'lastName',
      email: 'email',
      area: 'area',
    },
    settle: { every: '1s', deadline: '5m' },
    guards: { updates: { absolute: 1_000_000, percent: 100 } },
  });
  return {
    store: postgres,
    redis,
    encryptionKey: fromEnv('ROLLCALL_KEY'),
    connections: {
      office: connection(office, 'OFFICE_REFRESH_TOKEN'),
      company: connection(company, 'COMPANY_REFRESH_TOKEN'),
    },
    syncs: {
      office: { ...sync('office'), schedule: { cron: '* * * * *', timezone: 'UTC' } },
      company: { ...sync('company'), batchRows: 2500 },
    },
    alerts: [
      { kind: 'email', url: mail.url, from: 'rollcall@example.com', to: ['ops@example.com'] },
      { kind: 'webhook', url: web.url, secret: fromEnv('ALERT_SECRET') },
    ],
    server: {
      host: '127.0.0.1',
      requestsPerMinute: 6000,
      tokens: [{ name: 'ops', role: 'operator', token: fromEnv('OPS_TOKEN') }],
    },
  };
}

function fromEnv(name: string): string {
  return `\${env:${name}}`;
}
