import { describe, expect, it } from 'vitest';
import { tracePerson } from '../../src/app/people.ts';
import { runSync } from '../../src/app/requests.ts';
import { findChanges } from '../../src/app/runs.ts';
import { type Waiting, waitingWords } from '../../src/core/run/waiting.ts';
import type { ProgressEvent } from '../../src/ports/runtime.ts';
import type { Run } from '../../src/ports/store.ts';
import { parseFault } from '../../src/sandbox/index.ts';
import { openCommandPlace } from '../support/command-place.ts';
import { employees, type Office, type OfficeOptions, openOffice, plainMapping, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const csv = { delivery: 'csv', guards: { disables: { absolute: 50 }, updates: { absolute: 500 } } };

/** Four times as many users, all ours, so that changes of the first `changed` need no approval. */
async function officeWith(changed: number, options: OfficeOptions = {}): Promise<Office> {
  const count = 4 * changed;
  const office = await openOffice({
    ...options,
    sandbox: { people: usersOf(employees(count)), ...options.sandbox },
    sync: { ...csv, ...options.sync },
  });
  expect((await office.applyRows(employees(count))).run.outcome).toBe('nothing-to-do');
  return office;
}

async function failedIn(office: Office, run: string): Promise<string[]> {
  const failed = await findChanges(office.app, run, { limit: 100, states: ['failed'] });
  return failed.map(({ identification }) => identification);
}

/** The first ones have a new last name, or what the patch says. */
function renamed(changed: number, patch: Parameters<typeof employees>[1] = {}, last = 'Paz') {
  const rows = employees(changed).map(({ id = '' }) => [id, { last, ...patch[id] }] as const);
  return employees(4 * changed, { ...patch, ...Object.fromEntries(rows) });
}

const dayMs = 25 * 3_600_000;

describe('a firewall that refuses the text of one row (403)', () => {
  it('fails that row, and all others land in the same run', async () => {
    const office = await officeWith(16);
    await office.writeEmployees(renamed(16, { E7: { last: 'Drop Table' }, E3: { status: 'left' } }));
    office.setFaults('upload:refuse-if=Drop Table');
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 15, failed: 1, unresolved: 0 } });
    expect(await failedIn(office, run.id)).toEqual(['E7']);
    expect(findings.find(({ code }) => code === 'batch-failed')?.message).toContain('(E7)');
    expect(office.sandbox.state.users.get('E3')?.enabled).toBe(false);
    // Each user is looked up once, not once for each part of the file.
    expect(run.requests?.read).toBeLessThanOrEqual(16);

    office.setFaults();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 1 } });
  });

  it('in each of several files fails these rows only, whatever files lie between', async () => {
    const office = await officeWith(24, { sync: { batchRows: 8 } });
    await office.writeEmployees(
      renamed(24, { E5: { last: 'Drop Table' }, E11: { last: 'Drop Table' }, E19: { last: 'Drop Table' } }),
    );
    office.setFaults('upload:refuse-if=Drop Table');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 21, failed: 3 } });
    expect((await failedIn(office, run.id)).sort()).toEqual(['E11', 'E19', 'E5']);
  });
});

describe('a token that may read and not write (403)', () => {
  it('ends the run when three files in a row are refused', async () => {
    const office = await officeWith(40, { sync: { batchRows: 8 } });
    await office.writeEmployees(renamed(40));
    office.setFaults('upload:status=403');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed', counts: { applied: 0 } });
    expect(run.reason).toContain('in a row');
    expect(office.sandbox.state.requests.upload).toBe(9);

    office.setFaults();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 40 } });
  });

  it('ends the run when the file of disables is refused too, and what was sent before is proven', async () => {
    const office = await officeWith(20);
    await office.writeEmployees(renamed(20, { E3: { status: 'left' }, E4: { status: 'left' } }));
    office.setFaults('upload:status=403');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed' });
    expect(run.reason).toContain('disables');
    expect(office.sandbox.state.requests.upload).toBe(6);
  });

  it('that begins in the middle proves the files that were accepted', async () => {
    const office = await officeWith(40, { sync: { batchRows: 8 } });
    await office.writeEmployees(renamed(40));
    office.setFaults('upload:status=403@2-');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed', counts: { applied: 8, unresolved: 0 } });
  });

  it('for one protected account fails the direct change of that account only', async () => {
    const office = await officeWith(10, { sync: { delivery: 'direct', policy: 'upsert-only' } });
    await office.writeEmployees(renamed(10));
    office.setFaults('update:status=403@3-4');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 8, failed: 2 } });
  });

  it('ends the run after three direct changes in a row, and proves those that were accepted', async () => {
    const office = await officeWith(10, { sync: { delivery: 'direct', policy: 'upsert-only' } });
    await office.writeEmployees(renamed(10));
    office.setFaults('update:status=403@5-');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'failed', counts: { applied: 4, failed: 3, unresolved: 0 } });
    expect(office.sandbox.state.requests.update).toBe(7);
  });

  it('waits where the answer says for how long', async () => {
    const office = await officeWith(10);
    await office.writeEmployees(renamed(10));
    office.setFaults('upload:status=403;retry-after=40@1-2');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: 10 } });
  });
});

describe('a file that is too large (413)', () => {
  it('is cut until it is accepted, and later files and runs keep that size', async () => {
    const office = await officeWith(64, { sync: { batchRows: 32, settle: { every: '2s', maxSplits: 0 } } });
    await office.writeEmployees(renamed(64));
    office.setFaults('upload:too-large=8');
    const first = await office.apply();
    expect(first.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 64, failed: 0 } });
    const told = first.findings.filter(({ code }) => code === 'file-too-large');
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('batchRows to 8');
    // 32 and 16 rows are refused, then each file has 8 rows.
    expect(office.sandbox.state.requests.upload).toBe(8 + 2);

    office.clock.jump(dayMs);
    await office.writeEmployees(renamed(64, {}, 'Gil'));
    const uploads = office.sandbox.state.requests.upload;
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 64 } });
    expect(office.sandbox.state.requests.upload).toBe(uploads + 8);
  });

  it('even with one row fails that row', async () => {
    const office = await officeWith(3);
    await office.writeEmployees(renamed(3));
    office.setFaults('upload:status=413');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 0, failed: 3 } });
  });
});

describe('a file status that the dialect does not name', () => {
  const settle = { every: '5s', deadline: '30m', visibleWithin: '20s' };

  it('is learned as an end once all rows are shown, said once with the word, and ends the polls of later files', async () => {
    const office = await officeWith(20, { sync: { batchRows: 10, settle } });
    await office.writeEmployees(renamed(20));
    office.setFaults('file:unknown-status=Archived');
    const startedAt = office.clock.now();
    const { run, findings } = await office.apply();
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(office.clock.now() - startedAt).toBeLessThan(5 * 60_000);
    const told = findings.filter(({ code, message }) => code === 'file-status' && message.includes('"archived"'));
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('connections.acme.dialect.status.done: [Processed');

    office.clock.jump(dayMs);
    await office.writeEmployees(renamed(20, {}, 'Gil'));
    const polls = office.sandbox.state.requests.status;
    const later = await office.apply();
    expect(later.run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(later.findings.filter(({ code }) => code === 'file-status')).toEqual([]);
    expect(office.sandbox.state.requests.status).toBeLessThanOrEqual(polls + 12);
  });

  it('is forgotten when a file that ended by it shows less', async () => {
    const office = await officeWith(20, { sync: { settle: { ...settle, deadline: '5m' } } });
    await office.writeEmployees(renamed(20));
    office.setFaults('file:unknown-status=Archived');
    expect((await office.apply()).run.outcome).toBe('succeeded');
    office.clock.jump(dayMs);
    await office.writeEmployees(renamed(20, {}, 'Gil'));
    office.setFaults('file:unknown-status=Archived', 'file:drop-row=E7');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 19, unresolved: 1, failed: 0 } });
    expect((await office.engine.io.store.learned.get('acme')).endWords).toEqual({});
  });

  it('that never ends is read back early when the record no longer blocks other files', async () => {
    const office = await officeWith(20, { sync: { settle } });
    await office.writeEmployees(renamed(20));
    office.setFaults('file:stuck-after-commit', 'status:merge={"result":{"blocked":false}}');
    const startedAt = office.clock.now();
    expect((await office.apply()).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 20 } });
    expect(office.clock.now() - startedAt).toBeLessThan(5 * 60_000);
  });
});

describe('a direct change whose outcome is not known', () => {
  const direct = { delivery: 'direct', policy: 'upsert-only', settle: { every: '2s', visibleWithin: '10m' } };

  it('waits alone: the others are proven and stored, and those that were not tried are sent', async () => {
    const office = await officeWith(8, { sync: direct });
    await office.writeEmployees(renamed(8));
    // The second call is lost, and the fourth is asked to wait.
    office.setFaults('update:reset-before-commit@2', 'update:status=429;retry-after=3@4');
    const { run } = await office.apply();
    expect(run).toMatchObject({ outcome: 'partial', counts: { applied: 7, unresolved: 1, failed: 0 } });
    const times = office.sandbox.state.log.map(({ at }) => at);
    // All others were sent long before the wait for the lost one ended.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(300_000);
  });

  it('keeps those of its e-mail chain waiting, and no others', async () => {
    const office = await officeWith(15, {
      sync: { ...direct, mapping: plainMapping, guards: { emailChanges: { absolute: 50 } } },
    });
    // E2 takes over the e-mail of E1, which takes a new one. E5 takes over that of E4.
    const rows = { E1: { mail: 'new1@example.com' }, E2: { mail: 'ana1@example.com' } };
    await office.writeEmployees(
      employees(8, {
        ...rows,
        E4: { mail: 'new4@example.com' },
        E5: { mail: 'ana4@example.com' },
        E7: { last: 'Paz' },
      }),
    );
    office.setFaults('update:reset-after-commit@1');
    const { run } = await office.apply();
    expect(run.counts).toMatchObject({ applied: 5, unresolved: 0, failed: 0 });
  });
});

describe('a wait', () => {
  async function applied(office: Office): Promise<{ readonly waits: readonly Waiting[]; readonly run: Run }> {
    const waits: Waiting[] = [];
    const progress = (event: ProgressEvent): void => {
      if (event.step === 'waiting') waits.push(event.waiting);
    };
    const order = { signal: AbortSignal.timeout(100_000), progress, by: 'shell:ana' };
    return { waits, run: (await runSync(office.app, 'people', order)).run };
  }

  it.each([
    { fault: 'upload:status=409@1-3', waits: { for: 'platform', setting: 'settle.deadline' } },
    { fault: 'file:processing=20000', waits: { for: 'file', setting: 'settle.deadline' } },
    { fault: 'late=9000', waits: { for: 'not-shown', setting: 'settle.visibleWithin' } },
    { fault: 'search:status=503;retry-after=90@2', waits: { for: 'platform' } },
  ])('for $waits.for is told with its end, and in the log with the same words ($fault)', async ({ fault, waits }) => {
    const office = await officeWith(10);
    await office.writeEmployees(renamed(10));
    office.setFaults(fault);
    const { waits: told, run } = await applied(office);
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { applied: 10 } });
    const [wait] = told.filter((one) => one.for === waits.for);
    expect(wait).toMatchObject(waits);
    expect(wait?.until).toBeGreaterThan(wait?.since ?? 0);
    expect(run.facts.waiting).toBeUndefined();
    const logged = office.log.messages('info').filter((text) => text.startsWith('waiting for'));
    if (wait !== undefined && fault !== 'search:status=503;retry-after=90@2')
      expect(logged).toContain(waitingWords(wait));
  });
});

it('an access token that is refused although it is new is tried again, and no other one is asked for', async () => {
  const place = await openCommandPlace('sqlite:./rollcall.db');
  await place.employ(3);
  place.sandbox.setFaults(['search:status=401@1-3', 'create:status=401@1'].map(parseFault));
  const applied = await place.rollcall('apply', 'people', '--json');
  expect(applied.json()).toMatchObject({ outcome: 'succeeded', counts: { applied: 3 } });
  expect(place.sandbox.state.requests.token).toBe(1);
});

describe('a create that the platform refuses although it shows no such user', () => {
  const hourMs = 3_600_000;
  /** Thirty days of a run every four hours; returns the hours at which the create was tried. */
  async function triesOf(office: Office, isTried: () => number): Promise<number[]> {
    const tried: number[] = [];
    for (let hour = 0; hour <= 24 * 24; hour += 4) {
      const before = isTried();
      await office.apply();
      if (isTried() > before) tried.push(hour);
      office.clock.jump(4 * hourMs);
    }
    return tried;
  }
  const direct: OfficeOptions = { sync: { delivery: 'direct', policy: 'upsert-only' } };

  it.each([
    ['by a call', direct, 'create:status=409', 'create'],
    ['by a file', { sync: { delivery: 'csv' } }, 'upload:refuse-if=E41', 'upload'],
  ] as const)(
    'is tried ever more seldom %s, says why, and tries at once when the row changes or an operator asks',
    async (_, how, fault, call) => {
      const office = await officeWith(10, how);
      const all = (last = 'Paz') =>
        [...employees(40), { ...employees(41, { E41: { last } })[40] }] as ReturnType<typeof employees>;
      await office.writeEmployees(all());
      office.setFaults(fault);
      const tried = await triesOf(office, () => office.sandbox.state.requests[call]);
      // The next run, a day, three days, a week and again a week later.
      expect(tried).toEqual(
        [0, 4, 28, 28 + 72, 28 + 72 + 168, 28 + 72 + 2 * 168, 28 + 72 + 3 * 168].filter((at) => at <= 576),
      );
      const { run, findings } = await office.apply();
      expect(run.outcome).toBe('nothing-to-do');
      const told = findings.find(({ code }) => code === 'create-waits');
      expect(told).toMatchObject({
        identification: 'E41',
        message: expect.stringMatching(/deleted or hidden account.*Next try: 20/),
      });
      const trace = await tracePerson(office.app, 'people', 'E41', AbortSignal.timeout(60_000));
      expect(trace.next).toBe(`the create waits: ${told?.message}`);
      const [failed] = await office.engine.io.store.plans.history('people', 'E41', 1);
      expect(failed).toMatchObject({
        state: 'failed',
        stateReason: expect.stringContaining('A deleted or hidden account may hold'),
      });

      const requests = () => office.sandbox.state.requests[call];
      let before = requests();
      await office.apply({ users: ['E41'] });
      expect(requests()).toBeGreaterThan(before);
      before = requests();
      await office.applyRows(all('Gil'));
      expect(requests()).toBeGreaterThan(before);

      office.setFaults();
      expect((await office.apply({ users: ['E41'] })).run).toMatchObject({
        outcome: 'succeeded',
        counts: { applied: 1 },
      });
      expect((await office.apply()).findings.filter(({ code }) => code === 'create-waits')).toEqual([]);
    },
  );

  it('does not wait because the connection was in trouble, or because other rows of its file were at fault', async () => {
    const office = await officeWith(10);
    await office.writeEmployees(employees(52));
    for (const fault of ['upload:status=403', 'upload:status=403', 'file:fail', 'file:fail', 'file:fail']) {
      office.setFaults(fault);
      expect((await office.apply()).run.counts.applied).toBe(0);
      office.clock.jump(hourMs);
    }
    office.setFaults();
    const { run, findings } = await office.apply();
    expect(findings.filter(({ code }) => code === 'create-waits').length).toBeLessThanOrEqual(2);
    expect(run.counts.applied).toBeGreaterThanOrEqual(10);
  });
});

describe('a platform that keeps identifications in lower case', () => {
  it.each([
    ['csv', {}],
    ['direct', { policy: 'upsert-only' }],
  ] as const)(
    'is named at the first read-back (%s), and the mapping that it needs makes the users managed',
    async (delivery, more) => {
      const office = await openOffice({
        sandbox: { quirks: { identifications: 'lowercase' } },
        sync: { delivery, ...more },
      });
      const { run, findings } = await office.applyRows(employees(3));
      expect(run.counts.applied).toBe(0);
      const told = findings.filter(({ code }) => code === 'identification-rewritten');
      expect(told).toHaveLength(1);
      expect(told[0]?.message).toMatch(/keeps the identification E1 as e1.*transform: \[lowercase\]/);

      const lower = await openOffice({
        sandbox: { quirks: { identifications: 'lowercase' } },
        sync: {
          delivery,
          ...more,
          mapping: { ...plainMapping, identification: { from: 'id', transform: ['lowercase'] } },
        },
      });
      expect((await lower.applyRows(employees(3))).run).toMatchObject({ outcome: 'succeeded', counts: { applied: 3 } });
    },
  );
});
