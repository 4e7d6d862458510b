import { describe, expect, it } from 'vitest';
import { decideRun } from '../../src/app/approve.ts';
import { findHolds } from '../../src/app/holds.ts';
import { findChanges } from '../../src/app/runs.ts';
import { undoRun } from '../../src/app/undo.ts';
import type { Leaders } from '../../src/core/person/fields.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import { leaderChange } from '../../src/core/plan/leaders.ts';
import type { UndoOrder } from '../../src/core/plan/undo.ts';
import type { Finding } from '../../src/core/run/finding.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import type { LeadersLookup } from '../../src/ports/platform.ts';
import type { RunScope } from '../../src/ports/store.ts';
import { decideBy, undoLeaders } from '../../src/run/decide/undo.ts';
import type { EngineIo } from '../../src/run/engine-io.ts';
import type { PlanWork } from '../../src/run/plan-job.ts';
import type { RunReport } from '../../src/views/runs.ts';
import { draft, entry, rules, says, user, wanted } from '../core/cases.ts';
import { employees, type Office, openOffice, plainMapping } from '../support/office.ts';
import { holdPromises } from '../support/oracle.ts';

holdPromises();

const watch = { signal: AbortSignal.timeout(200_000), progress: () => {} };

/** Guards count what was applied in 24 hours. */
const dayMs = 90_000_000;

async function undo(office: Office, id: string, order: object = {}): Promise<RunReport> {
  office.clock.jump(dayMs);
  const done = await undoRun(office.app, id, { ...watch, by: 'ana', ...order });
  if (done.kind !== 'ran') throw new Error('the undo was only requested');
  return done.report;
}

const everyone = employees(9);
const shown = (office: Office, id = 'E1') => office.sandbox.state.users.get(id);
const codes = ({ findings }: RunReport) => findings.map(({ code, identification }) => `${code} ${identification}`);
const kinds = async (office: Office, { run }: RunReport) =>
  (await findChanges(office.app, run.id, { limit: 50 })).map(
    ({ identification, kind, state }) => `${kind} ${identification} ${state}`,
  );

describe('undoing an update', () => {
  it('puts back the fields, and later runs do not write them again until the source has another value', async () => {
    const office = await openOffice({ sync: { mapping: { ...plainMapping, job: 'job' } } });
    const rows = (last: string, job: string) => everyone.map((row) => ({ ...row, last, job }));
    await office.applyRows(rows('Díaz', 'Clerk'));
    const { run } = await office.applyRows(rows('Wrong', 'Boss'));
    expect(run.counts.applied).toBe(9);
    const undone = await undo(office, run.id, { reason: 'wrong export' });
    expect([undone.run.outcome, undone.run.counts.applied, undone.run.trigger]).toEqual(['succeeded', 9, 'undo']);
    expect(shown(office)?.fields).toMatchObject({ lastName: 'Díaz', job: 'Clerk' });

    for (const _ of [1, 2]) {
      const later = await office.apply();
      expect([later.run.outcome, later.run.counts.update]).toEqual(['nothing-to-do', 0]);
    }
    expect(shown(office)?.fields).toMatchObject({ lastName: 'Díaz', job: 'Clerk' });

    office.clock.jump(dayMs);
    const other = await office.applyRows(rows('Sosa', 'Boss'));
    expect(other.run.counts.applied).toBe(9);
    expect(shown(office)?.fields).toMatchObject({ lastName: 'Sosa', job: 'Clerk' });
  });

  it('leaves a value that changed since, and says so', async () => {
    const office = await openOffice();
    await office.applyRows(everyone);
    const { run } = await office.applyRows(
      everyone.map((row) => ({ ...row, first: `${row.first} ${row.id}`, last: `${row.last} of ${row.id}` })),
    );
    const user = shown(office);
    Object.assign(user ?? {}, { fields: { ...user?.fields, lastName: 'By hand' } });
    const undone = await undo(office, run.id);
    expect([undone.run.outcome, undone.run.counts.applied]).toEqual(['partial', 9]);
    expect(codes(undone)).toEqual(['not-undone E1']);
    expect(undone.findings[0]?.message).toBe('partly undone: lastName left: it changed since');
    expect(shown(office)?.fields).toMatchObject({ firstName: 'Ana1', lastName: 'By hand' });
    const again = await undo(office, run.id);
    expect([again.run.outcome, again.run.counts.update]).toEqual(['partial', 0]);
    expect(codes(again).filter((code) => code.startsWith('already-undone'))).toHaveLength(8);
  });

  it('can be undone itself', async () => {
    const office = await openOffice();
    await office.applyRows(everyone);
    const { run } = await office.applyRows(everyone.map((row) => ({ ...row, last: 'Right' })));
    const undone = await undo(office, run.id);
    expect(shown(office)?.fields.lastName).toBe('Díaz');
    await undo(office, undone.run.id);
    expect(shown(office)?.fields.lastName).toBe('Right');
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });

  it('that guards hold waits for approval like any change, also one that undoes an undo', async () => {
    const office = await openOffice({ sync: { guards: { updates: { absolute: 10, percent: 1 } } } });
    await office.applyRows(everyone);
    const { run } = await office.applyRows(everyone.map((row) => ({ ...row, last: 'Right' })));
    const undone = await undo(office, run.id);
    const held = await undoRun(office.app, undone.run.id, { ...watch, by: 'ana' });
    if (held.kind !== 'ran') throw new Error('the undo was only requested');
    expect(held.report.run.counts.held).toBe(9);
    const { holds } = await findHolds(office.app, { limit: 9 });
    expect(holds.map(({ waiting }) => waiting)).toEqual([9]);
    const { id } = held.report.run;
    expect(await decideRun(office.app, 'approve', id, { by: 'eva', ids: ['E1', 'E2'] })).toMatchObject({ changes: 2 });
    expect(await decideRun(office.app, 'reject', id, { by: 'eva' })).toMatchObject({ changes: 9 });
  });
});

describe('undoing a change of e-mails', () => {
  const mail = (office: Office, id: string) => shown(office, id)?.fields.email;

  it('gives back addresses that were passed on, one after the other', async () => {
    const office = await openOffice();
    await office.applyRows(everyone);
    const { run } = await office.applyRows(
      employees(9, { E1: { mail: 'new@example.com' }, E2: { mail: 'ana1@example.com' } }),
    );
    expect([run.counts.applied, mail(office, 'E2')]).toEqual([2, 'ana1@example.com']);
    const undone = await undo(office, run.id);
    expect([undone.run.outcome, undone.run.counts.applied]).toEqual(['succeeded', 2]);
    expect([mail(office, 'E1'), mail(office, 'E2')]).toEqual(['ana1@example.com', 'ana2@example.com']);
    expect((await office.apply()).run.outcome).toBe('nothing-to-do');
  });
});

describe('undoing a disable', () => {
  it('holds the enable of a person who left, and says that HR still says left', async () => {
    const office = await openOffice();
    await office.applyRows(everyone);
    const { run } = await office.applyRows(employees(9, { E1: { status: 'left' } }));
    const undone = await undo(office, run.id);
    expect(await kinds(office, undone)).toEqual(['enable E1 held']);
    expect(undone.holds[0]?.reason).toMatch(/^HR still reports a leaver \(/);
    await office.apply();
    await decideRun(office.app, 'approve', undone.run.id, { by: 'eva' });
    await office.apply();
    expect(shown(office)?.enabled).toBe(true);
    for (const _ of [1, 2]) expect((await office.apply()).run.outcome).toBe('nothing-to-do');
    expect(shown(office)?.enabled).toBe(true);
  });
});

describe('undoing changes of leaders', () => {
  const at = (main?: string, ...secondary: string[]): Leaders => ({ main, secondary });
  const order: UndoOrder = { run: 'run_7', by: 'ana' };
  const changed = 'leaders not undone: they were changed since';

  async function undone(
    from: Leaders,
    to: Leaders,
    { shown = to as Leaders | string, state = 'applied', over = {} as Partial<UndoOrder> } = {},
  ) {
    const made = leaderChange('eva', from, to, { secondary: [], checkedAt: 1 }) ?? expect.fail('nothing changes');
    const change = { ...sealChange({ ...made, episode: '0' }), state };
    const found: Finding[] = [];
    const asked: unknown[] = [];
    const leaders = async (name: string): Promise<LeadersLookup> => {
      asked.push(name);
      return typeof shown === 'string' ? { found: 'unclear', reason: shown } : { found: 'complete', leaders: shown };
    };
    const getMany = async (...asks: unknown[]) => {
      asked.push(asks);
      return [change];
    };
    const undoes = { ...order, ...over };
    const work = (scope: RunScope) =>
      ({
        scope,
        sync: { platform: { leaders } },
        findings: { find: (one: Finding) => found.push(one) },
      }) as unknown as PlanWork;
    const io = { store: { plans: { getMany } } } as unknown as EngineIo;
    const [back, ...others] = await undoLeaders(work({ kind: 'users', identifications: ['eva'], undoes }), io);
    expect(others).toEqual([]);
    return {
      back,
      found: found.map(({ code, identification, message }) => `${code} ${identification}: ${message}`),
      asked,
    };
  }

  it.each<[Leaders, Leaders, Leaders | string, after: object | string, kind?: string]>([
    [at('ana'), at('kim'), at('kim', 'leo'), { mainLeader: 'ana' }, 'lead'],
    [at(), at('kim'), at('kim'), { mainLeader: '' }, 'unlead'],
    [
      at('ana', 'b', 'c'),
      at('kim', 'c', 'd'),
      at('kim', 'c', 'd', 'a'),
      { mainLeader: 'ana', secondaryLeaders: 'a, b, c' },
      'lead',
    ],
    [at('ana', 'b'), at('ana', 'd'), at('leo', 'd'), { secondaryLeaders: 'b' }, 'lead'],
    [at('ana'), at('kim'), at('leo'), `not-undone eva: ${changed}`],
    [at('ana'), at('kim'), 'no answer', 'not-undone eva: leaders not undone: no answer'],
  ])('puts back from %j what was made %j, where the list shows %j', async (from, to, ...line) => {
    const [shown, after, kind] = line;
    const { back, found } = await undone(from, to, { shown });
    expect([back?.kind, back?.after, found]).toEqual(
      typeof after === 'string' ? [undefined, undefined, [after]] : [kind, after, []],
    );
  });

  it('says what is not to be done again', async () => {
    const { back, asked } = await undone(at('ana'), at('kim'));
    expect(asked).toEqual([['run_7', ['eva'], 'leaders'], 'eva']);
    expect(back).toMatchObject({
      rule: 'undo-leaders',
      reason: 'undoes run run_7',
      notAgain: {
        rule: 'leaders-lead',
        fields: { isWhole: false, digests: { mainLeader: expect.any(String) } },
        by: 'ana',
        why: 'undid run run_7',
      },
      before: { leaders: { main: 'ana', secondary: [], checkedAt: 0 } },
    });
    expect(await undone(at(), at('kim'))).not.toHaveProperty('back.before.leaders.main');
  });

  it.each<RunScope>([{ kind: 'all' }, { kind: 'users', identifications: ['eva'] }])(
    'is none of a run %j',
    async (scope) => {
      expect(await undoLeaders({ scope } as PlanWork, {} as EngineIo)).toEqual([]);
    },
  );

  it('leaves changes that were not applied, and those of other classes', async () => {
    const nothing = { back: undefined, asked: [expect.anything()], found: [] };
    expect(await undone(at('ana'), at('kim'), { state: 'failed' })).toEqual(nothing);
    expect(await undone(at('ana'), at('kim'), { over: { only: ['creates'] } })).toEqual(nothing);
    const { back } = await undone(at('ana'), at('kim'), { over: { only: ['leads'], why: 'wrong export' } });
    expect(back?.notAgain?.why).toBe('undid run run_7: wrong export');
  });
});

describe('the inverse of a change', () => {
  const { csv } = defaultDialect;
  const fields = { ...wanted, area: 'Sales' };
  const made = {
    before: { userId: '1', enabled: true, fields: wanted },
    after: { area: 'Sales' },
    changed: ['area'],
  } as const;
  const moved = {
    before: { userId: '1', enabled: true, fields: { ...wanted, email: 'old@x.com' } },
    after: { email: 'ana@example.com' },
    changed: ['email'],
  } as const;

  it.each([
    ['undo-update', made, {}, 'keeps', 'direct'],
    ['undo-update', made, {}, 'clears', 'csv'],
    ['not-undone', made, {}, 'keeps', 'csv'],
    ['undo-update', moved, {}, 'keeps', 'csv'],
    ['not-undone', moved, { takenBy: 'E2' }, 'keeps', 'csv'],
    ['not-undone', undefined, {}, 'keeps', 'csv'],
  ] as const)('is %s: %j', async (rule, change, { takenBy }: { takenBy?: string }, ...way) => {
    const [emptyCell, delivery] = way;
    const work = {
      scope: { kind: 'users', identifications: ['E1'], undoes: { run: 'run_7', by: 'ana' } },
      sync: { dialect: { ...defaultDialect, csv: { ...csv, emptyCell } }, settings: { delivery } },
      index: { find: () => ({ slot: 3 }) },
    } as unknown as PlanWork;
    const done = change === undefined ? [] : [{ ...draft(change), hash: 'h' }];
    const io = { clock: { now: () => 0 }, store: { plans: { getMany: async () => done } } } as unknown as EngineIo;
    const decide = decideBy(work, { isComplete: true, former: new Map([[3, takenBy]]) }, io);
    const subject = { identification: 'E1', source: says.active(), user: user({ fields }), ledger: entry() };
    expect((await decide([subject], rules)).map((one) => one.rule)).toEqual([rule]);
  });
});

describe('an undo is refused', () => {
  it.each([
    ['a run that changed nothing', 'changed no user'],
    ['a preview', 'is a preview'],
    ['people whom the run did not change', 'did not change E99'],
  ])('%s', async (what, message) => {
    const office = await openOffice();
    await office.applyRows(everyone);
    const { run } = await (what.startsWith('people')
      ? office.applyRows(everyone.map((row) => ({ ...row, last: 'X' })))
      : office.apply());
    const scope = { kind: 'all' } as const;
    const request = { id: 'preview_1', sync: 'people', scope, by: 'ana', requestedAt: 0, expiresAt: 1 };
    await office.app.engine.store.previews.add(request);
    const id = what === 'a preview' ? 'preview_1' : run.id;
    const order = what.startsWith('people') ? { users: ['E99'] } : {};
    await expect(undo(office, id, order)).rejects.toThrow(message);
  });
});
