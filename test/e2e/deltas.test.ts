import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AppIo, CheckLine } from '../../src/app/app-io.ts';
import { decideRun } from '../../src/app/approve.ts';
import { checkAll } from '../../src/app/connections.ts';
import { requestOrRun } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import type { ReadEnd } from '../../src/core/plan/snapshot.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { SourcePage } from '../../src/ports/source.ts';
import type { RunScope } from '../../src/ports/store.ts';
import { defineKind, type OpenedSource } from '../../src/sources/kit/kind.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { type FakeScim, type FakeUser, fakeUsers, type ScimBug, startScim } from '../fakes/hris/scim.ts';
import { employees, type Office, type OfficeOptions, openOffice, type Row, usersOf } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const hourMs = 3_600_000;
const full: RunScope = { kind: 'all', isFull: true };

interface Hr {
  readonly office: Office;
  readonly scim: FakeScim;
  /** What the HR system does wrong from now on. */
  readonly bugs: ScimBug[];
  /** Changes some users in the HR system, now. */
  change(patches: Readonly<Record<string, Partial<FakeUser>>>): void;
  resync(scope?: RunScope, app?: AppIo): Promise<RunReport>;
}

/** An HR system that can tell who has changed, and a platform on which everybody is as it says. */
async function openHr(options: OfficeOptions = {}, size = 12): Promise<Hr> {
  const bugs: ScimBug[] = [];
  const scim = await startScim({ bugs, users: fakeUsers(size).map((user) => ({ ...user, active: true })) });
  const auth = {
    kind: 'client-credentials',
    tokenUrl: scim.tokenUrl,
    clientId: 'rollcall',
    clientSecret: 'geheim',
  };
  const unlimited = { absolute: 1000, percent: 100 };
  const office = await openOffice({
    ...options,
    sync: {
      source: {
        kind: 'scim',
        baseUrl: scim.baseUrl,
        auth,
        attributes: ['externalId', 'name.givenName', 'name.familyName', 'emails', 'enterprise.department', 'meta'],
        limits: { requestsPerSecond: 1000, timeout: '24h' },
      },
      mapping: {
        identification: 'externalId',
        firstName: 'name.givenName',
        lastName: 'name.familyName',
        email: 'workEmail',
        area: 'enterprise.department',
      },
      lifecycle: { status: 'rollcallStatus', active: ['active'], leaver: ['terminated'] },
      missing: { afterReads: 2, minAge: '0s' },
      deltas: { fullEvery: '24h', overlap: '10m' },
      guards: { updates: unlimited, disables: unlimited },
      ...options.sync,
    },
  });
  const hr: Hr = {
    office,
    scim,
    bugs,
    change(patches) {
      const changedAt = new Date(office.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      for (const [at, user] of scim.users.entries()) {
        const patch = patches[user.externalId];
        if (patch !== undefined) scim.users[at] = { ...user, ...patch, changedAt };
      }
    },
    async resync(scope = { kind: 'all' }, app = office.app) {
      const report = await requestOrRun(app, 'people', {
        signal: AbortSignal.timeout(60_000),
        progress: () => {},
        by: 'shell:ana',
        scope,
      });
      if (report.kind !== 'ran') throw new Error('no deployment is there to be asked');
      return report.report;
    },
  };
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', facts: { read: { kind: 'full' } } });
  office.clock.jump(hourMs);
  return hr;
}

const userIn = ({ sandbox }: Office, identification: string) => sandbox.state.users.get(identification);

describe('between full reads', () => {
  it('only changed employees are read, looked up and updated; without changes there is nothing to do', async () => {
    const { office, scim, change, resync } = await openHr();
    const [firstRun] = await findRuns(office.app, { limit: 1 });
    change({ '700001': { family: 'Núñez' } });
    const asked = scim.requests.length;

    const { run } = await resync();
    expect(run).toMatchObject({
      outcome: 'succeeded',
      counts: { update: 1, applied: 1 },
      facts: { sourceRows: 1, platformUsers: 1, managedUsers: 12, read: { kind: 'delta' } },
    });
    expect(run.facts).not.toHaveProperty('unmanaged');
    expect(run.facts.read?.since).toBe((firstRun?.facts.read?.at ?? 0) - 600_000);
    expect(userIn(office, '700001')).toMatchObject({ fields: { lastName: 'Núñez' } });
    const people = scim.requests.slice(asked).filter(({ url }) => url.pathname === '/scim/v2/Users');
    expect(people).not.toHaveLength(0);
    for (const { url } of people) expect(url.searchParams.get('filter')).toContain('meta.lastModified gt');

    // The overlap shows the change once more, and it is no difference any more.
    office.clock.jump(hourMs);
    const overlapping = await resync();
    expect(overlapping.run).toMatchObject({ outcome: 'nothing-to-do', facts: { sourceRows: 1, unchanged: 1 } });
    expect(overlapping.run.facts.read?.since).toBe((run.facts.read?.at ?? 0) - 600_000);

    office.clock.jump(hourMs);
    const after = await resync();
    expect(after.run).toMatchObject({ outcome: 'nothing-to-do', reason: undefined, facts: { sourceRows: 0 } });
  });

  it('who joins and who leaves is seen as well', async () => {
    const { office, scim, change, resync } = await openHr();
    const [, two] = scim.users;
    if (two === undefined) throw new Error('there are twelve');
    scim.users.push({ ...two, id: 'u900000', externalId: '900000', mail: 'new@example.com', userName: 'new' });
    change({ '700003': { active: false }, '900000': { given: 'Nueva' } });

    const { run } = await resync();
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { create: 1, disable: 1, applied: 2 } });
    expect(run.facts.read?.kind).toBe('delta');
    expect(userIn(office, '700003')).toMatchObject({ enabled: false });
    expect(userIn(office, '900000')).toMatchObject({ enabled: true, fields: { firstName: 'Nueva' } });
  });

  it('many who have changed are compared by a scan, in one run', async () => {
    const { change, resync } = await openHr({}, 220);
    change(Object.fromEntries(fakeUsers(70).map(({ externalId }) => [externalId, { family: 'Núñez' }])));
    const { run } = await resync();
    expect(run).toMatchObject({ outcome: 'succeeded', counts: { update: 70, applied: 70 } });
    expect(run.facts).toMatchObject({ sourceRows: 70, platformUsers: 220, read: { kind: 'delta' } });
  });
});

describe('what a delta does not see', () => {
  it('is absence: nobody is missing until full reads have missed them as often as is configured', async () => {
    const { office, scim, resync } = await openHr();
    scim.users.splice(5, 1);
    for (let i = 0; i < 4; i += 1) {
      expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', facts: { read: { kind: 'delta' } } });
      office.clock.jump(hourMs);
    }
    expect((await resync(full)).run).toMatchObject({ outcome: 'nothing-to-do', facts: { read: { kind: 'full' } } });
    expect(userIn(office, '700005')).toMatchObject({ enabled: true });
    scim.users.push({
      ...(scim.users[0] as FakeUser),
      id: 'u8',
      externalId: '800000',
      userName: 'b',
      mail: 'b@example.com',
    });
    expect((await resync(full)).run).toMatchObject({ outcome: 'succeeded', counts: { disable: 1, create: 1 } });
  });

  it('is an edit on the platform: --full, apply, and a full read when the next full read is due put it right', async () => {
    const { office, resync } = await openHr();
    const edit = () => office.sandbox.state.patchUser('700002', { fields: { lastName: 'Somebody' } });
    const puts = async (run: RunReport['run'], reason: string): Promise<void> => {
      expect(run).toMatchObject({ counts: { update: 1, applied: 1 }, facts: { read: { kind: 'full', reason } } });
      expect(userIn(office, '700002')).toMatchObject({ fields: { lastName: 'Díaz' } });
    };
    edit();
    expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', facts: { read: { kind: 'delta' } } });
    await puts((await resync(full)).run, 'a full read was requested');
    edit();
    await puts((await office.apply()).run, 'a full read was requested');
    edit();
    office.clock.jump(24 * hourMs);
    await puts((await resync()).run, 'the next full read is due');
    expect((await office.plan()).facts.read).toMatchObject({ kind: 'full', reason: 'a full read was requested' });
  });

  it('is the second record of a person: whom a delta calls gone is looked up before the account is taken', async () => {
    const { office, scim, change, resync } = await openHr();
    const old = scim.users.find(({ externalId }) => externalId === '700004');
    if (old === undefined) throw new Error('there are twelve');
    // Hired again: a new record, and the old one is closed days later.
    scim.users.push({ ...old, id: 'u000099' });
    const first = scim.users.indexOf(old);
    scim.users[first] = { ...old, active: false, changedAt: new Date(office.clock.now()).toISOString() };

    const { run, findings } = await resync();
    expect(run).toMatchObject({ outcome: 'partial', counts: { disable: 0 }, facts: { postponed: 1 } });
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'gone-unconfirmed',
        identification: '700004',
        message: expect.stringContaining('has 2 records'),
      }),
    ]);
    expect(userIn(office, '700004')).toMatchObject({ enabled: true });

    // What was left is asked for again: the delta begins where it began before.
    office.clock.jump(hourMs);
    const again = await resync();
    expect(again.run.facts.read?.since).toBe(run.facts.read?.since);
    expect(again.findings).toHaveLength(1);

    // And whom a full read has found twice is left alone by the deltas after it, whatever they show.
    expect((await resync(full)).findings).toContainEqual(expect.objectContaining({ code: 'duplicate-key' }));
    office.clock.jump(hourMs);
    change({ '700004': { family: 'Otra' } });
    scim.users.splice(first, 1);
    const later = await resync();
    expect(later.run).toMatchObject({ outcome: 'nothing-to-do', facts: { sourceRows: 1, read: { kind: 'delta' } } });
    expect(later.findings).toContainEqual(expect.objectContaining({ code: 'duplicate-key', identification: '700004' }));
  });

  it('is who else has an e-mail: before one is given to somebody, everybody on the platform is looked at', async () => {
    const { office, change, resync } = await openHr();
    change({ '700006': { mail: 'ana8@example.com' } });
    const { run, findings } = await resync();
    expect(run).toMatchObject({ outcome: 'nothing-to-do', counts: { update: 0 }, facts: { read: { kind: 'delta' } } });
    expect(findings.filter(({ code }) => code !== 'source-note')).toEqual([
      expect.objectContaining({ code: 'rename-conflict', identification: '700006' }),
    ]);
    expect(userIn(office, '700006')).toMatchObject({ fields: { email: 'ana7@example.com' } });
  });
});

describe('who is who, where two records claim one person', () => {
  it('under another number: the old account is not taken by a delta that shows the old record alone', async () => {
    const { office, scim, change, resync } = await openHr();
    const old = scim.users.find(({ externalId }) => externalId === '700004');
    if (old === undefined) throw new Error('there are twelve');
    const changedAt = new Date(office.clock.now()).toISOString();
    scim.users.push({ ...old, id: 'u000099', externalId: '700099', changedAt });
    const joined = await resync();
    expect(joined.run).toMatchObject({ outcome: 'partial', facts: { read: { kind: 'delta' } } });
    expect(joined.findings).toContainEqual(
      expect.objectContaining({ code: 'rename-conflict', identification: '700099' }),
    );

    // The old record is closed hours later, and by then no delta shows the new one.
    for (let run = 0; run < 2; run += 1) {
      office.clock.jump(hourMs);
      await resync();
    }
    office.clock.jump(hourMs);
    change({ '700004': { active: false } });
    const closed = await resync();
    expect(closed.run).toMatchObject({ counts: { disable: 0 }, facts: { sourceRows: 1, read: { kind: 'delta' } } });
    expect(closed.findings).toContainEqual(
      expect.objectContaining({ code: 'email-conflict', identification: '700004' }),
    );
    expect(closed.findings).toContainEqual({
      code: 'source-note',
      message: 'two records claim the same user (see the next findings): the next run reads all employees',
    });
    const whole = await resync();
    expect(whole.run).toMatchObject({ outcome: 'partial', facts: { read: { kind: 'full' } } });
    for (const identification of ['700004', '700099']) {
      expect(whole.findings).toContainEqual(expect.objectContaining({ code: 'conversion', identification }));
    }

    // Now it rests on a full read that knows of both.
    office.clock.jump(hourMs);
    change({ '700004': { active: false, family: 'Otra' } });
    const touched = await resync();
    expect(touched.run).toMatchObject({ counts: { disable: 0 }, facts: { sourceRows: 1, read: { kind: 'delta' } } });
    // Nor by a run about them alone, which a webhook may ask for.
    const named = await resync({ kind: 'users', identifications: ['700004'] });
    expect(named.run).toMatchObject({ outcome: 'partial', counts: { disable: 0 } });
    expect(userIn(office, '700004')).toMatchObject({ enabled: true });
  });

  it('by one e-mail: whom a full read has left alone is left alone by a delta, and everybody is read next', async () => {
    const { office, scim, change, resync } = await openHr();
    const [one] = scim.users;
    if (one === undefined) throw new Error('there are twelve');
    for (const externalId of ['700098', '700099']) {
      scim.users.push({
        ...one,
        id: `u${externalId}`,
        externalId,
        mail: 'both@example.com',
        changedAt: '2026-11-01T00:00:00Z',
      });
    }
    const { run, findings } = await resync(full);
    expect(run).toMatchObject({ outcome: 'partial' });
    for (const identification of ['700098', '700099']) {
      expect(findings).toContainEqual(expect.objectContaining({ code: 'email-conflict', identification }));
    }

    office.clock.jump(hourMs);
    change({ '700098': { family: 'Otra' } });
    const shown = await resync();
    expect(shown.run).toMatchObject({ outcome: 'partial', facts: { sourceRows: 1, read: { kind: 'delta' } } });

    // HR mends one of them: both are done at once, though no delta would show the other.
    office.clock.jump(hourMs);
    change({ '700098': { mail: 'own@example.com' } });
    expect((await resync()).run).toMatchObject({
      counts: { create: 2, applied: 2 },
      facts: { read: { kind: 'full' } },
    });
  });
});

describe('what a run left undone', () => {
  it('by a delta is asked for again by the next; by a full read it makes the next one full', async () => {
    const { office, change, resync } = await openHr({
      sync: { guards: { updates: { absolute: 0, percent: 0 } } },
    });
    change({ '700001': { family: 'Núñez' } });
    const held = await resync();
    expect(held.run).toMatchObject({ outcome: 'held', counts: { held: 1 }, facts: { read: { kind: 'delta' } } });
    office.clock.jump(2 * hourMs);
    const again = await resync();
    expect(again.run).toMatchObject({ outcome: 'held', counts: { held: 1 }, facts: { read: { kind: 'delta' } } });
    expect(again.run.facts.read?.since).toBe(held.run.facts.read?.since);

    expect((await resync(full)).run).toMatchObject({ outcome: 'held', facts: { read: { kind: 'full' } } });
    const next = await resync();
    expect(next.run).toMatchObject({
      outcome: 'held',
      facts: { read: { kind: 'full', reason: 'a delta needs an earlier full read, and none is known' } },
    });
    await decideRun(office.app, 'approve', next.run.id, { by: 'ops' });
    expect((await resync()).run).toMatchObject({ outcome: 'succeeded', facts: { read: { kind: 'full' } } });
    expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', facts: { read: { kind: 'delta' } } });
  });

  it('by a process that ended in the middle is done by whoever goes on, and only then does the next delta begin later', async () => {
    let stop: AbortController | undefined;
    const { office, change, resync } = await openHr({
      checkpoint: (place) => {
        if (place === 'plan-stored') stop?.abort(new RollcallError('the process is to end', { code: 'CANCELLED' }));
      },
    });
    const before = await office.engine.io.store.reads.watermark('people');
    change({ '700001': { family: 'Núñez' } });
    stop = new AbortController();
    const cut = requestOrRun(office.app, 'people', {
      signal: stop.signal,
      progress: () => {},
      by: 'shell:ana',
      scope: { kind: 'all' },
    });
    await expect(cut).rejects.toThrow();
    stop = undefined;
    expect(await office.engine.io.store.reads.watermark('people')).toEqual(before);

    office.clock.jump(hourMs);
    const { run, resumed } = await resync();
    expect(resumed).toMatchObject([
      { outcome: 'succeeded', counts: { applied: 1 }, facts: { read: { kind: 'delta' } } },
    ]);
    // What was read before the end is known from then, however late it was done.
    expect(run.facts.read?.since).toBe((resumed[0]?.facts.read?.at ?? 0) - 600_000);
    expect(run).toMatchObject({ outcome: 'nothing-to-do', facts: { read: { kind: 'delta' } } });
  });
});

describe('a delta that its source itself doubts', () => {
  const rows = usersOf(employees(5));
  const people = employees(5).map((row) => ({ ...row, end: '' }));

  async function openDoubtful() {
    const hr: { changed: readonly Row[]; end: Partial<ReadEnd> } = { changed: [], end: {} };
    const source: OpenedSource = {
      async *read(request): AsyncGenerator<SourcePage, ReadEnd> {
        const told = request.kind === 'full' ? people : hr.changed;
        yield { records: told.map((fields, i) => ({ at: `item ${i + 1}`, fields })), broken: [] };
        const whole = { complete: true, rows: told.length, evidence: 'the list ended', stamp: 's1' };
        return { ...whole, ...(request.kind === 'full' ? {} : hr.end) } as ReadEnd;
      },
    };
    const kind = defineKind({
      kind: 'memory',
      title: 'people in memory',
      capabilities: { delta: true, point: true, terminated: 'always', future: 'always' },
      config: z.strictObject({ kind: z.literal('memory') }),
      folder: '',
      starters: [],
      open: () => source,
    });
    const lifecycle = { status: 'status', active: ['active'], leaver: ['left'], leaveDate: 'end' };
    const sync = { source: { kind: 'memory' }, lifecycle, deltas: { fullEvery: '24h' } };
    const office = await openOffice({ sandbox: { people: rows }, sync, kinds: [kind] });
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    const watch = { signal: AbortSignal.timeout(60_000), progress: () => {}, by: 'shell:ana' };
    const resync = async (): Promise<RunReport> => {
      const report = await requestOrRun(office.app, 'people', { ...watch, scope: { kind: 'all' } });
      if (report.kind !== 'ran') throw new Error('no deployment is there to be asked');
      return report.report;
    };
    return { office, hr, resync };
  }

  it('updates, takes nobody, and is followed by one from the same instant', async () => {
    const { office, hr, resync } = await openDoubtful();
    hr.changed = [
      { ...people[1], last: 'Núñez' },
      { ...people[2], status: 'left' },
    ];
    hr.end = { complete: false, reasons: ['page 2 did not come'] };
    const { run, findings } = await resync();
    expect(run).toMatchObject({ outcome: 'partial', counts: { update: 1, applied: 1, disable: 0 } });
    expect(findings).toContainEqual({
      code: 'source-incomplete',
      message: 'the read may lack a person who changed: page 2 did not come',
    });
    expect(findings).toContainEqual({
      code: 'source-incomplete',
      message: '1 person in this read left. An account of theirs that is enabled stays enabled until a complete read',
    });
    expect(userIn(office, 'E3')).toMatchObject({ enabled: true });

    hr.end = {};
    const whole = await resync();
    expect(whole.run).toMatchObject({ outcome: 'succeeded', counts: { disable: 1, applied: 1 } });
    expect(whole.run.facts.read?.since).toBe(run.facts.read?.since);
  });

  it('does not take a field that a few people have empty for one that has vanished', async () => {
    const { hr, resync } = await openDoubtful();
    const { end: _end, ...withoutEnd } = people[1] as Row & { end: string };
    hr.changed = [{ ...withoutEnd, last: 'Núñez' }];
    expect((await resync()).run).toMatchObject({ outcome: 'succeeded', counts: { update: 1, held: 0 } });
  });

  it('is held where the source says that it gave a field for nobody', async () => {
    const { hr, resync } = await openDoubtful();
    hr.changed = [{ ...people[1], last: 'Núñez' }];
    hr.end = { notReturned: ['end'] };
    const { run, holds } = await resync();
    expect(run).toMatchObject({ outcome: 'held', counts: { update: 1, held: 1, applied: 0 } });
    expect(holds[0]?.reason).toContain('lifecycle.leaveDate reads `end`');
    expect((await resync()).run.facts.read?.since).toBe(run.facts.read?.since);
  });
});

describe('check says of a sync with deltas', () => {
  async function linesOf({ office }: Hr): Promise<readonly CheckLine[]> {
    const lines: CheckLine[] = [];
    for await (const line of checkAll(office.app, undefined, AbortSignal.timeout(60_000))) lines.push(line);
    return lines.filter(({ message }) => message.startsWith('deltas:'));
  }

  it('that the source answers, since when the next one reads, and when a full read is due', async () => {
    const hr = await openHr();
    const { at, fullAt } = (await hr.office.engine.io.store.reads.watermark('people')) ?? { at: 0, fullAt: 0 };
    const since = new Date(at - 600_000).toISOString().slice(0, 19).replace('T', ' ');
    const dueAt = new Date(fullAt + 24 * hourMs).toISOString().slice(0, 19).replace('T', ' ');
    expect(await linesOf(hr)).toEqual([
      {
        subject: 'sync people',
        state: 'ok',
        message: `deltas: the source answers delta reads (since ${since} UTC). The next full read is due at ${dueAt} UTC`,
      },
    ]);
    hr.office.clock.jump(25 * hourMs);
    expect(await linesOf(hr)).toEqual([
      expect.objectContaining({
        state: 'ok',
        message: expect.stringContaining('. The next run makes a full read, because the next full read is due'),
      }),
    ]);
  });

  it('that the source refuses delta reads, though it can be read', async () => {
    const hr = await openHr();
    hr.bugs.push('filters refused');
    expect(await linesOf(hr)).toEqual([
      expect.objectContaining({ state: 'failed', message: expect.stringContaining('the delta read failed') }),
    ]);
  });
});

describe('freshness', () => {
  it('is no success of a delta where no full read has worked for days', async () => {
    const { office, bugs, change, resync } = await openHr();
    const lastSuccess = async () => (await office.engine.io.store.alerts.lastRuns('people')).successAt ?? 0;
    // A filter still works, a read of everybody does not.
    bugs.push('everybody is too many');
    change({ '700001': { family: 'Núñez' } });
    expect((await resync()).run).toMatchObject({ outcome: 'succeeded', facts: { read: { kind: 'delta' } } });
    const before = await lastSuccess();

    for (let day = 0; day < 3; day += 1) {
      office.clock.jump(24 * hourMs);
      change({ '700001': { family: `Núñez ${day}` } });
      expect((await resync()).run).toMatchObject({ outcome: 'failed', counts: { applied: 0 } });
    }
    expect(await lastSuccess()).toBe(before);
  });
});
