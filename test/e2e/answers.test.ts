import { describe, expect, it } from 'vitest';
import { runSync } from '../../src/app/requests.ts';
import { findChanges } from '../../src/app/runs.ts';
import { type Waiting, waitingWords } from '../../src/core/run/waiting.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import { parseFault } from '../../src/sandbox/index.ts';
import { openCommandPlace } from '../support/command-place.ts';
import { drawFrom } from '../support/drawn.ts';
import {
  employees,
  type Office,
  type OfficeOptions,
  openManaged,
  type Row,
  renamed,
  takeOffices,
} from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';
import { slowly } from '../support/slowness.ts';

holdPromises();

const csv = { delivery: 'csv', guards: { disables: { absolute: 50 }, updates: { absolute: 500 } } };
const direct = { delivery: 'direct', policy: 'upsert-only' };
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Four times as many users, all ours, so that changes of the first `changed` need no approval. */
function officeWith(changed: number, options: OfficeOptions = {}): Promise<Office> {
  return openManaged(4 * changed, { ...options, sync: { ...csv, ...options.sync } });
}

interface Answered {
  readonly faults: readonly string[];
  readonly sync?: OfficeOptions['sync'];
  readonly sandbox?: OfficeOptions['sandbox'];
  readonly limits?: OfficeOptions['limits'];
  /** How many employees have a new last name; 12 otherwise. */
  readonly changed?: number;
  readonly patch?: Readonly<Record<string, Row>>;
  /** What the run comes to. */
  readonly run: object;
  readonly reason?: string;
  readonly failed?: readonly string[];
  /** Minutes that the run may take. */
  readonly minutes?: number;
  /** How many files it sends, and how many writes the platform makes of them. */
  readonly uploads?: number;
  readonly updates?: number;
  readonly writes?: number;
}

const short = { every: '5s', visibleWithin: '20s', deadline: '90s', unknownAfter: '30m' };
const done = { outcome: 'succeeded', counts: { applied: 12, failed: 0, unresolved: 0 } };

const answers: Readonly<Record<string, Answered>> = {
  'a firewall refuses the text of one row (403), and another row is a disable': {
    faults: ['upload:refuse-if=Drop Table'],
    patch: { E7: { last: 'Drop Table' }, E3: { status: 'left' } },
    run: { outcome: 'partial', counts: { applied: 11, failed: 1, unresolved: 0 } },
    failed: ['E7'],
  },
  'a firewall refuses a row in each of several files': {
    faults: ['upload:refuse-if=Drop Table'],
    sync: { batchRows: 4 },
    patch: { E2: { last: 'Drop Table' }, E6: { last: 'Drop Table' }, E10: { last: 'Drop Table' } },
    run: { outcome: 'partial', counts: { applied: 9, failed: 3 } },
    failed: ['E10', 'E2', 'E6'],
  },
  'three files in a row are refused (403)': {
    faults: ['upload:status=403'],
    sync: { batchRows: 3 },
    run: { outcome: 'failed', counts: { applied: 0 } },
    reason: 'in a row',
    uploads: 9,
  },
  'the file of disables and another one are refused (403)': {
    faults: ['upload:status=403'],
    patch: { E3: { status: 'left' }, E4: { status: 'left' } },
    run: { outcome: 'failed' },
    reason: 'disables',
    uploads: 6,
  },
  'files are refused (403) from the second one on': {
    faults: ['upload:status=403@2-'],
    sync: { batchRows: 3 },
    changed: 15,
    run: { outcome: 'failed', counts: { applied: 3, unresolved: 0 } },
  },
  'the calls for two protected accounts are refused (403)': {
    faults: ['update:status=403@3-4'],
    sync: direct,
    run: { outcome: 'partial', counts: { applied: 10, failed: 2 } },
  },
  'calls are refused (403) from the fifth one on': {
    faults: ['update:status=403@5-'],
    sync: direct,
    run: { outcome: 'failed', counts: { applied: 4, failed: 3, unresolved: 0 } },
    updates: 7,
  },
  'a refusal (403) says for how long to wait': { faults: ['upload:status=403;retry-after=40@1-2'], run: done },
  'each file is too large (413), also one of one row': {
    faults: ['upload:status=413'],
    changed: 3,
    run: { outcome: 'partial', counts: { applied: 0, failed: 3 } },
  },
  'a file fails because of one row': {
    faults: ['file:fail-if=E7'],
    run: { outcome: 'partial', counts: { update: 12, applied: 11, failed: 1, unresolved: 0 } },
    failed: ['E7'],
    writes: 11,
  },
  'each file fails': {
    faults: ['file:fail'],
    changed: 20,
    run: { outcome: 'failed', counts: { applied: 0 } },
    reason: 'does not seem to process files',
    writes: 0,
  },
  'a file fails after its good rows took effect': {
    faults: ['file:fail-if=E7'],
    sandbox: { quirks: { fileFailure: 'good-applied' } },
    run: { outcome: 'partial', counts: { applied: 11, failed: 1 } },
    uploads: 1,
    writes: 11,
  },
  'a row of a file is dropped without a word': {
    faults: ['file:drop-row=E7'],
    run: { outcome: 'partial', counts: { applied: 11, failed: 1 } },
    failed: ['E7'],
  },
  'a file of somebody else is processed (409)': { faults: ['upload:status=409@1-3'], run: done, uploads: 4 },
  'the first of two files never ends': {
    faults: ['file:stuck@1'],
    sync: { settle: short, batchRows: 6 },
    run: { outcome: 'failed', counts: { applied: 0, unresolved: 6 } },
    reason: 'settle.deadline',
    writes: 0,
  },
  'files have no status (404)': { faults: ['status:absent'], sync: { settle: short }, run: done },
  'files have no status (405)': { faults: ['status:status=405'], sync: { settle: short }, run: done },
  'the status of a file can never be had': { faults: ['status:status=500'], sync: { settle: short }, run: done },
  'changes show late': { faults: ['late=12000'], run: done, writes: 12 },
  'an upload is answered 502 with a page of HTML': {
    faults: ['upload:page=502@1'],
    run: { counts: { applied: 0 } },
    minutes: 60,
  },
  'a proxy answers an upload with 403 and a page of HTML': { faults: ['upload:page=403@1'], run: done, minutes: 10 },
  'reads are answered 429 with a date': {
    faults: ['search:status=429;retry-after=date:30@1-3'],
    run: done,
    minutes: 15,
  },
  'the read-back is answered 502 for a while': { faults: ['search:status=502@4-8'], run: done },
  'a file vanishes from the list after its first poll': {
    faults: ['status:status=404@2-'],
    run: done,
    minutes: 40,
  },
  'the final words are Spanish': {
    faults: [],
    sandbox: { quirks: { doneStatus: 'Procesado con éxito' } },
    run: done,
    minutes: 10,
  },
  'a file stays processing for ever after its rows took effect': {
    faults: ['file:stuck-after-commit'],
    run: done,
    minutes: 40,
  },
  'that file no longer blocks others': {
    faults: ['file:stuck-after-commit', 'status:merge={"result":{"blocked":false}}'],
    sync: { settle: { ...short, deadline: '30m' } },
    run: done,
    minutes: 5,
  },
  'an upload is answered 401 between two files': { faults: ['upload:status=401@2'], sync: { batchRows: 4 }, run: done },
  'an update is answered 409': { faults: ['update:status=409@3'], sync: direct, run: { counts: { applied: 11 } } },
  'every update is answered 429 once': { faults: ['update:status=429;retry-after=2@/2'], sync: direct, run: done },
  'the status poll is answered 401 once': { faults: ['status:status=401@1'], run: done },
  'the status is HTML for a while': { faults: ['status:html@1-4'], run: done },
  ...Object.fromEntries(
    ['reset-before-commit', 'hang', 'html', 'empty', 'redirect=https://login.example.com/'].map((fault) => [
      `the platform is not there (${fault})`,
      {
        faults: [`*:${fault}`],
        limits: { timeout: `${slowly(100)}ms` },
        changed: 3,
        run: { outcome: 'failed', phase: 'done' },
        reason: '',
        writes: 0,
      },
    ]),
  ),
};

describe.each(drawFrom(Object.entries(answers), 3))('when %s', (_, answered) => {
  it('the run says so in time, what it did not do is done later, and nothing is sent twice', async () => {
    const { faults, sync = {}, sandbox = {}, limits = {}, changed = 12, patch = {}, minutes = 20 } = answered;
    const office = await officeWith(changed, { sync, sandbox, limits });
    const rows = renamed(4 * changed, changed, patch);
    await office.writeEmployees(rows);
    office.setFaults(...faults);
    const startedAt = office.clock.now();
    const { run } = await office.apply();
    expect(run).toMatchObject(answered.run);
    expect((office.clock.now() - startedAt) / minuteMs).toBeLessThan(minutes);
    const { state } = office.sandbox;
    if (answered.reason !== undefined) expect(run.reason).toContain(answered.reason);
    expect(run.reason ?? '').not.toContain('unexpected');
    if (answered.failed !== undefined) {
      const failed = await findChanges(office.app, run.id, { limit: 100, states: ['failed'] });
      expect(failed.map(({ identification }) => identification).sort()).toEqual(answered.failed);
    }
    if (answered.uploads !== undefined) expect(state.requests.upload).toBe(answered.uploads);
    if (answered.updates !== undefined) expect(state.requests.update).toBe(answered.updates);
    if (answered.writes !== undefined) expect(state.log).toHaveLength(answered.writes);

    office.setFaults();
    office.clock.jump(hourMs);
    await office.apply();
    for (const { id = '', last, status } of rows) {
      const user = state.users.get(id);
      expect(status === 'left' ? user?.enabled : user?.fields.lastName, id).toBe(status === 'left' ? false : last);
    }
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect(state.log).toHaveLength(changed);
  });
});

/** Calls of a create, an update and a disable by file, or of a create and an update by calls. */
const calls = [
  { call: 'search', delivery: 'csv' },
  { call: 'read', delivery: 'csv' },
  { call: 'upload', delivery: 'csv' },
  { call: 'status', delivery: 'csv' },
  { call: 'create', delivery: 'auto' },
  { call: 'update', delivery: 'auto' },
] as const;
const matrix = calls.flatMap((one) => [400, 401, 403, 429, 500].map((status) => ({ ...one, status })));

it.each(drawFrom(matrix, 10))(
  'when every $call fails with $status, the run says why in one message, nothing is half done, and a later run heals',
  async ({ call, delivery, status }) => {
    const settle = { every: '2s', visibleWithin: '10s', deadline: '60s' };
    const office = await openManaged(10, { sync: { delivery, settle }, limits: { timeout: `${slowly(100)}ms` } });
    const leaver: Record<string, Row> = delivery === 'csv' ? { E3: { status: 'left' } } : {};
    await office.writeEmployees(employees(11, { E2: { last: 'Núñez' }, ...leaver }));
    office.setFaults(`${call}:status=${status}`);
    const { run, findings } = await office.apply();
    // A failing read alone says nothing: a search answers for it. What became of a file shows in its users.
    const isStatusUntold = call === 'status' && (status === 429 || status === 500);
    const isSurvivable = isStatusUntold || (call === 'read' && (status === 400 || status === 500));
    if (isStatusUntold) expect(findings.map(({ message }) => message).join()).toContain(`answered ${status}`);
    if (!isSurvivable) {
      expect(['failed', 'partial']).toContain(run.outcome);
      expect(run.reason).toMatch(/\w+/);
      expect(run.reason).not.toContain('unexpected');
    }
    expect(run.phase).toBe('done');

    office.setFaults();
    office.clock.jump(31 * minuteMs);
    await office.apply();
    expect(office.sandbox.state.users.get('E2')?.fields.lastName).toBe('Núñez');
    expect(office.sandbox.state.users.has('E11')).toBe(true);
    expect((await office.apply()).run).toMatchObject({ outcome: 'nothing-to-do' });
    expect(office.sandbox.state.log.filter(({ kind }) => kind === 'created')).toHaveLength(1);
  },
);

it.each([
  { fault: 'upload:status=409@1-3', waits: { for: 'platform', setting: 'settle.deadline' } },
  { fault: 'late=60000', waits: { for: 'not-shown', setting: 'settle.visibleWithin' } },
])('a wait for $waits.for is told with its end, and in the log with the same words', async ({ fault, waits }) => {
  const office = await officeWith(10, { sync: { settle: { every: '2s', visibleWithin: '10m' } } });
  await office.writeEmployees(renamed(40, 10));
  office.setFaults(fault);
  const told: Waiting[] = [];
  const progress = (event: ProgressEvent): void => {
    if (event.step === 'waiting') told.push(event.waiting);
  };
  const order = { signal: AbortSignal.timeout(100_000), progress, by: 'shell:ana' };
  const { run } = await runSync(office.app, 'people', order);
  expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: 10 } });
  const wait = told.find((one) => one.for === waits.for) ?? expect.fail('no wait was told');
  expect(wait).toMatchObject(waits);
  expect(wait.until).toBeGreaterThan(wait.since);
  expect(run.waiting).toBeUndefined();
  expect(office.log.messages('info')).toContain(waitingWords(wait));
});

it('an access token that is refused although it is new is tried again, and no other one is asked for', async () => {
  const place = await openCommandPlace('sqlite:./rollcall.db');
  await place.employ(3);
  place.sandbox.setFaults(['search:status=401@1-3', 'create:status=401@1'].map(parseFault));
  const applied = await place.rollcall('apply', 'people', '--json');
  expect(applied.json()).toMatchObject({ outcome: 'succeeded', counts: { applied: 3 } });
  expect(place.sandbox.state.requests.token).toBe(1);
});

describe('a file that succeeded and had no effect for some rows', () => {
  const settle = { every: '1s', visibleWithin: '3s', unknownAfter: '3s' };
  const guards = { creates: { absolute: 500 } };

  it('sends them again in the same run, and cuts later files to the rows that had one', async () => {
    const office = await openManaged(10, { sync: { delivery: 'csv', settle, guards } });
    office.setFaults('file:first-rows=20');
    const { run, findings } = await office.applyRows(employees(60));
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { create: 50, applied: 50, failed: 0 } });
    const [told] = findings.filter(({ code }) => code === 'file-too-large');
    expect(told?.message).toContain('applied only the first 20 rows of a file of 50');
    expect(office.sandbox.state.requests.upload).toBe(3);
    await office.applyRows(employees(90));
    expect(office.sandbox.state.requests.upload).toBe(5);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it('ends without success while a hire has no account, also where the next try is not due', async () => {
    const office = await openManaged(10, { sync: { delivery: 'csv', settle, guards } });
    office.setFaults('file:drop-row=E11');
    await office.writeEmployees(employees(12));
    const ends = [await office.apply(), await office.apply(), await office.apply()];
    expect(ends.map(({ run }) => run.outcome)).toEqual(['partial', 'partial', 'partial']);
    expect(ends[2]?.run.reason).toBe('1 person has no account, because creates had no effect');
    // The file of two, the row alone, and the row alone once more.
    expect(office.sandbox.state.requests.upload).toBe(3);
    office.setFaults();
    office.clock.jump(25 * hourMs);
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 1 } });
  });
});

describe('a scan that lacks accounts of ours', () => {
  const guards = { creates: { absolute: 500 }, updates: { absolute: 500 }, disables: { absolute: 500 } };
  const call = (office: Office, method: string, path: string) =>
    fetch(`${office.sandbox.url}/os-api/public-api/v1/users${path}`, {
      method,
      headers: { authorization: `Bearer ${office.sandbox.accessToken}`, 'accept-language': 'en' },
    });
  /** The search lists everybody but these. */
  const listAllBut = async (office: Office, hidden: readonly string[]): Promise<void> => {
    const answer = await call(office, 'GET', '?enabled=false&page=0&size=500&orderBy=id&direction=ASC');
    const { result } = (await answer.json()) as { readonly result: readonly { readonly identification: string }[] };
    const listed = result.filter(({ identification }) => !hidden.includes(identification));
    office.setFaults(`search:instead=${JSON.stringify({ result: listed, page: { totalElements: listed.length } })}`);
  };

  it.each([
    ['none', 30],
    ['all but ten', 10],
  ])(
    'and of which single reads show some makes no plan, and only the leaver goes by name: it lists %s',
    async (_, lacks) => {
      const office = await openManaged(30, { sync: { ...csv, guards } });
      await listAllBut(
        office,
        employees(lacks).map(({ id = '' }) => id),
      );
      const { run, resumed } = await office.applyRows(employees(31, { E30: { status: 'left' } }));
      expect(run).toMatchObject({ outcome: 'failed' });
      expect(run.reason).toMatch('single reads show 5 of 5');
      expect(resumed).toMatchObject([{ trigger: 'leavers', counts: { create: 0, disable: 1, applied: 1 } }]);
      expect(office.sandbox.state.requests.upload).toBe(1);
      office.setFaults();
      office.clock.jump(minuteMs);
      expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { create: 1, disable: 0 } });
    },
  );

  it('but only a few is mended by single reads: nobody is created who has an account', async () => {
    const office = await openManaged(30, { sync: { ...csv, guards } });
    await listAllBut(office, ['E1', 'E2', 'E3']);
    await office.writeEmployees(employees(31, { E2: { last: 'Núñez' } }));
    expect((await office.plan()).counts).toMatchObject({ create: 1, update: 1 });
  });

  it('that are really gone holds their creates, which an approval makes', async () => {
    const office = await openManaged(30, { sync: { ...csv, guards } });
    // Another system deletes accounts here, which the promises know nothing of.
    takeOffices();
    for (const { id } of employees(8)) expect((await call(office, 'DELETE', `/${id}/`)).ok).toBe(true);
    const { run, holds } = await office.applyRows(employees(31));
    expect(run).toMatchObject({ outcome: 'held', counts: { applied: 1, held: 8 } });
    expect(holds).toMatchObject([{ class: 'recreate' }]);
    const { run: second } = await office.applyAll();
    expect(second).toMatchObject({ outcome: 'succeeded', counts: { applied: 8 } });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});
