import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { checkAll } from '../../src/app/connections.ts';
import { runSync } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { openMetrics } from '../../src/watch/metrics/metrics.ts';
import { openHere } from '../chaos/open-here.ts';
import { openTestShell } from '../cli/test-shell.ts';
import {
  hostileError,
  hostileSuccesses,
  openGreeter,
  openHostileServer,
  type Spoiling,
} from '../sentinels/hostile-server.ts';
import { openSentinels, type Sentinels } from '../sentinels/sentinels.ts';
import { openTestServer, viewerToken } from '../server/open-test-server.ts';
import { drawFrom } from '../support/drawn.ts';
import { FastClock } from '../support/fast-clock.ts';
import { openMailServer } from '../support/mail-server.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { csvOf, type Row, usersOf } from '../support/office.ts';
import { openReceiver } from '../watch/alerts/receiver.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A place in which a planted text may turn up. */
interface Sink {
  readonly name: string;
  readonly text: string;
  /** `said`: only raw answers of other systems must be absent, because the sink shows changes. */
  readonly mayShowCells?: true;
}

interface World {
  readonly folder: string;
  readonly sentinels: Sentinels;
  readonly platform: Awaited<ReturnType<typeof openHostileServer>>;
  readonly hr: Awaited<ReturnType<typeof openHostileServer>>;
  /** How many planted texts `show --raw` has shown. */
  shownRaw(): number;
  /** Runs the sync over this source, and returns everything that it left anywhere. */
  run(options?: RunOptions): Promise<readonly Sink[]>;
}

interface RunOptions {
  readonly sync?: object;
  readonly connection?: object;
  readonly rows?: readonly Row[];
  readonly spoil?: Spoiling;
  readonly faults?: readonly string[];
}

const people = {
  connection: 'acme',
  source: { kind: 'csv', path: './employees.csv', complete: 'stable' },
  policy: 'sync',
  mapping: {
    identification: 'id',
    firstName: 'first',
    lastName: 'last',
    email: 'mail',
    phoneNumber: 'phone',
    birthDate: { from: 'born', format: 'dd/MM/yyyy' },
    job: { expression: '$number(job) > 3 ? "A" : job' },
    office: 'office',
  },
  lifecycle: { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'ended', hireDate: 'hired' },
  settle: { every: '2s', visibleWithin: '10s', deadline: '30s' },
};

/** Employees without trouble, so that a run gets as far as the platform. */
function goodRows(sentinels: Sentinels): Row[] {
  return rowsWith(sentinels).slice(0, 10);
}

/** People of their own, because another name under a known identification would wait for a decision. */
function newRows(sentinels: Sentinels, prefix: string): Row[] {
  return goodRows(sentinels).map((row) => ({ ...row, id: `${prefix}-${row.id}` }));
}

function rowsWith(sentinels: Sentinels): Row[] {
  const { cell } = sentinels;
  const row = (id: string, patch: Row = {}): Row => ({
    id,
    first: cell(`${id} first`),
    last: cell(`${id} last`),
    mail: `${cell(`${id} mail`)}@example.com`,
    phone: cell(`${id} phone`),
    born: '07/03/1961',
    job: '7',
    office: cell(`${id} office`),
    status: 'active',
    hired: '2020-01-01',
    ended: '',
    ...patch,
  });
  const twin = `${cell('twin mail')}@example.com`;
  return [
    ...Array.from({ length: 12 }, (_, i) => row(`E${i + 1}`)),
    row('E20', { status: cell('unknown status') }),
    row('E21', { born: cell('bad birth date') }),
    row('E22', { hired: cell('bad hire date') }),
    row('E23', { ended: cell('bad leave date') }),
    row('E24', { first: `${cell('too long')}${'x'.repeat(300)}` }),
    row('E25', { last: `#REF!${cell('formula error')}` }),
    row('E26', { mail: cell('no e-mail') }),
    row('E27', { mail: twin }),
    row('E28', { mail: twin.toUpperCase() }),
    row('E29', { job: cell('expression fails') }),
    row('E30', { first: `\u0007${cell('control character')}` }),
    row('E31', { first: '', last: cell('no first name') }),
    row('E32', { office: `${cell('line break')}\n${cell('second line')}` }),
    row('E12', { first: cell('key twice') }),
    row('e11', { first: cell('key by case') }),
    row('', { first: cell('no identification') }),
    row(`..`, { first: cell('unusable identification') }),
  ];
}

async function openWorld(sentinels: Sentinels): Promise<World> {
  const shell = await openTestShell();
  const { folder } = shell;
  const clock = new FastClock(Date.UTC(2026, 10, 21, 12));
  const known = ['E1', 'E2', 'E3'].map((id) => ({ id, first: `Old${id}`, last: 'Díaz', mail: `${id}@example.com` }));
  const sandbox = await startSandbox({
    now: () => clock.now(),
    processingMs: 3000,
    accessTokenLifeMs: 86_400_000_000,
    people: usersOf(known),
  });
  const [platform, hr] = [await openHostileServer(sandbox.url), await openHostileServer()];
  const [hook, slack, pager, mail] = [
    await openReceiver(),
    await openReceiver(),
    await openReceiver(),
    await openMailServer(),
  ];
  closers.push(() => sandbox.close(), platform.close, hr.close);
  let number = 0;
  let shownRaw = 0;

  return {
    folder,
    sentinels,
    platform,
    hr,
    shownRaw: () => shownRaw,
    async run({ sync = {}, connection = {}, rows = rowsWith(sentinels), spoil, faults = [] } = {}) {
      number += 1;
      const config = {
        store: `sqlite:./store-${number}.db`,
        encryptionKey: key,
        connections: {
          acme: {
            baseUrl: platform.url,
            ...('refreshToken' in connection || 'accessToken' in connection
              ? {}
              : { accessToken: sandbox.accessToken }),
            limits: { requestsPerSecond: 1000, concurrency: 4, timeout: '1s' },
            ...connection,
          },
        },
        syncs: { people: { ...people, ...sync } },
        alerts: [
          { kind: 'webhook', url: hook.url },
          { kind: 'slack', url: slack.url },
          { kind: 'pagerduty', routingKey: 'a-routing-key-of-32-characters-00', url: pager.url },
          {
            kind: 'email',
            url: `smtp://127.0.0.1:${mail.port}`,
            from: 'rollcall@example.com',
            to: ['ops@example.com'],
            insecure: true,
          },
        ],
      };
      const path = join(folder, 'rollcall.json');
      await writeFile(path, JSON.stringify(config));
      await writeFile(join(folder, 'employees.csv'), csvOf(rows));
      sandbox.setFaults(faults.map(parseFault));
      platform.spoil(spoil);
      hr.spoil(spoil);
      const log = memoryLogger();
      const { app, engine } = await openHere(path, { clock, logger: log });
      const progress: string[] = [];
      const sinks: Sink[] = [];
      let run = 'none';
      try {
        const watch = {
          signal: AbortSignal.timeout(200_000),
          progress: (step: object) => void progress.push(JSON.stringify(step)),
          by: 'ana',
        };
        const ended = await runSync(app, 'people', watch).catch((error: unknown) => String(error));
        for await (const line of checkAll(app, undefined, watch.signal))
          sinks.push({ name: 'check', text: JSON.stringify(line) });
        const server = await openTestServer(app);
        const [{ id } = { id: 'none' }] = await findRuns(app, { limit: 1 });
        run = id;
        for (const [name, mayShowCells] of [
          ['runs', false],
          [`runs/${id}`, false],
          ['audit', false],
          ['syncs', false],
          ['connections', false],
          [`runs/${id}/changes`, true],
          ['holds', true],
        ] as const) {
          const { text } = await server.ask(`/api/${name}`, { token: viewerToken });
          sinks.push({ name: `API ${name}`, text, ...(mayShowCells ? { mayShowCells } : {}) });
        }
        const raw = await server.ask(`/api/runs/${id}/raw`, { token: viewerToken });
        expect(raw.status).toBe(403);
        const metrics = openMetrics({
          store: engine.io.store,
          clock,
          version: '1',
          names: { syncs: [], connections: ['acme'] },
          queue: undefined,
          owner: 'me',
        });
        sinks.push({ name: 'metrics', text: await metrics.render() });
        await metrics.close();
        sinks.push({ name: 'report', text: typeof ended === 'string' ? ended : JSON.stringify(ended) });
        sinks.push({ name: 'progress', text: progress.join('\n') });
        await server.close();
      } finally {
        await app.close();
      }
      platform.spoil(undefined);
      // The lists show what the API's lists do; every third scenario shows them.
      const lists = number % 3 === 1 ? [['runs'], ['holds'], ['audit'], ['alerts']] : [];
      for (const words of [['show', run], ['show', run, '--json'], ...lists]) {
        const { stdout, stderr } = await shell.run([...words, '--config', 'rollcall.json']);
        const mayShowCells = words[0] === 'holds' ? ({ mayShowCells: true } as const) : {};
        sinks.push({ name: `CLI ${words.join(' ').replace(run, 'RUN')}`, text: stdout + stderr, ...mayShowCells });
      }
      const raw = await shell.run(['show', run, '--raw', '--config', 'rollcall.json']);
      shownRaw += sentinels.found(raw.stdout, ['said']).length;
      const take = (receiver: typeof hook): string =>
        receiver.received
          .splice(0)
          .map(({ text }) => text)
          .join('\n');
      sinks.push({ name: 'log', text: log.text() });
      sinks.push({ name: 'webhook', text: take(hook) }, { name: 'Slack', text: take(slack) });
      // Quoted-printable breaks long words; a break inside a planted text must not hide it.
      sinks.push(
        { name: 'PagerDuty', text: take(pager) },
        { name: 'e-mail', text: mail.mails.join('\n').replaceAll('=\r\n', '') },
      );
      sinks.push(...(await tablesOf(join(folder, `store-${number}.db`))));
      return sinks;
    },
  };
}

/** Everything in the store but the columns that hold changes: findings, reasons, alerts, job data, batches. */
async function tablesOf(path: string): Promise<readonly Sink[]> {
  const db = new Database(path, { readonly: true });
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
    return tables.map(({ name }) => {
      const rows = db.prepare(`select * from ${name}`).all();
      const shown = name === 'changes' || name === 'ledger' ? ({ mayShowCells: true } as const) : {};
      return { name: `table ${name}`, text: JSON.stringify(rows), ...shown };
    });
  } finally {
    db.close();
  }
}

function leaksOf(sinks: readonly Sink[], sentinels: Sentinels): readonly string[] {
  return sinks.flatMap(({ name, text, mayShowCells }) => {
    const kinds = mayShowCells === true ? (['said'] as const) : (['said', 'cell'] as const);
    const birth = mayShowCells === true || !/1961-03-07|07\/03\/1961/.test(text) ? [] : ['the birth date'];
    return [...sentinels.found(text, kinds), ...birth].map((what) => `${name}: ${what}`);
  });
}

const platformCalls: readonly [string, Spoiling['matches']][] = [
  ['search', (method, path) => method === 'GET' && /\/users\/?\?/.test(path)],
  ['upload', (method, path) => method === 'POST' && path.includes('/userFiles')],
  ['file status', (method, path) => method === 'GET' && path.includes('/userFiles')],
  ['create', (method, path) => method === 'POST' && path.endsWith('/users/')],
  ['every call', () => true],
];

it('no text of another system and no value of an employee reaches a log, an alert, a finding, a metric or an error', async () => {
  const sentinels = openSentinels();
  const world = await openWorld(sentinels);
  const leaks: string[] = [];
  const idle: string[] = [];
  const seen = new Map<string, number>();
  let shownAsChange = 0;
  const always: [string, RunOptions][] = [
    ['rows', {}],
    [
      'unknown file status',
      { faults: [`file:unknown-status=${sentinels.said('file status')}`], rows: goodRows(sentinels) },
    ],
    ['failing file', { faults: ['file:fail'], rows: goodRows(sentinels) }],
  ];
  const matrix: [string, RunOptions][] = [];
  for (const status of [302, 400, 401, 403, 422, 503]) {
    const answer = hostileError(status, sentinels);
    for (const [call, matches] of platformCalls) {
      const sync =
        call === 'create'
          ? { delivery: 'direct', policy: 'create-only', mapping: { ...people.mapping, office: undefined } }
          : {};
      const rows = newRows(sentinels, `${call}-${status}`);
      matrix.push([`${call} ${status}`, { spoil: { matches, answer }, sync, rows }]);
    }
    const rest = {
      kind: 'rest',
      baseUrl: world.hr.url,
      path: '/people',
      items: 'people',
      key: 'id',
      paging: { style: 'none' },
      auth: { kind: 'bearer', token: 'a-token' },
      limits: { deadline: '20s' },
    };
    matrix.push([`HR ${status}`, { spoil: { matches: () => true, answer }, sync: { source: rest } }]);
    const token = { kind: 'client-credentials', tokenUrl: `${world.hr.url}/token`, clientId: 'a', clientSecret: 'b' };
    matrix.push([
      `HR token ${status}`,
      { spoil: { matches: () => true, answer }, sync: { source: { ...rest, auth: token } } },
    ]);
    matrix.push([
      `token ${status}`,
      {
        spoil: { matches: (_method, path) => path.endsWith('/token'), answer },
        connection: { refreshToken: 'a-first-refresh-token', applicationToken: 'an-application-token' },
      },
    ]);
  }
  for (const [at, answer] of hostileSuccesses(sentinels).entries()) {
    for (const [call, matches] of platformCalls.slice(0, 3))
      matrix.push([`${call} odd ${at}`, { spoil: { matches, answer }, rows: newRows(sentinels, `${call}-odd-${at}`) }]);
    matrix.push([
      `token odd ${at}`,
      {
        spoil: { matches: (_method, path) => path.endsWith('/token'), answer },
        connection: { refreshToken: 'a-first-refresh-token', applicationToken: 'an-application-token' },
      },
    ]);
  }
  const greeter = await openGreeter(`SSH-2.0-${sentinels.said('SSH banner')}\r\n${sentinels.said('SSH text')}\r\n`);
  closers.push(greeter.close);
  const sftp = {
    host: '127.0.0.1',
    port: greeter.port,
    user: 'u',
    password: 'p',
    hostKey: [`SHA256:${'A'.repeat(43)}`],
    path: '/out/people.csv',
  };
  always.push(['SFTP', { sync: { source: { kind: 'csv', sftp } } }]);
  const db = new Database(join(world.folder, 'hr.db'));
  db.exec(
    `create table people (id text, first text); insert into people values ('1', '${sentinels.cell('SQL value')}')`,
  );
  db.close();
  for (const query of [
    `select * from ${sentinels.said('SQL table')}`,
    'select id, json(first) as first from people',
    'select first as id, first as ID from people',
  ]) {
    always.push([
      `SQL ${query}`,
      {
        sync: {
          source: { kind: 'sql', url: 'sqlite:./hr.db', query, key: 'id' },
          mapping: { identification: 'id', firstName: 'first', lastName: 'first' },
          lifecycle: undefined,
        },
      },
    ]);
  }

  const scenarios = [...always, ...drawFrom(matrix, 12)];
  for (const [name, options] of scenarios) {
    const before = world.platform.struck() + world.hr.struck();
    const sinks = await world.run(options);
    // A scenario whose call is never made proves nothing.
    if (options.spoil !== undefined && world.platform.struck() + world.hr.struck() === before) idle.push(name);
    for (const sink of sinks)
      seen.set(
        sink.name.replace(/run_\w+/, 'RUN'),
        (seen.get(sink.name.replace(/run_\w+/, 'RUN')) ?? 0) + sink.text.length,
      );
    leaks.push(...leaksOf(sinks, sentinels).map((leak) => `${name} → ${leak}`));
    shownAsChange += sinks
      .filter((sink) => sink.mayShowCells)
      .flatMap(({ text }) => sentinels.found(text, ['cell'])).length;
  }

  const counts = `sentinels: ${sentinels.count()}, scenarios: ${scenarios.length}, sinks: ${seen.size}, hits: ${leaks.length}`;
  process.stdout.write(`${counts}\n`);
  expect(leaks).toEqual([]);
  expect(idle).toEqual([]);
  expect(await readdir(world.folder)).toContain('rollcall.json');
  // What is planted is found where it may be shown: the search works.
  expect(shownAsChange).toBeGreaterThan(10);
  expect(world.shownRaw()).toBeGreaterThan(10);
  // The channels were reached at all, so that an empty sink proves something.
  for (const sink of ['log', 'webhook', 'Slack', 'PagerDuty', 'e-mail', 'table findings', 'metrics']) {
    expect(seen.get(sink) ?? 0, sink).toBeGreaterThan(100);
  }
  expect(await readFile(join(world.folder, 'rollcall.json'), 'utf8')).toContain('people');
});
