import { describe, expect, it } from 'vitest';
import type { AppIo, CheckLine } from '../../src/app/app-io.ts';
import { decideRun } from '../../src/app/approve.ts';
import { checkAll } from '../../src/app/connections.ts';
import { requestOrRun } from '../../src/app/requests.ts';
import { findRuns } from '../../src/app/runs.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { RunScope } from '../../src/ports/store.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { type FakeScim, type FakeUser, fakeUsers, type ScimBug, startScim } from '../fakes/hris/scim.ts';
import { type Office, type OfficeOptions, openOffice } from '../support/office.ts';
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
  expect((await office.applyAll()).run).toMatchObject({ outcome: 'succeeded', read: { kind: 'full' } });
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
      plan: { sourceRows: 1, platformUsers: 1, managedUsers: 12 },
      read: { kind: 'delta' },
    });
    expect(run.plan).not.toHaveProperty('unmanaged');
    expect(run.read?.since).toBe((firstRun?.read?.at ?? 0) - 600_000);
    expect(userIn(office, '700001')).toMatchObject({ fields: { lastName: 'Núñez' } });
    const people = scim.requests.slice(asked).filter(({ url }) => url.pathname === '/scim/v2/Users');
    expect(people).not.toHaveLength(0);
    for (const { url } of people) expect(url.searchParams.get('filter')).toContain('meta.lastModified gt');

    // The overlap shows the change once more, and it is no difference any more.
    office.clock.jump(hourMs);
    const overlapping = await resync();
    expect(overlapping.run).toMatchObject({ outcome: 'nothing-to-do', plan: { sourceRows: 1, unchanged: 1 } });
    expect(overlapping.run.read?.since).toBe((run.read?.at ?? 0) - 600_000);

    office.clock.jump(hourMs);
    const after = await resync();
    expect(after.run).toMatchObject({ outcome: 'nothing-to-do', reason: undefined, plan: { sourceRows: 0 } });
  });
});

describe('what a delta does not see', () => {
  it('is absence: nobody is missing until full reads have missed them as often as is configured', async () => {
    const { office, scim, resync } = await openHr();
    scim.users.splice(5, 1);
    for (let i = 0; i < 4; i += 1) {
      expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', read: { kind: 'delta' } });
      office.clock.jump(hourMs);
    }
    expect((await resync(full)).run).toMatchObject({ outcome: 'nothing-to-do', read: { kind: 'full' } });
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
      expect(run).toMatchObject({ counts: { update: 1, applied: 1 }, read: { kind: 'full', reason } });
      expect(userIn(office, '700002')).toMatchObject({ fields: { lastName: 'Díaz' } });
    };
    edit();
    expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', read: { kind: 'delta' } });
    await puts((await resync(full)).run, 'a full read was requested');
    edit();
    await puts((await office.apply()).run, 'a full read was requested');
    edit();
    office.clock.jump(24 * hourMs);
    await puts((await resync()).run, 'the next full read is due');
    expect((await office.plan()).read).toMatchObject({ kind: 'full', reason: 'a full read was requested' });
  });
});

describe('what a run left undone', () => {
  it('by a delta is asked for again by the next; by a full read it makes the next one full', async () => {
    const { office, change, resync } = await openHr({
      sync: { guards: { updates: { absolute: 0, percent: 0 } } },
    });
    change({ '700001': { family: 'Núñez' } });
    const held = await resync();
    expect(held.run).toMatchObject({ outcome: 'held', counts: { held: 1 }, read: { kind: 'delta' } });
    office.clock.jump(2 * hourMs);
    const again = await resync();
    expect(again.run).toMatchObject({ outcome: 'held', counts: { held: 1 }, read: { kind: 'delta' } });
    expect(again.run.read?.since).toBe(held.run.read?.since);

    expect((await resync(full)).run).toMatchObject({ outcome: 'held', read: { kind: 'full' } });
    const next = await resync();
    expect(next.run).toMatchObject({
      outcome: 'held',
      read: { kind: 'full', reason: 'a delta needs an earlier full read, and none is known' },
    });
    await decideRun(office.app, 'approve', next.run.id, { by: 'ops' });
    expect((await resync()).run).toMatchObject({ outcome: 'succeeded', read: { kind: 'full' } });
    expect((await resync()).run).toMatchObject({ outcome: 'nothing-to-do', read: { kind: 'delta' } });
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
    expect(resumed).toMatchObject([{ outcome: 'succeeded', counts: { applied: 1 }, read: { kind: 'delta' } }]);
    // What was read before the end is known from then, however late it was done.
    expect(run.read?.since).toBe((resumed[0]?.read?.at ?? 0) - 600_000);
    expect(run).toMatchObject({ outcome: 'nothing-to-do', read: { kind: 'delta' } });
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
    const lastSuccess = async () => {
      const standings = await office.engine.io.store.reports.syncs(['people'], office.clock.now());
      return standings.get('people')?.successAt ?? 0;
    };
    // A filter still works, a read of everybody does not.
    bugs.push('everybody is too many');
    change({ '700001': { family: 'Núñez' } });
    expect((await resync()).run).toMatchObject({ outcome: 'succeeded', read: { kind: 'delta' } });
    const before = await lastSuccess();

    for (let day = 0; day < 3; day += 1) {
      office.clock.jump(24 * hourMs);
      change({ '700001': { family: `Núñez ${day}` } });
      expect((await resync()).run).toMatchObject({ outcome: 'failed', counts: { applied: 0 } });
    }
    expect(await lastSuccess()).toBe(before);
  });
});
