import { describe, expect, it } from 'vitest';
import { endOfDay } from '../../src/core/person/time-zone.ts';
import {
  judgeLeaver,
  type Leaver,
  type LeaverFacts,
  type LeaverStatement,
  type LeaverSurroundings,
  restated,
} from '../../src/core/plan/leavers.ts';
import { defaultLeaverTarget } from '../../src/core/run/settings.ts';

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);
const said = at('2026-11-20T12:00Z');

const leaver = (more: Partial<Leaver> = {}): Leaver => ({
  ...{ id: 'leaver_1', sync: 'people', identification: 'E1', saidIn: 'run_1' },
  ...{ saidAt: said, effectiveAt: said, clockAt: said },
  ...more,
});

it.each([
  ['2026-11-20', 'UTC', '2026-11-21T00:00Z'],
  ['2026-11-20', 'America/Montevideo', '2026-11-21T03:00Z'],
  ['2026-11-20', 'Asia/Tokyo', '2026-11-20T15:00Z'],
  ['2026-11-20', 'Pacific/Kiritimati', '2026-11-20T10:00Z'],
  ['2026-11-20', 'Etc/GMT+12', '2026-11-21T12:00Z'],
  ['2026-11-20', 'Asia/Kathmandu', '2026-11-20T18:15Z'],
  ['2026-11-20', 'Tokyo Standard Time', '2026-11-20T15:00Z'],
  ['2026-03-29', 'Europe/Madrid', '2026-03-29T22:00Z'],
  ['2026-10-25', 'Europe/Madrid', '2026-10-25T23:00Z'],
  // Clocks go forward at midnight, so the next day begins at one o'clock.
  ['2026-09-05', 'America/Santiago', '2026-09-06T04:00Z'],
  ['2026-11-20', 'No/Such_Zone', '2026-11-21T12:00Z'],
])('the day %s ends in %s at %s', (day, zone, end) => expect(endOfDay(day, zone)).toBe(at(end)));

describe('a statement that is repeated', () => {
  const now = at('2026-11-20T18:00Z');
  const future = { leaves: '2026-11-30', effectiveAt: at('2026-12-01T00:00Z') };
  const ahead = leaver({ ...future, clockAt: future.effectiveAt });
  const cases: readonly (readonly [string, Leaver, LeaverStatement, Partial<Leaver>])[] = [
    ['changes nothing', leaver(), {}, { saidAt: said, clockAt: said }],
    ['with a past day that is corrected wins no time', leaver(), { effectiveAt: said + hourMs }, { clockAt: said }],
    ['with a day to come moves the clock there', leaver(), future, { saidAt: said, clockAt: future.effectiveAt }],
    ['with an earlier day is a new one', ahead, { effectiveAt: said - hourMs }, { saidAt: now, clockAt: now }],
    ['of a person who left before that day begins now', ahead, {}, { saidAt: now, clockAt: now }],
    ['with a later day keeps when it was said', ahead, { effectiveAt: at('2026-12-05T00:00Z') }, { saidAt: said }],
  ];
  it.each(cases)('%s', (_, before, statement, after) => {
    expect(restated(before, statement, now)).toMatchObject(after);
  });
});

interface Case {
  readonly facts?: Partial<LeaverFacts>;
  readonly around?: Partial<LeaverSurroundings>;
  readonly more?: Partial<Leaver>;
}

function judge({ facts, around, more }: Case) {
  const plain = { now: said + hourMs, sync: 'people', connection: 'acme', target: defaultLeaverTarget };
  return judgeLeaver(leaver(more), { isApproved: false, ...facts }, { ...plain, ...around });
}

const stands: readonly (readonly [string, Case, string, number])[] = [
  ['is in time within the target', {}, 'counting', 0],
  ['is late after it', { around: { now: said + 25 * hourMs } }, 'late', hourMs],
  ['has not begun before the last day ends', { more: { clockAt: said + 2 * hourMs } }, 'future', 0],
  ['stops for a decision', { facts: { kept: { by: 'ana' } }, around: { now: said + 99 * hourMs } }, 'kept', 0],
  ['ends late', { more: { ending: 'disabled', seenAt: said + 26 * hourMs } }, 'done', 2 * hourMs],
  ['ends in time', { more: { ending: 'disabled', seenAt: said - hourMs } }, 'done', 0],
  ['ends with a rehire, however late', { more: { ending: 'withdrawn', endedAt: said + 99 * hourMs } }, 'done', 0],
];

it.each(stands)('the clock %s', (_, found, state, lateMs) => {
  expect(judge(found)).toMatchObject({ state, lateMs });
});

const planned = (state: 'held' | 'sent' | 'unresolved' | 'failed') => ({
  facts: { planned: { run: 'run_2', at: said, state } },
});
const last = (more: object) => ({ around: { lastRun: { id: 'run_3', isDoubted: false, ...more } } });
const row = (message: string) => ({ facts: { finding: { message } } });

const waits: readonly (readonly [string, Case, string, string])[] = [
  ['a hold', planned('held'), 'approval', 'rollcall approve run_2'],
  ['a file that is out', planned('sent'), 'unproven', 'rollcall show run_2'],
  ['an unknown outcome', planned('unresolved'), 'unproven', 'rollcall resync people --user E1'],
  ['a platform that refuses', planned('failed'), 'platform', 'rollcall retry run_2'],
  ['an unreadable row', row('line 3, scope: is blank'), 'row', 'rollcall resync people --user E1'],
  ['a conflict', row('Decide with "rollcall adopt people E1 E2"'), 'row', 'rollcall adopt people E1 E2'],
  ['a doubted read', last({ isDoubted: true }), 'read', 'rollcall approve run_3'],
  ['a failing read', last({ trouble: { cause: 'read', why: '' } }), 'read', 'rollcall resync people --user E1'],
  [
    'a scan without end',
    last({ trouble: { cause: 'platform', why: '' } }),
    'platform',
    'rollcall resync people --user E1',
  ],
  ['a dead token', last({ trouble: { cause: 'token', why: '' } }), 'platform', 'rollcall token refresh acme'],
  ['a freeze', { around: { frozenUntil: said + 99 * hourMs } }, 'freeze', 'rollcall explain frozen'],
  ['a pause', { ...planned('held'), around: { pause: { by: 'ana' } } }, 'pause', 'rollcall resume people'],
  ['a run in progress', { around: { openRun: { id: 'run_4' } } }, 'running', 'rollcall show run_4'],
  ['no worker', { around: { missing: 'worker' } }, 'worker', 'rollcall start --role worker'],
  ['no deployment', { around: { missing: 'deployment' } }, 'worker', 'rollcall resync people'],
  ['the next run', { facts: { ...planned('held').facts, isApproved: true } }, 'run', 'rollcall resync people'],
];

it.each(waits)('a leaver waits for %s, with the command that resolves it', (_, found, cause, cure) => {
  const { wait } = judge(found);
  expect([wait?.cause, wait?.cure(['E1'])]).toEqual([cause, cure]);
});
