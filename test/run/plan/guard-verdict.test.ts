import { describe, expect, it } from 'vitest';
import { openBlockedTally } from '../../../src/core/guard/blocked.ts';
import { openChangedColumns } from '../../../src/core/guard/changed-columns.ts';
import { changeClasses } from '../../../src/core/plan/change.ts';
import { certifySnapshot, type ReadEnd, type ReadKind } from '../../../src/core/plan/snapshot.ts';
import { formatInstant } from '../../../src/core/run/formats.ts';
import type { Hold } from '../../../src/core/run/run.ts';
import type { GuardSettings } from '../../../src/core/run/settings.ts';
import { type Edit, noDiffering } from '../../../src/run/edit.ts';
import type { Sync } from '../../../src/run/engine-io.ts';
import { applierOf } from '../../../src/run/judge/count-changes.ts';
import { isConfigurationHeld, isStored, type JudgeInput, judge } from '../../../src/run/judge/judge.ts';
import { dayMs } from '../../contracts/store-samples.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { plainSettings } from '../plain-settings.ts';
import { account, guards, openPlanScene, row } from '../plan-scene.ts';

const none = { absolute: 0, percent: 0, cap: undefined };
const complete: ReadEnd = { complete: true, rows: 10, evidence: 'all', stamp: 's2' };
const incomplete: ReadEnd = { complete: false, rows: 10, reasons: ['a page failed'] };
const shrunk: ReadEnd = { ...incomplete, isAcceptable: true };

interface Plan {
  readonly limits?: Partial<GuardSettings>;
  readonly kind?: ReadKind;
  readonly end?: ReadEnd;
  /** Number of people with an unknown status. */
  readonly unknown?: number;
  readonly vanished?: JudgeInput['read']['vanished'];
  readonly leftOut?: JudgeInput['counts']['leftOut'];
  readonly ruled?: JudgeInput['counts']['ruled'];
  /** An edit of the configuration that changes one person. */
  readonly edit?: Pick<Edit, 'measured' | 'mapping'>;
}

/** The verdict about one disable, one remove and one update, after an accepted full read of 20 rows. */
function judged({
  limits = {},
  kind = 'full',
  end = complete,
  unknown = 0,
  vanished = [],
  leftOut = [],
  ruled = [],
  edit,
}: Plan) {
  const blocked = openBlockedTally();
  for (let i = 0; i < unknown; i += 1) blocked.add({ kind: 'status-unknown', at: `line ${i}` });
  const snapshot = certifySnapshot({ kind, end, unreadable: 0, readAt: now, runAt: now });
  const differing = noDiffering();
  if (edit !== undefined) differing.changed.people = 1;
  const recent = Object.fromEntries(changeClasses.map((name) => [name, 0]));
  const input = {
    read: {
      snapshot,
      fillRates: {},
      vanished,
      columns: { fields: [] },
      last: { rows: 20, fillRates: {}, blocked: { 'status-unknown': 1 } },
    },
    compared: { managed: 100, enabled: 90 },
    decided: { differing, changed: openChangedColumns() },
    counts: {
      leftOut,
      ruled,
      open: edit === undefined ? { ...recent, disables: 1, removes: 1, updates: 1 } : { ...recent, configuration: 1 },
      beside: recent,
      recent,
      restored: {},
      rejected: 0,
    },
  } as unknown as JudgeInput;
  const sync = {
    settings: { ...plainSettings, ...guards(limits) },
    mapping: { readers: new Map() },
  } as unknown as Sync;
  const edited = edit === undefined ? {} : { edit: { keys: ['scope'], ...edit } as unknown as Edit };
  const verdict = judge({ sync, blocked, ...edited }, input);
  return { ...verdict, held: verdict.verdict.holds.map(({ class: name }) => name), isStored: isStored(snapshot) };
}

const vanished = [{ read: 'area', readers: ['area'], reason: 'no record has area any longer' }] as const;
const every = ['updates', 'disables', 'removes'];

describe('the verdict about a read', () => {
  it.each<{ what: string; plan: Plan; held: readonly string[]; misses: boolean; stored: boolean; accept: boolean }>([
    { what: 'that lost rows', plan: {}, held: every.slice(1), misses: true, stored: true, accept: true },
    { what: 'of a delta', plan: { kind: 'delta' }, held: [], misses: false, stored: false, accept: false },
    { what: 'of named people', plan: { kind: 'point' }, held: [], misses: false, stored: false, accept: false },
    {
      what: 'of a delta that is much shorter',
      plan: { kind: 'delta', end: shrunk },
      ...{ held: [], misses: true, stored: false, accept: true },
    },
    {
      what: 'that is only much shorter',
      plan: { end: shrunk },
      ...{ held: every.slice(1), misses: true, stored: true, accept: true },
    },
    {
      what: 'in which a field vanished',
      plan: { vanished },
      ...{ held: every, misses: true, stored: true, accept: true },
    },
    {
      what: 'that is not complete',
      plan: { end: incomplete, vanished },
      ...{ held: every, misses: false, stored: false, accept: false },
    },
  ])('$what: held $held, its absences held $misses, to accept $accept', ({ plan, held, misses, stored, accept }) => {
    const told = judged({ limits: { rowsDownPercent: 10 }, ...plan });
    expect([...told.held].sort()).toEqual([...held].sort());
    expect(told).toMatchObject({ isStored: stored, isReadDoubted: accept, verdict: { areMissesHeld: misses } });
  });

  it('has what waits by approvals beside the classes above their limit, each class once', () => {
    const ruled = (['disables', 'updates'] as const).map((name) => ({ class: name, count: 1, reason: 'by rule' }));
    const { verdict, excess, ...told } = judged({ limits: { disables: none }, ruled });
    expect(verdict.holds).toEqual([expect.objectContaining({ class: 'disables' }), { sync: 'people', ...ruled[1] }]);
    expect([excess, told.ruled, isConfigurationHeld(verdict)]).toEqual([verdict.holds, ruled, false]);
    expect(isConfigurationHeld({ holds: [{ ...verdict.holds[0], class: 'configuration' } as Hold] })).toBe(true);
  });
});

describe('an edit of the configuration', () => {
  const limits = { configuration: none };
  const mapping = {} as Edit['mapping'];
  const measured = (isHeld: boolean) => ({ mapping, measured: { isHeld } });
  const unmeasured = 'No full run has measured it yet: run "rollcall apply people"';

  it.each<[what: string, plan: Plan, told: string | undefined]>([
    ['above the limit', { edit: { mapping, measured: undefined } }, 'Up to 0 people in 24 hours need no approval'],
    ['in a delta before a full run', { edit: { mapping, measured: undefined }, kind: 'delta' }, unmeasured],
    ['in a read that is not complete', { edit: { mapping, measured: undefined }, end: incomplete }, unmeasured],
    ['in a delta, where it is held', { edit: measured(true), kind: 'delta' }, 'The edit waits for approval'],
    ['in a delta, where it passed', { edit: measured(false), kind: 'delta', limits: {} }, undefined],
    ['that one read cannot compare', { edit: { mapping: undefined, measured: undefined } }, 'so every change counts'],
  ])('%s is held with the reason', (_, plan, told) => {
    const { verdict } = judged({ limits, ...plan });
    const reasons = verdict.holds.map(({ class: name, reason }) => `${name}: ${reason}`);
    expect(reasons).toEqual(told === undefined ? [] : [expect.stringMatching(/^configuration: .*1 person/)]);
    expect(reasons.join()).toContain(told ?? '');
    expect(reasons.join().includes('One read cannot compare')).toBe(plan.edit?.mapping === undefined);
  });
});

describe('people without a decision', () => {
  const few = { blocked: { ...none, absolute: 1, oneInRows: 0 } };
  const reason = /^3 of 10 rows have a status.*\(3 people are blocked, 1 in the last accepted read\)$/;

  it.each<{ what: string; plan: Plan; isDoubted: boolean; isHeld: boolean }>([
    { what: 'a complete full read', plan: {}, isDoubted: true, isHeld: true },
    { what: 'a full read that is only shorter', plan: { end: shrunk }, isDoubted: true, isHeld: true },
    { what: 'an incomplete full read', plan: { end: incomplete }, isDoubted: true, isHeld: false },
    { what: 'a delta', plan: { kind: 'delta' }, isDoubted: true, isHeld: true },
    { what: 'a read of named people', plan: { kind: 'point' }, isDoubted: false, isHeld: false },
    { what: 'a read with no more of them than the last one', plan: { unknown: 2 }, isDoubted: false, isHeld: false },
    { what: 'a read without them', plan: { unknown: 0 }, isDoubted: false, isHeld: false },
  ])('doubt $what: $isDoubted; an operator can accept that: $isHeld', ({ plan, isDoubted, isHeld }) => {
    const { doubt, verdict, isAccepted, isReadDoubted } = judged({ unknown: 3, limits: few, ...plan });
    expect(doubt).toEqual(isDoubted ? expect.stringMatching(reason) : undefined);
    expect(isAccepted).toBe(!isDoubted);
    expect(verdict.blocked).toEqual(isHeld ? doubt : undefined);
    expect(['blocked' in verdict, isReadDoubted]).toEqual([isHeld, isHeld]);
  });
});

describe('a restored store', () => {
  it.each([
    { agoMs: dayMs - 1, isHeld: true },
    { agoMs: dayMs, isHeld: false },
  ])('holds disables $agoMs ms after the restore: $isHeld', async ({ agoMs, isHeld }) => {
    const records = [row('ana', { status: 'left' }), row('leo', { area: 'X' })];
    const scene = await openPlanScene({ records, users: [account('ana'), account('leo')] });
    const at = scene.clock.now() - agoMs;
    // Only a restore writes this record.
    Object.assign(scene.store.restores, { last: async () => ({ at, madeAt: at - dayMs }) });
    const { kinds, plan } = await scene.plan();
    const [from, to] = [at - dayMs, at].map(formatInstant);
    const reason = expect.stringContaining(`was restored at ${to} from a backup of ${from}`);
    expect(plan.verdict.holds.map((hold) => hold.reason)).toEqual(isHeld ? [reason] : []);
    expect(kinds).toEqual({ ana: isHeld ? 'disable held' : 'disable', leo: 'update' });
  });
});

it('changes count for the sync and the others that are configured on its connection', async () => {
  const { sync, io } = await openPlanScene({ records: [], otherSyncs: ['guests', 'interns'] });
  const robots = { ...sync, settings: { ...sync.settings, name: 'robots', connection: 'globex' } };
  const syncs = new Map([...io.syncs, ['robots', robots]]);
  expect(applierOf(sync, { ...io, syncs })).toEqual({
    sync: 'people',
    connection: 'acme',
    others: ['guests', 'interns'],
  });
  expect(applierOf(robots, { ...io, syncs })).toEqual({ sync: 'robots', connection: 'globex', others: [] });
});
