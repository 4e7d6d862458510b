import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openTestShell } from '../cli/test-shell.ts';
import { plainMapping } from '../support/office.ts';

interface Employee {
  readonly id: string;
  status: string;
  /** Whether the list shows the person. */
  isListed: boolean;
}

/** An HR system with a list of all people and a lookup by id, of which a test decides the status. */
async function startHr(count: number) {
  const people = Array.from(
    { length: count },
    (_, i): Employee => ({ id: `E${i + 1}`, status: 'active', isListed: true }),
  );
  const hr = { people, lookupStatus: 200, asked: [] as string[] };
  const shape = ({ id, status }: Employee) => ({ id, first: 'Ana', last: 'Doe', mail: `${id}@example.com`, status });
  const server = createServer((request, response) => {
    const id = /^\/people\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) hr.asked.push(id);
    const person = people.find((one) => one.id === id);
    const status = id === undefined ? 200 : hr.lookupStatus === 200 && person === undefined ? 404 : hr.lookupStatus;
    const found = id === undefined ? people.filter(({ isListed }) => isListed).map(shape) : person && shape(person);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? (id === undefined ? { people: found } : found) : {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { ...hr, hr, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openPlace(sync: Readonly<Record<string, unknown>>) {
  const sandbox = await startSandbox({ now: () => Date.now(), processingMs: 10 });
  onTestFinished(() => sandbox.close());
  const { folder, run } = await openTestShell();
  const configure = async (more: Readonly<Record<string, unknown>> = {}) => {
    const people = {
      connection: 'acme',
      policy: 'sync',
      mapping: plainMapping,
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      missing: { afterReads: 1, minAge: '0s' },
      settle: { every: '50ms' },
      ...sync,
      ...more,
    };
    const connections = { acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken } };
    await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify({ connections, syncs: { people } }));
  };
  await configure();
  const json = async (...words: string[]) => {
    const { code, stdout } = await run([...words, '--json']);
    return { code, said: JSON.parse(stdout) };
  };
  const enabled = () => [...sandbox.state.users.values()].filter((user) => user.enabled).length;
  return { sandbox, folder, run, json, configure, enabled };
}

const codes = (findings: readonly { readonly code: string }[]) => findings.map(({ code }) => code);

describe('a person whom the list of the HR system lacks', () => {
  it('is asked for by id before the account is disabled, and why says what the answer was', async () => {
    const { hr, people, url } = await startHr(12);
    const source = {
      kind: 'rest',
      baseUrl: url,
      auth: { kind: 'none' },
      path: '/people',
      items: 'people',
      key: 'id',
      paging: { style: 'none' },
      point: { id: { path: '/people/{value}' } },
    };
    const { json, run, enabled } = await openPlace({ source });
    const [ana, ben] = people as [Employee, Employee];
    expect((await run(['apply', 'people'])).code).toBe(0);
    ana.isListed = false;

    const found = await json('apply', 'people');
    expect([found.code, codes(found.said.findings)]).toEqual([0, ['missing-found']]);
    expect((await run(['why', 'people', 'E1'])).stdout).toContain('found by a lookup by id');
    hr.lookupStatus = 400;
    const unclear = await json('apply', 'people');
    expect([unclear.code, codes(unclear.said.findings)]).toEqual([0, ['missing-unconfirmed']]);
    const why = await run(['why', 'people', 'E1']);
    expect(why.stdout).toContain('a lookup by id was inconclusive');
    expect(enabled()).toBe(12);

    hr.lookupStatus = 200;
    ana.status = 'left';
    expect((await json('apply', 'people')).said.counts).toMatchObject({ disable: 1, applied: 1 });
    ben.isListed = false;
    hr.lookupStatus = 403;
    const plan = await run(['plan', 'people']);
    expect(plan.stdout).toContain('1 lookup in the HR system');
    expect(plan.stdout).toContain('lookup-refused');
    expect((await json('apply', 'people')).said.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(enabled()).toBe(10);
  });
});

describe('a pause with an end', () => {
  it('stops new runs until then, in words everywhere, and ends by itself', async () => {
    const { json, run } = await openCsvPlace();
    expect(await run(['pause', 'people', '--until', 'tomorrow'])).toMatchObject({ code: 2 });
    expect(await run(['pause', 'people', '--until', '2020-01-01T00:00Z'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a pause ends in the future'),
    });
    const paused = await json('pause', 'people', '--until', '2s');
    expect(paused).toMatchObject({ code: 0, said: { isPaused: true, until: expect.stringMatching(/Z$/) } });
    const end = String(paused.said.until).slice(0, 10);
    const again = await run(['pause', 'people', '--until', '2d']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`already paused until ${end}`)]);
    for (const words of [['status'], ['runs'], ['why', 'people', 'E1']]) {
      expect((await run(words)).stdout).toMatch(new RegExp(`paused by .* until ${end}`, 'i'));
    }
    const refused = await run(['resync', 'people']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`until ${end}`)]);
    expect((await json('status')).said.syncs[0].health.until).toBe(paused.said.until);

    await expect.poll(async () => (await run(['apply', 'people'])).code, { interval: 500 }).toBe(0);
    expect((await json('status')).said.syncs[0].health).toMatchObject({ state: 'succeeding', until: null });
    expect((await run(['resume', 'people'])).code).toBe(1);
    expect((await run(['pause', 'people', '--until', '2d'])).code).toBe(0);
    expect((await run(['resume', 'people'])).code).toBe(0);
  });
});

describe('a schedule', () => {
  it('shows its next three runs in check and status, on days of the month or of the week', async () => {
    const { run, configure } = await openCsvPlace();
    await configure({ schedule: { cron: '0 3 1,15 * 0' } });
    for (const words of [['check'], ['status']]) {
      const dates = /next runs: (.*)/.exec((await run(words)).stdout)?.[1]?.split(', ') ?? [];
      const days = dates.map((text) => new Date(text.replace(' UTC', 'Z').replace(' ', 'T')));
      expect(days).toHaveLength(3);
      expect(days.every((day) => day.getUTCDay() === 0 || [1, 15].includes(day.getUTCDate()))).toBe(true);
      expect((days[2]?.getTime() ?? 0) - Date.now()).toBeLessThan(22 * 86_400_000);
    }
  });
});

describe('a freeze', () => {
  it('lets everything through but disables and removes, which the first run after it makes', async () => {
    const { json, run, configure, employ, enabled } = await openCsvPlace();
    await run(['apply', 'people']);
    // A window of a day that began at the last full hour.
    const start = new Date(Date.now() - 60_000);
    const freeze = { cron: `${start.getUTCMinutes()} ${start.getUTCHours()} * * *`, for: '23h' };
    await configure({ freeze });
    await employ(['E1,Ana,Doe,left', 'E2,Ben,Doe,active', 'E3,Cid,Fox,active', 'E4,New,Doe,active']);

    const plan = await run(['plan', 'people']);
    expect(plan.stdout).toContain('1 disable or remove waits for the end of the freeze at');
    const { code, said } = await json('apply', 'people');
    expect([code, said.outcome, codes(said.findings)]).toEqual([0, 'succeeded', ['frozen']]);
    expect(said.counts).toMatchObject({ create: 1, update: 1, applied: 2, held: 0 });
    expect(said.facts.frozen).toMatchObject({ count: 1 });
    expect(enabled()).toBe(4);
    expect((await run(['why', 'people', 'E1'])).stdout).toContain('the disable waits for the end of the freeze at');
    expect((await run(['status'])).stdout).toContain('people: frozen until');
    expect((await json('status')).said.syncs[0].frozenUntil).toMatch(/Z$/);

    await configure();
    expect((await json('apply', 'people')).said.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(enabled()).toBe(3);
  });
});

async function openCsvPlace() {
  const place = await openPlace({ source: { kind: 'csv', path: './employees.csv' }, outOfScope: 'ignore' });
  const employ = (rows: readonly string[]) => {
    const lines = rows.map((row) => {
      const [id, first, last, status] = row.split(',');
      return `${id},${first},${last},${id}@example.com,${status}\n`;
    });
    return writeFile(join(place.folder, 'employees.csv'), `id,first,last,mail,status\n${lines.join('')}`);
  };
  await employ(['E1,Ana,Doe,active', 'E2,Ben,Doe,active', 'E3,Cid,Doe,active']);
  return { ...place, employ };
}
