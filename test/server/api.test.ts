import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'csv-parse/sync';
import { expect, it, test } from 'vitest';
import { findAudit } from '../../src/app/audit.ts';
import { changeTokens } from '../../src/app/connections.ts';
import { endpoints } from '../../src/server/endpoints/index.ts';
import { holdCrowd, idOfPerson } from '../support/held-crowd.ts';
import { employees, openOffice, plainSync, type Row, usersOf } from '../support/office.ts';
import { noApp, openTestServer, operatorToken, type TestServer, viewerToken } from './open-test-server.ts';

/** An office whose first run disabled nobody, because seven leavers at once are held, and created one person. */
async function openHeldOffice(extra: Readonly<Record<string, unknown>> = {}) {
  const before = employees(20);
  const office = await openOffice({ sandbox: { people: usersOf(before) }, ...extra });
  await office.applyRows(before);
  const left = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((i): [string, Row] => [`E${i}`, { status: 'left' }]));
  const { run } = await office.applyRows([...employees(20, left), { ...newcomer }]);
  const server = await openTestServer(office.app);
  return { office, server, run };
}

const newcomer = { id: 'N1', first: '=1+1', last: 'Díaz', mail: 'n1@example.com', status: 'active' };

const pathOf = (path: string, run = 'run_1'): string =>
  path.replace('{sync}', 'people').replace('{id}', run).replace('{identification}', 'E1');

/** What an answer must look like, by the table of endpoints. */
async function expectAnswer(server: TestServer, id: string, path: string, body?: unknown) {
  const endpoint = endpoints.find((one) => one.id === id);
  const { method = 'GET', answer, status } = endpoint ?? {};
  const found = await server.ask(path, { method, ...(body === undefined ? {} : { body }) });
  expect(found.json, id).toEqual(answer?.parse(found.json));
  expect(found.status, id).toBe(status);
  return found.json;
}

test('nobody gets in without a token', async () => {
  const office = await openOffice();
  const server = await openTestServer(office.app);
  for (const { method, path, needs } of endpoints) {
    if (needs === 'signature' || needs === 'none') continue;
    // Guesses have a limit of their own.
    await server.clock.advance(60_000);
    for (const token of [null, 'x', `${viewerToken}x`, '']) {
      const refused = await server.ask(pathOf(path), { method, token });
      expect(refused, `${method} ${path}`).toMatchObject({
        status: 401,
        json: { title: 'Unauthorized', status: 401, code: expect.stringMatching(/^TOKEN_/) },
      });
      expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(refused.headers.get('www-authenticate')).toContain('Bearer');
      expect(refused.json.requestId).toBe(refused.headers.get('x-request-id'));
    }
  }
  expect(await findAudit(office.app, { limit: 10 })).toEqual([]);
});

test('every answer is what the document says, through the life of a held run', async () => {
  const { office, server, run } = await openHeldOffice();

  const { syncs } = await expectAnswer(server, 'list-syncs', '/api/syncs');
  expect(syncs).toMatchObject([
    { name: 'people', state: 'idle', waiting: 0, lastRun: { id: run.id, outcome: 'held' } },
  ]);
  const { runs } = await expectAnswer(server, 'list-runs', '/api/runs?limit=5&sync=people');
  expect(runs.map(({ id }: { id: string }) => id)[0]).toBe(run.id);
  const shown = await expectAnswer(server, 'show-run', `/api/runs/${run.id}`);
  expect(shown).toMatchObject({
    counts: { held: 7, create: 1 },
    holds: [{ class: 'disables', count: 7, state: 'open' }],
  });
  const { changes } = await expectAnswer(server, 'list-changes', `/api/runs/${run.id}/changes?state=held`);
  expect(changes).toHaveLength(7);
  expect(await expectAnswer(server, 'explain-person', '/api/syncs/people/people/E1')).toMatchObject({
    identification: 'E1',
    decision: { change: { kind: 'disable' } },
  });
  const { history } = await expectAnswer(server, 'person-history', '/api/syncs/people/people/E1/history');
  expect(history).toMatchObject([{ run: run.id, kind: 'disable', state: 'held' }]);
  const { connections } = await expectAnswer(server, 'list-connections', '/api/connections');
  expect(connections).toMatchObject([{ name: 'acme', token: { state: expect.any(String) } }]);
  expect(JSON.stringify(connections)).not.toContain(office.sandbox.accessToken);

  expect(await expectAnswer(server, 'approve-run', `/api/runs/${run.id}/approve`)).toMatchObject({ changes: 7 });
  const twice = await server.ask(`/api/runs/${run.id}/approve`, { method: 'POST' });
  expect(twice).toMatchObject({ status: 409, json: { detail: expect.stringContaining('already approved') } });
  expect(await expectAnswer(server, 'retry-run', `/api/runs/${run.id}/retry`)).toMatchObject({ isNew: true });
  const refused = await server.ask(`/api/runs/${run.id}/cancel`, { method: 'POST' });
  expect(refused).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  const applied = await office.apply();
  expect(applied.run).toMatchObject({ outcome: 'succeeded', counts: { disable: 7, applied: 7 } });

  const { entries } = await expectAnswer(server, 'list-audit', '/api/audit?sync=people');
  // Commands of a shell are in the audit too.
  expect(entries.map(({ by, action }: { by: string; action: string }) => `${by} ${action}`)).toEqual([
    'shell:ana request-run',
    'token:ops retry',
    'token:ops approve',
    'shell:ana request-run',
    'shell:ana request-run',
  ]);
});

test('a rejected run is not asked about again, and is approved only when the request says so', async () => {
  const { office, server, run } = await openHeldOffice();
  expect(await expectAnswer(server, 'reject-run', `/api/runs/${run.id}/reject`)).toMatchObject({ changes: 7 });
  expect((await office.apply()).run).toMatchObject({ counts: { held: 0 } });
  const refused = await server.ask(`/api/runs/${run.id}/approve`, { method: 'POST' });
  expect(refused).toMatchObject({ status: 409, json: { code: 'CONFLICT' } });
  expect(refused.json.detail).toContain('"reopen": true');
  const again = await server.ask(`/api/runs/${run.id}/approve`, { method: 'POST', body: { reopen: true } });
  expect(again).toMatchObject({ status: 200, json: { changes: 7 } });
  expect((await office.apply()).run).toMatchObject({ counts: { held: 0, disable: 7, applied: 7 } });
});

test('a part of what a run holds is rejected and approved, with who and why', async () => {
  const { office, server, run } = await openHeldOffice();
  const ask = (act: string, body: object) => server.ask(`/api/runs/${run.id}/${act}`, { method: 'POST', body });
  const listed = await expectAnswer(server, 'list-holds', '/api/holds?limit=2');
  expect(listed).toMatchObject({
    holds: [{ run: run.id, class: 'disables', count: 7, isApprovable: true }],
    reads: [],
  });
  const people: string[] = listed.holds[0].changes.map(
    ({ identification }: { identification: string }) => identification,
  );
  expect(people).toHaveLength(2);
  const why = { as: 'ana', reason: 'on leave' };
  expect(await ask('reject', { ids: people, ...why })).toMatchObject({ status: 200, json: { changes: 2 } });
  expect((await expectAnswer(server, 'list-holds', '/api/holds')).holds[0].count).toBe(5);
  expect(await ask('approve', { only: ['disables'] })).toMatchObject({ status: 200, json: { changes: 5 } });
  const { json } = await server.ask(`/api/audit?run=${run.id}&by=token:ops&action=reject`);
  expect(json.entries).toMatchObject([
    { by: expect.any(String), as: 'ana', action: 'reject', detail: '2 changes', reason: 'on leave' },
  ]);
  const after = await office.apply();
  expect(after.run).toMatchObject({ counts: { held: 0, applied: 5 }, plan: { rejected: 2 } });
  expect((await expectAnswer(server, 'list-holds', '/api/holds')).holds).toEqual([]);
});

test('what is decided about a pair is in the audit, and an order that says too little decides nothing', async () => {
  const rows = employees(20);
  const office = await openOffice({
    sandbox: { people: usersOf(rows), quirks: { userId: 'identification' } },
    dialect: { userId: 'identification' },
  });
  await office.applyRows(rows);
  await office.applyRows(rows.map((row) => (row.id === 'E3' ? { ...row, id: 'N3' } : row)));
  const server = await openTestServer(office.app);
  const path = '/api/syncs/people/adopt';
  expect(await expectAnswer(server, 'preview-adoption', `${path}/preview`, { ids: ['N3'] })).toMatchObject({
    adoptions: [{ other: 'E3', kind: 'none', ways: [{ way: 'leave' }, { way: 'replace' }, { way: 'apart' }] }],
  });
  const until = new Date(office.clock.now() + 86_400_000).toISOString();
  for (const body of [
    { way: 'leave', until },
    { way: 'leave', reason: 'why' },
    { way: 'drop' },
    { way: 'apart', until },
  ]) {
    expect((await server.ask(path, { method: 'POST', body: { ids: ['N3'], ...body } })).status).toBe(400);
  }
  const order = { ids: ['N3'], way: 'leave', until, reason: 'notice' };
  expect(await expectAnswer(server, 'adopt-users', path, order)).toMatchObject({
    adoptions: [{ kind: 'decide', isDone: true }],
  });
  const { entries } = await expectAnswer(server, 'list-audit', '/api/audit?action=decide-accounts');
  expect(entries).toMatchObject([
    { by: 'token:ops', reason: 'notice', detail: `"N3" is left out and the account of "E3" kept until ${until}` },
  ]);
});

test('adopting people is previewed, done once, and in the audit with who and why', async () => {
  const rows = employees(20);
  const office = await openOffice({
    sandbox: { people: usersOf(rows) },
    syncs: {
      second: {
        ...plainSync('./second.csv'),
      },
    },
  });
  await office.writeEmployees(rows);
  await office.writeEmployees(rows.slice(0, 1), 'second.csv');
  await office.apply();
  const server = await openTestServer(office.app);
  const path = '/api/syncs/second/adopt';
  const owner = async () => (await office.engine.io.store.ledger.get('acme', 'E1'))?.owner;

  const preview = await expectAnswer(server, 'preview-adoption', `${path}/preview`, { ids: ['E1'] });
  expect(preview).toMatchObject({
    sync: 'second',
    adoptions: [{ identification: 'E1', kind: 'move', owner: 'people', account: { enabled: true }, isDone: false }],
  });
  expect(await owner()).toBe('people');
  const order = { ids: ['E1'], as: 'ana', reason: 'changed companies' };
  expect(await expectAnswer(server, 'adopt-users', path, order)).toMatchObject({ adoptions: [{ isDone: true }] });
  expect(await owner()).toBe('second');
  expect(await expectAnswer(server, 'adopt-users', path, order)).toMatchObject({
    adoptions: [{ kind: 'none', isDone: false }],
  });

  const { entries } = await expectAnswer(server, 'list-audit', '/api/audit?sync=second');
  expect(entries).toMatchObject([
    {
      action: 'adopt',
      as: 'ana',
      by: 'token:ops',
      reason: 'changed companies',
      detail: 'users of other syncs: E1 (people)',
    },
  ]);
  for (const [refusedPath, body, status] of [
    [path, { ids: [] }, 400],
    [path, { ids: ['E1'], id: 'E1' }, 400],
    [path, { ids: ['E1', 'E999'] }, 400],
    ['/api/syncs/third/adopt', { ids: ['E1'] }, 404],
    ['/api/syncs/third/adopt/preview', { ids: ['E1'] }, 404],
  ] as const) {
    const refused = await server.ask(refusedPath, { method: 'POST', body });
    expect(refused.status, `${refusedPath} ${JSON.stringify(body)}`).toBe(status);
  }
  const asViewer = await server.ask(`${path}/preview`, { method: 'POST', body: { ids: ['E1'] }, token: viewerToken });
  expect(asViewer.status).toBe(403);
});

test('a wrong selection is refused and approves nobody', async () => {
  const { server, run } = await openHeldOffice();
  for (const [body, named] of [
    [{ only: ['disable'] }, 'body.only.0'],
    [{ only: 'disables' }, 'body.only'],
    [{ ids: [] }, 'body.ids'],
    [{ except: [7] }, 'body.except.0'],
    [{ reason: ' ' }, 'body.reason'],
    [{ as: '' }, 'body.as'],
    [{ reopen: 'yes' }, 'body.reopen'],
    [{ excpet: ['E1'] }, 'excpet'],
    [{ except: ['E999'] }, 'except names people'],
    [{ ids: ['E999', 'E998'] }, 'ids names people'],
  ] as const) {
    const refused = await server.ask(`/api/runs/${run.id}/approve`, { method: 'POST', body });
    expect(refused, JSON.stringify(body)).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining(named) },
    });
    expect((await expectAnswer(server, 'list-holds', '/api/holds')).holds[0].count).toBe(7);
  }
});

test('runs and the audit come in pages that neither repeat nor skip', async () => {
  const { office, server } = await openHeldOffice();
  for (let i = 0; i < 3; i += 1) await office.apply();
  for (const [path, list] of [
    ['/api/runs', 'runs'],
    ['/api/audit', 'entries'],
  ] as const) {
    if (list === 'entries')
      for (const word of ['pause', 'resume', 'pause', 'resume', 'pause'])
        await server.ask(`/api/syncs/people/${word}`, { method: 'POST' });
    const seen: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { json } = await server.ask(`${path}?limit=2${next === '' ? '' : `&cursor=${next}`}`);
      seen.push(...json[list].map(({ id }: { id: string }) => id));
      next = json.next;
    }
    // Each run was asked for, and that is in the audit too.
    expect(new Set(seen).size, path).toBe(list === 'runs' ? 5 : 10);
    expect(seen, path).toEqual(seen.toSorted().reverse());
  }
});

test('what was done to a token is in the audit under its connection, and under no sync', async () => {
  const office = await openOffice();
  const server = await openTestServer(office.app);
  // The office has a fixed access token, which nobody can refresh.
  const asked = changeTokens(office.app, 'refresh', 'acme', { signal: AbortSignal.timeout(60_000), by: 'shell:ana' });
  await expect(asked).rejects.toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
  const detail = 'failed: TOKEN_UNAVAILABLE';
  const { entries } = await expectAnswer(server, 'list-audit', '/api/audit');
  expect(entries).toMatchObject([
    { by: 'shell:ana', action: 'token-refresh', sync: null, connection: 'acme', run: null, detail },
  ]);
  expect((await expectAnswer(server, 'list-audit', '/api/audit?sync=people')).entries).toEqual([]);
});

test('a paused sync begins nothing, says who paused it, and cannot be paused twice', async () => {
  const office = await openOffice();
  const server = await openTestServer(office.app);
  expect(await expectAnswer(server, 'pause-sync', '/api/syncs/people/pause')).toMatchObject({
    state: 'paused',
    pausedBy: 'token:ops',
    nextSlotAt: null,
    refusedUntil: null,
  });
  expect((await server.ask('/api/syncs/people/pause', { method: 'POST' })).status).toBe(409);
  expect((await server.ask('/api/syncs/nobody/pause', { method: 'POST' })).status).toBe(404);
  expect(await expectAnswer(server, 'resume-sync', '/api/syncs/people/resume')).toMatchObject({ state: 'idle' });
  expect((await server.ask('/api/syncs/people/resume', { method: 'POST' })).status).toBe(409);
});

test('a request under an Idempotency-Key is one run, the key is worth nothing for others, and the audit keeps the reason', async () => {
  const office = await openOffice();
  await office.writeEmployees(employees(3));
  const server = await openTestServer(office.app);
  const order = (body: unknown, key?: string) =>
    server.ask('/api/syncs/people/runs', {
      method: 'POST',
      body,
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });

  const first = await order({ users: ['E2', 'E1'] }, 'k1');
  expect(first).toMatchObject({ status: 202, json: { sync: 'people', isNew: true, run: null } });
  expect((await order({ users: [' E1 ', 'E2'] }, 'k1')).json).toEqual({ ...first.json, isNew: false });
  expect(await order({}, 'k1')).toMatchObject({ status: 422, json: { code: 'KEY_REUSED' } });
  const other = await order({ users: ['E1', 'E2'] }, 'k2');
  expect(other.json.trigger).not.toBe(first.json.trigger);
  expect((await order({})).json.isNew).toBe(true);
  expect((await order({}, 'k3')).json.isNew).toBe(true);
  expect(await order({ full: true }, 'k3')).toMatchObject({ status: 422, json: { code: 'KEY_REUSED' } });
  expect((await order({ full: false }, 'k3')).json.isNew).toBe(false);

  const { run } = await office.apply({ users: ['E1', 'E2'] });
  expect((await order({ users: ['E1', 'E2'] }, 'k1')).json).toMatchObject({ isNew: false, run: run.id });

  // Thousands of people are one request.
  const body = { users: Array.from({ length: 5000 }, (_, i) => `E${i}`), reason: 'ticket 12', as: 'Ana' };
  expect((await order(body)).status).toBe(202);
  expect(await findAudit(office.app, { limit: 1 })).toMatchObject([
    { by: 'token:ops', as: 'Ana', reason: 'ticket 12', detail: '5000 named people' },
  ]);
});

test('a run that is asked for in full is so, and every run says what it read', async () => {
  const office = await openOffice();
  await office.writeEmployees(employees(3));
  const server = await openTestServer(office.app);
  await server.ask('/api/syncs/people/runs', { method: 'POST', body: { full: true } });
  expect(await office.engine.io.store.triggers.waiting('people')).toMatchObject([
    { scope: { kind: 'all', isFull: true } },
  ]);
  await office.apply();
  await office.apply({ users: ['E1'] });
  const { runs } = (await server.ask('/api/runs')).json as { runs: { read: string; users: number | null }[] };
  expect(runs.map(({ read, users }) => [read, users])).toEqual([
    ['point', 1],
    ['full', null],
  ]);
});

/** Paths that are no answer, each with its status. */
const problems = [
  ['/api/runs?limit=0', 400],
  ['/api/runs?limit=x', 400],
  ['/api/runs?cursor=run_none', 400],
  ['/api/runs?sync=nobody', 404],
  ['/api/runs/run_none', 404],
  ['/api/runs/run_none/changes', 404],
  ['/api/syncs/people/people/%2E%2E', 404],
  ['/api/syncs/people/people/%20', 400],
  ['/api/syncs/people/people/%zz', 400],
  // A misspelt filter must not give everything.
  ['/api/runs?synk=people', 400],
  ['/api/audit?sync=people&runs=x', 400],
  ['/api/audit?run=run_none', 404],
  ['/api/audit?since=yesterday', 400],
  ['/api/holds?sync=none', 404],
  ['/api/syncs?state=paused', 400],
  // PostgreSQL cannot even be asked for a NUL.
  ['/api/runs/%00', 400],
  ['/api/runs?cursor=a%00', 400],
  ['/api/runs/latest/changes?after=%00', 400],
  ['/api/syncs/people/people/a%00', 400],
  ['/api/nothing', 404],
  ['/nothing', 404],
] as const;

test('what cannot be answered is a problem with its status, in words: paths, bodies and methods', async () => {
  const office = await openOffice();
  const server = await openTestServer(office.app);
  for (const [path, status] of problems) {
    const refused = await server.ask(path);
    expect(refused.status, path).toBe(status);
    expect(refused.headers.get('content-type'), path).toMatch(/^application\/problem\+json/);
    expect(refused.json, path).toMatchObject({ status, requestId: expect.stringMatching(/^request_/) });
  }

  for (const [sync, body, status, words] of [
    ['people', { users: [] }, 400, 'body.users'],
    ['people', { user: ['E1'] }, 400, 'body'],
    ['people', { users: ['E1'], full: true }, 400, 'body.full'],
    ['people', '{ no json', 400, 'not JSON'],
    ['people', { users: ['..'] }, 400, 'identification'],
    ['nobody', {}, 404, 'the configuration has: people'],
    ['people', `"${'x'.repeat(300_000)}"`, 413, '256 KiB'],
  ] as const) {
    expect(await server.ask(`/api/syncs/${sync}/runs`, { method: 'POST', body })).toMatchObject({
      status,
      json: { type: 'about:blank', status, detail: expect.stringContaining(words) },
    });
  }

  const asked = async (method: string, path: string) => {
    const response = await fetch(`${server.url}${path}`, { method });
    const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
    const { code } = isProblem ? ((await response.json()) as { code: string }) : { code: '' };
    return [response.status, response.headers.get('allow'), code];
  };
  const refused = 'METHOD_NOT_ALLOWED';
  expect(await asked('DELETE', '/api/syncs')).toEqual([405, 'GET, HEAD, OPTIONS', refused]);
  expect(await asked('PUT', '/api/runs/run_1')).toEqual([405, 'GET, HEAD, OPTIONS', refused]);
  expect(await asked('GET', '/api/syncs/people/runs')).toEqual([405, 'POST, OPTIONS', refused]);
  expect(await asked('POST', '/healthz')).toEqual([405, 'GET, HEAD, OPTIONS', refused]);
  expect(await asked('OPTIONS', '/api/webhooks/people')).toEqual([204, 'POST, OPTIONS', '']);
  expect(await asked('HEAD', '/healthz')).toEqual([200, null, '']);
  expect(await asked('DELETE', '/api/nothing')).toEqual([404, null, 'NOT_FOUND']);
});

it('gives all changes as JSON in pages, as NDJSON and as CSV, whatever their number and whoever goes away', async () => {
  const office = await openOffice();
  const { store } = office.app.engine;
  const { run } = await holdCrowd(store, 1203, office.clock.now());
  const expected = Array.from({ length: 1203 }, (_, i) => idOfPerson(i));
  const pages: string[] = [];
  const secondPage = Promise.withResolvers<void>();
  const page: typeof store.plans.page = async (id, query) => {
    pages.push(query.after ?? '');
    if (query.after !== undefined) await secondPage.promise;
    return store.plans.page(id, query);
  };
  const server = await openTestServer({
    ...office.app,
    engine: { ...office.app.engine, store: { ...store, plans: { ...store.plans, page } } },
  });
  const path = `/api/runs/${run}/changes`;
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${operatorToken}` };
  const response = await fetch(`${server.url}${path}?format=ndjson`, { headers, signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  leaving.abort();
  secondPage.resolve();
  await reader?.closed.catch(() => {});
  expect((await server.ask('/api/runs')).status).toBe(200);
  expect(pages.length).toBeLessThanOrEqual(3);
  expect(server.log.messages('error')).toEqual([]);

  const paged: string[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { json } = await server.ask(`${path}?limit=500${after === '' ? '' : `&after=${after}`}`);
    paged.push(...json.changes.map(({ identification }: { identification: string }) => identification));
    after = json.next;
  }
  expect(paged).toEqual(expected);
  const lines = await server.ask(path, { headers: { accept: 'application/x-ndjson' } });
  expect(lines.headers.get('content-type')).toContain('application/x-ndjson');
  const each = lines.text.trimEnd().split('\n');
  expect(each.map((line) => JSON.parse(line).identification)).toEqual(expected);
  const csv = await server.ask(`${path}?format=csv`);
  expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="${run}.csv"`);
  const rows: Record<string, string>[] = parse(csv.text, { columns: true });
  expect(rows.map(({ identification }) => identification)).toEqual(expected);
  expect(rows[0]).toMatchObject({ kind: 'disable', state: 'held' });
});

test('an identification may hold what a path would otherwise end at, or what a spreadsheet takes for a formula', async () => {
  const office = await openOffice();
  const { run } = await office.applyRows([
    { ...newcomer, id: 'a/b ü' },
    { ...newcomer, id: '=N1', mail: 'n2@example.com' },
  ]);
  const server = await openTestServer(office.app);
  const { json } = await server.ask(`/api/syncs/people/people/${encodeURIComponent('a/b ü')}/history`);
  expect(json.history).toMatchObject([{ identification: 'a/b ü', kind: 'create', state: 'applied' }]);
  const csv = await server.ask(`/api/runs/${run.id}/changes?format=csv`);
  const rows: Record<string, string>[] = parse(csv.text, { columns: true });
  expect(rows.map(({ identification }) => identification)).toEqual(["'=N1", 'a/b ü']);
});

test('the OpenAPI document is valid, names every endpoint, and both pages stand alone', async () => {
  const server = await openTestServer(noApp);
  const { json } = await server.ask('/openapi.json', { token: null });
  expect(await new Validator().validate(json)).toMatchObject({ valid: true });
  const named = Object.values(json.paths).flatMap((methods) =>
    Object.values(methods as object).map(({ operationId }) => operationId),
  );
  expect(named.sort()).toEqual(endpoints.map(({ id }) => id).sort());
  for (const path of ['/docs', '/runbook']) {
    const page = await server.ask(path, { token: null });
    expect(page.headers.get('content-security-policy')).toMatch(
      /script-src '(sha256-[^ ]+=|none)'; style-src 'sha256-/,
    );
    expect(page.text).not.toMatch(/(src|href)="(https?:)?\/\//);
  }
});

test('what is logged of a request names no person, no token and no path', async () => {
  const { office, server } = await openHeldOffice();
  await server.ask('/api/syncs/people/people/E1/history?limit=3');
  await server.ask('/api/syncs/people/runs', { method: 'POST', body: { users: ['E2'] } });
  const text = server.log.text();
  expect(text).toContain('/api/syncs/:sync/people/:identification/history');
  expect(text).toContain('"caller":"token:ops"');
  for (const secret of ['E1', 'E2', 'operator-token', office.sandbox.accessToken]) expect(text).not.toContain(secret);
});

test('docs/http-api.md names every endpoint', async () => {
  const text = await readFile(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
  const absent = endpoints.filter(({ method, path }) => !text.includes(`\`${method} ${path}\``));
  expect(absent.map(({ id }) => id)).toEqual([]);
});
