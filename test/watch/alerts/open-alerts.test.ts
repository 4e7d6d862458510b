import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, RollcallError, rootCauseOf } from '../../../src/core/run/errors.ts';
import { noPlan } from '../../../src/core/run/facts.ts';
import { given } from '../../../src/core/run/given.ts';
import { noCounts } from '../../../src/core/run/run.ts';
import type { ChannelSettings } from '../../../src/ports/alerts.ts';
import type { RunPatch, RunScope, Store } from '../../../src/ports/store.ts';
import type { TokenStatus } from '../../../src/ports/tokens.ts';
import { openStore } from '../../../src/store/index.ts';
import { type Alerts, type AlertsOptions, openAlerts } from '../../../src/watch/alerts/open-alerts.ts';
import {
  dayMs,
  endRun,
  hourMs,
  openRun,
  renewHolds,
  sampleChange,
  sampleHold,
  sampleTrigger,
  writePlan,
} from '../../contracts/store-samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { openReceiver, type Receiver, sendingAtOnce } from './receiver.ts';

let store: Store;
let clock: FakeClock;
let receiver: Receiver;
let token: TokenStatus;
let staleAfterMs: number | undefined;
const log = memoryLogger();

beforeEach(async () => {
  store = await openStore('sqlite::memory:', { folder: '.' });
  clock = new FakeClock();
  receiver = await openReceiver();
  token = {
    connection: 'acme',
    state: 'static',
    generation: 0,
    issuedAt: undefined,
    expiresAt: undefined,
    attempts: 0,
    retryAt: undefined,
    reason: undefined,
    advice: '',
  };
  staleAfterMs = undefined;
});
afterEach(() => store.close());

const reveal = (value: string) => ({ reveal: () => value });
const hook = (over: Partial<Extract<ChannelSettings, { kind: 'webhook' }>> = {}): ChannelSettings => {
  return {
    kind: 'webhook',
    name: 'hook',
    url: reveal(`${receiver.url}/hook`),
    afterMs: 0,
    remindMs: undefined,
    ...over,
  };
};

let ids = 0;
const desk = (channels: readonly ChannelSettings[] = [hook()], over: Partial<AlertsOptions> = {}): Alerts =>
  sendingAtOnce(openAlerts({ ...optionsOf(channels), ...over }));

function optionsOf(channels: readonly ChannelSettings[]): AlertsOptions {
  return {
    channels,
    place: { deployment: 'acme-prod', publicUrl: undefined },
    syncs: [
      {
        name: 'people',
        connection: 'acme',
        staleBefore: (now) => (staleAfterMs === undefined ? undefined : now - staleAfterMs),
      },
    ],
    connections: [{ name: 'acme', token: async () => token, reports: [] }],
    store,
    clock,
    logger: log,
    newId: (prefix) => `${prefix}_${String(++ids).padStart(6, '0')}`,
    random: () => 0.5,
  };
}

const never = new AbortController().signal;
const titles = () => receiver.received.splice(0).map((one) => one.json<{ title: string }>().title);
/** The titles of what one evaluation sends. */
const looked = async (alerts = desk()) => {
  await alerts.evaluate(never);
  return titles();
};

/** A run that ended so, a minute after the last. */
async function runEnded(patch: RunPatch, scope: RunScope = { kind: 'all' }, sync = 'people'): Promise<string> {
  await clock.advance(60_000);
  const id = `run_${clock.now()}`;
  await store.triggers.add(sampleTrigger(`for ${id}`, { sync, scope, requestedAt: clock.now() }));
  const opened = await store.runs.open(sync, { id, connection: 'acme', now: clock.now() });
  const lease = await store.leases.take(`run:${id}`, 'me', 1000, clock.now());
  if (opened === undefined || lease === undefined) throw new Error('not opened');
  await store.runs.update({ run: opened.run, lease }, { phase: 'done', endedAt: clock.now(), ...patch });
  return id;
}

const failed = (reason = 'the source cannot be read: ENOENT') => runEnded({ outcome: 'failed', reason });
const failedBy = (failure: ErrorCode) => {
  const cause = rootCauseOf(new RollcallError('it failed', { code: failure }), 'acme');
  return { outcome: 'failed', end: { failure, reasons: [], ...given({ cause }) } } as const;
};
const succeeded = () => runEnded({ outcome: 'succeeded' });

describe('a sync', () => {
  it('that fails is told once, and its recovery once, through restarts of the process', async () => {
    await failed();
    await desk().evaluate(never);
    await desk().evaluate(never);
    await failed();
    expect(await looked()).toEqual(['CRITICAL sync people: the run failed']);
    await succeeded();
    await desk().evaluate(never);
    await succeeded();
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('is told again for another reason, and not when only numbers or names in it differ', async () => {
    for (const reason of [
      '3 changes failed',
      '14 changes failed',
      'the platform answered E12',
      'the platform answered E99',
    ]) {
      await failed(reason);
      await desk().evaluate(never);
    }
    expect(titles()).toHaveLength(2);
  });

  it('that failed and recovered between two looks is told both, in order', async () => {
    await succeeded();
    await desk().evaluate(never);
    await failed();
    await succeeded();
    const alerts = desk();
    await alerts.evaluate(never);
    await alerts.evaluate(never);
    expect(titles().map((title) => title.split(' ')[0])).toEqual(['CRITICAL', 'RECOVERED']);
  });

  it('whose history is older than its alerts is judged by the newest run alone', async () => {
    await failed();
    await succeeded();
    expect(await looked()).toEqual([]);
  });

  it('is not well again because an older run was, when a new deployment looks for the first time', async () => {
    await succeeded();
    await failed();
    await desk().evaluate(never);
    expect(await looked()).toEqual(['CRITICAL sync people: the run failed']);
  });

  it('that fails and recovers again and again is told with a count, and is over when it stays well for an hour', async () => {
    const alerts = desk();
    for (let times = 0; times < 4; times += 1) {
      await failed();
      await alerts.evaluate(never);
      await succeeded();
      await alerts.evaluate(never);
    }
    const [first, end, again, ...more] = receiver.received
      .splice(0)
      .map((one) => one.json<{ title: string; text: string }>());
    expect([first, end, again].map((one) => one?.title)).toEqual([
      'CRITICAL sync people: the run failed',
      'RECOVERED sync people: runs succeed again',
      'CRITICAL sync people: the run failed',
    ]);
    expect(again?.text).toContain('It came back once since ');
    expect(more).toEqual([]);
    await clock.advance(hourMs);
    expect(await looked(alerts)).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('is not well again because a run of named people was, nor ill because a person cancelled one', async () => {
    await failed();
    await desk().evaluate(never);
    await runEnded({ outcome: 'succeeded' }, { kind: 'users', identifications: ['E1'] });
    await runEnded({ outcome: 'cancelled', reason: 'cancelled: 3 changes were not sent' });
    expect(await looked()).toHaveLength(1);
  });

  it('tells 22 failed changes after 2, and 2,200 after 22', async () => {
    const told: string[] = [];
    for (const count of [2, 3, 22, 40, 2200]) {
      const counts = { ...noCounts, failed: count };
      await runEnded({ outcome: 'partial', reason: `${count} changes failed`, counts });
      await desk().evaluate(never);
      told.push(...titles());
    }
    expect(told).toEqual([2, 22, 2200].map((count) => `WARNING sync people: 0 applied, ${count} failed`));
  });

  it('tells changes with an unknown outcome once, and not again while later runs wait for them', async () => {
    const counts = { ...noCounts, unresolved: 25 };
    await runEnded({ outcome: 'partial', reason: '25 changes have an unknown outcome', counts });
    expect(await looked()).toEqual(['WARNING sync people: 0 applied, 25 unresolved']);
    const plan = { ...noPlan, blocked: { unresolved: 25 }, waitsFor: { runs: ['run_1'], until: 1_795_575_626_000 } };
    const waits = {
      outcome: 'partial',
      reason: '25 people wait until the outcome of an earlier change is known',
      plan,
    } as const;
    await runEnded(waits);
    expect(await looked()).toEqual([]);
    const { standing } = await desk().report(0);
    expect(standing).toMatchObject([
      {
        code: 'run-partial',
        title: '25 people wait for the outcome of run run_1',
        action: 'no action is required until 2026-11-25 03:00:26 UTC; then see "rollcall show run_1"',
      },
    ]);
    await runEnded({
      ...waits,
      reason: 'the source was not read completely',
      plan: { ...plan, sourceGaps: ['cut'] },
    });
    expect(await looked()).toEqual(['WARNING sync people: 0 applied, the source was not read completely']);
  });

  it('tells no recovery while a run holds the change that failed', async () => {
    const failing = await openRun(store, { id: 'run_f', now: clock.now() });
    await writePlan(store, { id: 'run_f', owned: failing }, [sampleChange('E1')]);
    await store.plans.setStates(failing, [{ identification: 'E1', state: 'failed', reason: 'refused' }]);
    const ended = { phase: 'done', endedAt: clock.now() } as const;
    await store.runs.update(failing, { ...ended, outcome: 'partial', counts: { ...noCounts, failed: 1 } });
    expect(await looked()).toEqual(['WARNING sync people: 0 applied, 1 failed']);
    await clock.advance(60_000);
    const holding = await openRun(store, { id: 'run_g', now: clock.now() });
    await writePlan(store, { id: 'run_g', owned: holding }, [sampleChange('E1')]);
    await store.plans.hold(holding, 'run_g', ['updates'], 'too many');
    const endedAt = clock.now();
    await store.runs.update(holding, { ...ended, endedAt, outcome: 'held', counts: { ...noCounts, held: 1 } });
    expect(await looked()).toEqual([]);
    await succeeded();
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('titles a run that applied everything beside two bad rows as what it is', async () => {
    const owned = await openRun(store, { id: 'run_rows', now: clock.now() });
    const rows = ['line 17', 'line 291'].map(
      (at) => ({ code: 'row-unreadable', at, message: 'no identification' }) as const,
    );
    await store.runs.update(owned, {}, { findings: rows });
    const reason = 'the source was not read completely (2 rows)';
    const counts = { ...noCounts, applied: 283 };
    await store.runs.update(owned, { phase: 'done', endedAt: clock.now(), outcome: 'partial', reason, counts });
    await desk().evaluate(never);
    const [notice] = receiver.received.map((one) => one.json<{ text: string; title: string }>());
    expect(notice?.title).toBe('WARNING sync people: 283 applied, 2 rows need a fix in HR');
    expect(notice?.text).toContain('- line 17: no identification\n');
    expect(notice?.text).toContain('What to do: rollcall show run_rows --findings');
  });

  it('alerts nobody about named people whom the source does not know, or whom an undo leaves as HR says', async () => {
    const reason = 'the source has none of the named people';
    const someRows = { ...noPlan, sourceRows: 2 };
    await runEnded({ outcome: 'failed', reason, plan: noPlan }, { kind: 'users', identifications: ['E1O'] });
    const some = { reason: 'the source does not know 1 named person', plan: { ...someRows, unknownPeople: 1 } };
    await runEnded({ outcome: 'partial', ...some }, { kind: 'users', identifications: ['E1', 'E1O'] });
    const undo = { reason: 'the changes of 1 person were not undone', plan: { ...someRows, notUndone: 1 } };
    for (const outcome of ['partial', 'held'] as const) {
      await runEnded({ outcome, ...undo }, { kind: 'users', identifications: ['E7'] });
    }
    expect(await looked()).toEqual([]);
  });

  it('titles creates without effect, and people who need a fix in HR, as what they are', async () => {
    const plan = { ...noPlan, sourceRows: 20, createsWait: 2 };
    await runEnded({ outcome: 'partial', reason: '2 people have no account, because creates had no effect', plan });
    expect(await looked()).toEqual(['WARNING sync people: 2 people have no account: creates had no effect']);
    const access = { ...noPlan, sourceRows: 20, access: { keep: 1, lack: 1 } };
    await runEnded({ outcome: 'partial', isSuccess: true, reason: 'records', plan: access });
    const title = 'WARNING sync people: 2 people need a fix in HR: 1 has no account yet, 1 still has access';
    expect(await looked()).toEqual([title]);
  });

  it('names the scope of a failed run about named people, which a good run about them ends', async () => {
    const users = (...identifications: string[]): RunScope => ({ kind: 'users', identifications });
    await runEnded({ outcome: 'failed', reason: 'the platform is away' }, users('E1', 'E2'));
    await desk().evaluate(never);
    expect(receiver.received[0]?.text).toContain('about 2 named people failed: the platform is away');
    expect(titles()).toEqual(['CRITICAL sync people: the run about named people failed']);
    await runEnded({ outcome: 'succeeded' }, users('E1'));
    expect(await looked(), 'E2 is still not synced').toEqual([]);
    await runEnded({ outcome: 'nothing-to-do' }, users('E2', 'E1', 'E3'));
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('is one alert with its tokens: neither its failed runs nor its age are told beside a refused token', async () => {
    staleAfterMs = hourMs;
    await succeeded();
    await desk().evaluate(never);
    token = { ...token, state: 'reauth-required', reason: 'invalid_grant' };
    await clock.advance(2 * hourMs);
    await runEnded({ reason: 'no token', ...failedBy('REAUTH_REQUIRED') });
    expect(await looked()).toEqual(['CRITICAL connection acme: the platform refuses the refresh token']);
    token = { ...token, state: 'static' };
    expect(await looked(), 'there is time to catch up').toEqual(['RECOVERED connection acme: the tokens work again']);
    await clock.advance(5 * 60_000);
    expect(await looked()).toEqual(['CRITICAL sync people: no success for 2 h']);
  });

  it('is not told as late while its runs fail, as that is the reason; it is once their problem is over', async () => {
    staleAfterMs = hourMs;
    await succeeded();
    await desk().evaluate(never);
    await failed();
    expect(await looked()).toEqual(['CRITICAL sync people: the run failed']);
    await clock.advance(2 * hourMs);
    await failed();
    expect(await looked()).toEqual([]);
    await succeeded();
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
    await clock.advance(2 * hourMs);
    expect(await looked()).toEqual(['CRITICAL sync people: no success for 2 h']);
  });

  it('that is muted before its first look does not tell its history afterwards', async () => {
    // More runs than one look judges.
    for (let i = 0; i < 101; i += 1) await failed();
    await succeeded();
    const alerts = desk();
    await alerts.quiet('people', { kind: 'mute', by: 'ana', at: clock.now(), until: clock.now() + 1000 });
    await clock.advance(5000);
    expect(await looked(alerts)).toEqual([]);
  });

  it('can be acknowledged and muted by name, for its reminders', async () => {
    const alerts = desk([hook({ remindMs: 12 * hourMs })]);
    await failed();
    await alerts.evaluate(never);
    await clock.advance(12 * hourMs);
    await alerts.evaluate(never);
    expect(titles().map((title) => title.split(' ').slice(0, 2).join(' '))).toEqual([
      'CRITICAL sync',
      'STILL CRITICAL',
    ]);
    const at = clock.now();
    const [acked] = await alerts.quiet('people', { kind: 'ack', by: 'ana', at });
    expect(acked).toEqual({ subject: { kind: 'sync', name: 'people' }, open: 1 });
    await clock.advance(12 * hourMs);
    expect(await looked(alerts)).toEqual([]);
    expect((await alerts.report(1)).standing[0]?.acked).toEqual({ by: 'ana', at });
    const until = clock.now() + hourMs;
    await alerts.quiet('people', { kind: 'mute', by: 'ana', at: clock.now(), until });
    expect((await alerts.report(1)).muted).toEqual([{ subject: acked?.subject, until, by: 'ana' }]);
    await alerts.quiet('people', { kind: 'unmute' });
    expect((await alerts.report(1)).muted).toEqual([]);
    await expect(alerts.quiet('poeple', { kind: 'unmute' })).rejects.toThrow(
      'no sync, connection or deployment is called poeple; the configuration has: sync people, connection acme',
    );
  });

  it('tells failed changes by identification, what was applied, and the command to act', async () => {
    const owned = await openRun(store, { id: 'run_p', now: clock.now() });
    const changes = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7'].map((id) => sampleChange(id));
    await writePlan(store, { id: 'run_p', owned }, changes);
    await store.plans.setStates(
      owned,
      changes.map(({ identification }) => ({ identification, state: 'failed', reason: 'area is too long' })),
    );
    await store.runs.update(owned, {
      phase: 'done',
      endedAt: clock.now(),
      outcome: 'partial',
      reason: '7 changes failed',
      counts: { ...noCounts, failed: 7, applied: 30 },
    });
    await desk().evaluate(never);
    const [notice] = receiver.received.map((one) => one.json<{ text: string; severity: string }>());
    expect(notice?.severity).toBe('warning');
    expect(notice?.text).toContain('The run run_p was partial: 7 changes failed\n- E1: area is too long\n');
    expect(notice?.text).toContain(
      '- E5: area is too long\n- … and 2 more\nNot affected: 30 changes of this run were applied.\nWhat to do: rollcall show run_p --failed',
    );
    expect(receiver.received.map(({ text }) => text).join()).not.toContain('Ana');
  });

  it('tells what waits for approval once, however often the hold is renewed, and when nothing waits any more', async () => {
    const hold = async (id: string) => {
      const owned = await openRun(store, { id, now: clock.now() });
      const changes = [sampleChange('E1', 'disable'), sampleChange('E2', 'disable')];
      await writePlan(store, { id, owned }, changes);
      await store.plans.hold(owned, id, ['disables'], 'too many');
      await renewHolds(
        store,
        owned,
        [sampleHold(owned, `hold_${id}`, { heldAt: clock.now(), reason: '2 disables, 5 allowed' })],
        clock.now(),
      );
      return owned;
    };
    const first = await hold('run_h1');
    expect(await looked(), 'the run is still under way').toEqual([]);
    await store.runs.update(first, {
      phase: 'done',
      endedAt: clock.now(),
      outcome: 'held',
      counts: { ...noCounts, held: 2, applied: 5 },
    });
    await desk().evaluate(never);
    const [told] = receiver.received;
    expect(told?.json<{ text: string }>().text).toMatch(
      /^2 changes wait for approval until .*\n- 2 disables, 5 allowed\n- E1: disable\n- E2: disable\nNot affected: All other changes continued: 5 changes of the run run_h1 were applied\.\nWhat to do:\nrollcall holds --sync people {2}# .*\nrollcall approve run_h1 {2}# .*\nrollcall reject run_h1\n/,
    );
    await clock.advance(60_000);
    await endRun(store, await hold('run_h2'), clock.now());
    expect(await looked()).toEqual(['WARNING sync people: 2 disables wait for approval']);
    await clock.advance(dayMs + 1);
    expect(await looked()).toEqual(['RECOVERED sync people: no changes wait for approval']);

    const counts = { ...noCounts, disable: 2, held: 2 };
    const alone = await hold('run_h3');
    await store.runs.update(alone, { phase: 'done', endedAt: clock.now(), outcome: 'held', counts });
    await desk().evaluate(never);
    const text = receiver.received.at(-1)?.json<{ text: string }>().text;
    expect(text).toContain('Not affected: The run run_h3 had nothing else to change.\n');
  });

  it('without a success for too long is told, though nothing failed; not while it is paused, nor before it could catch up', async () => {
    staleAfterMs = 26 * hourMs;
    await succeeded();
    await desk().evaluate(never);
    await clock.advance(26 * hourMs);
    expect(await looked()).toEqual([]);
    await store.pauses.add({ sync: 'people', pausedAt: clock.now(), by: 'ops' });
    await clock.advance(1);
    expect(await looked()).toEqual([]);
    await store.pauses.remove('people', clock.now());
    await desk().evaluate(never);
    await clock.advance(5 * 60_000 - 1);
    expect(await looked()).toEqual([]);
    await clock.advance(1);
    await desk().evaluate(never);
    expect(receiver.received[0]?.text).toContain('No run has started since');
    expect(titles()).toEqual(['CRITICAL sync people: no success for 26 h']);
    await succeeded();
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('that is late says which run is under way, and that it is well again as soon as it is, however lately it was paused', async () => {
    staleAfterMs = hourMs;
    await succeeded();
    await clock.advance(hourMs + 1);
    await store.triggers.add(sampleTrigger('long', { requestedAt: clock.now() }));
    await store.runs.open('people', { id: 'run_long', connection: 'acme', now: clock.now() });
    await desk().evaluate(never);
    const [{ text } = { text: '' }] = receiver.received;
    expect(text).toContain('A run has been in progress since');
    expect(text).toContain('rollcall show run_long');
    expect(titles()).toHaveLength(1);
    await store.pauses.add({ sync: 'people', pausedAt: clock.now(), by: 'ops' });
    expect(await looked()).toEqual([]);
    const lease = await store.leases.take('run:run_long', 'me', 1000, clock.now());
    const run = await store.runs.get('run_long');
    if (lease === undefined || run === undefined) throw new Error('not there');
    await store.runs.update({ run, lease }, { phase: 'done', endedAt: clock.now(), outcome: 'succeeded' });
    expect(await looked()).toEqual(['RECOVERED sync people: runs succeed again']);
  });

  it('that has never succeeded is late from when it was first seen', async () => {
    staleAfterMs = hourMs;
    await desk().evaluate(never);
    await clock.advance(hourMs);
    expect(await looked()).toEqual([]);
    await clock.advance(1);
    expect(await looked()).toEqual(['CRITICAL sync people: no run has ever succeeded']);
  });
});

describe('tokens', () => {
  it('are told at once when a person is needed, ahead of their end when refreshing fails, and when they work again', async () => {
    const look = async (over: Partial<TokenStatus>) => {
      token = { ...token, ...over };
      await desk().evaluate(never);
      return titles().map((title) => title.split(' ')[0]);
    };
    const issuedAt = clock.now();
    expect(await look({ state: 'ready', issuedAt, expiresAt: issuedAt + 10 * hourMs })).toEqual([]);
    await clock.advance(8 * hourMs);
    expect(await look({})).toEqual([]);
    await clock.advance(hourMs);
    expect(await look({})).toEqual(['WARNING']);
    await clock.advance(hourMs);
    expect(await look({})).toEqual(['CRITICAL']);
    expect(await look({ state: 'reauth-required', reason: 'invalid_grant' })).toEqual(['CRITICAL']);
    expect(await look({ state: 'ready', issuedAt: clock.now(), expiresAt: clock.now() + hourMs })).toEqual([
      'RECOVERED',
    ]);
    expect(await look({ state: 'sealed' })).toEqual(['CRITICAL']);
    expect(await look({ state: 'restored' })).toEqual(['CRITICAL']);
    expect(await look({ state: 'revoked' })).toEqual(['WARNING']);
    expect(await look({ state: 'none' })).toEqual([]);
  });
});

describe('a platform that ends the runs of twelve syncs', () => {
  const names = Array.from({ length: 12 }, (_, i) => `sync${i}`);
  const syncs = names.map((name) => ({ name, connection: 'acme', staleBefore: () => undefined }));
  const fault = { reason: 'the platform answered 503', ...failedBy('PLATFORM_FAILED') };
  const allEnded = async (patch: RunPatch, some = names) => {
    for (const name of some) await runEnded(patch, { kind: 'all' }, name);
  };

  it('one after the other is one problem from the first one on', async () => {
    const alerts = desk([hook()], { syncs });
    await allEnded(fault, names.slice(0, 1));
    await alerts.evaluate(never);
    await allEnded(fault, names.slice(1));
    expect(await looked(alerts)).toHaveLength(2);
    expect((await alerts.report(1)).standing[0]?.summary).toContain('so 12 syncs cannot compare');
  });

  it('is one problem with their names, and one end', async () => {
    const alerts = desk([hook()], { syncs });
    await alerts.evaluate(never);
    for (let times = 0; times < 2; times += 1) {
      await allEnded(fault);
      await alerts.evaluate(never);
    }
    const told = receiver.received.splice(0).map((one) => one.json<{ title: string; text: string }>());
    expect(told.map(({ title }) => title)).toEqual(['CRITICAL connection acme: the platform answers with errors']);
    expect(told[0]?.text).toContain(
      'so 12 syncs cannot compare or change accounts (sync0, sync1, sync10, sync11, sync2, … and 7 more)',
    );
    await allEnded({ outcome: 'succeeded', plan: { ...noPlan, platformUsers: 3 } });
    expect(await looked(alerts)).toEqual(['RECOVERED connection acme: the platform answers again']);
  });

  it('hides no failure of another cause', async () => {
    const alerts = desk([hook()], { syncs });
    await runEnded({ reason: 'x', ...failedBy('PLATFORM_BUSY') }, { kind: 'all' }, 'sync0');
    await runEnded({ reason: 'no file', ...failedBy('SOURCE_UNAVAILABLE') }, { kind: 'all' }, 'sync1');
    await alerts.evaluate(never);
    expect(titles().toSorted()).toEqual([
      'CRITICAL connection acme: the platform is busy',
      'CRITICAL sync sync1: the run failed: the source cannot be read',
    ]);
  });
});

describe('a notice', () => {
  it('is kept and sent later when the channel is down, with growing waits, and once it is taken never again', async () => {
    receiver.answer(503, 500, 429);
    await failed();
    const tries: number[] = [];
    const began = clock.now();
    for (let second = 0; second < 120; second += 1) {
      await desk().evaluate(never);
      if (receiver.received.splice(0).length > 0) tries.push((clock.now() - began) / 1000);
      await clock.advance(1000);
    }
    expect(tries).toEqual([0, 5, 15, 35]);
    expect((await store.alerts.list(10)).map(({ state }) => state)).toEqual(['delivered']);
  });

  it('of a process that died between storing and sending is sent by the next one, under the same id', async () => {
    await failed();
    const dying = desk([hook()], { store: { ...store, alerts: { ...store.alerts, claim: async () => [] } } });
    await dying.evaluate(never);
    expect(receiver.received).toEqual([]);
    await desk().evaluate(never);
    const [{ notice }] = await store.alerts.list(1).then((all) => all as [(typeof all)[number]]);
    expect(receiver.received.map(({ headers }) => headers['x-rollcall-notice'])).toEqual([notice.id]);
  });

  it('whose sender died in the middle is sent again after a minute: at least once', async () => {
    await failed();
    const settle = async () => Promise.reject(new Error('killed'));
    await desk([hook()], { store: { ...store, alerts: { ...store.alerts, settle } } }).evaluate(never);
    expect(log.messages('error')).toContain('notices could not be sent');
    await desk().evaluate(never);
    expect(receiver.received).toHaveLength(1);
    await clock.advance(60_000);
    await desk().evaluate(never);
    const sent = receiver.received.map(({ headers }) => headers['x-rollcall-notice']);
    expect(sent).toHaveLength(2);
    expect(new Set(sent).size).toBe(1);
  });

  it('is given up after a day, aloud, and what comes later still goes out', async () => {
    receiver.answer(...Array.from({ length: 200 }, () => 410));
    await failed();
    await desk().evaluate(never);
    for (let hour = 0; hour < 25; hour += 1) {
      await clock.advance(hourMs);
      await desk().evaluate(never);
    }
    expect((await store.alerts.list(1))[0]).toMatchObject({ state: 'given-up', error: expect.stringContaining('410') });
    expect(log.messages('error')).toContain(
      'notice dropped after a day without a successful delivery: test the channel with "rollcall alerts test"',
    );
  });

  it('goes to every channel that wants it, and one that is down keeps no other waiting', async () => {
    const other = await openReceiver();
    receiver.answer(500, 500);
    await failed();
    const channels = [
      hook(),
      hook({ name: 'other', url: reveal(other.url) }),
      hook({ name: 'mild', url: reveal(other.url), severities: ['warning'] }),
      hook({ name: 'elsewhere', url: reveal(other.url), syncs: ['leavers'] }),
    ];
    await desk(channels).evaluate(never);
    expect(other.received).toHaveLength(1);
    const told = (await store.alerts.list(10)).map(({ channel, state }) => `${channel} ${state}`);
    expect(told).toEqual(['hook waiting', 'other delivered']);
  });

  it('reaches its channel while another one hangs, and no evaluation waits for either', async () => {
    const stuck = await openReceiver();
    stuck.answer(0);
    const alerts = openAlerts(optionsOf([hook({ name: 'stuck', url: reveal(stuck.url) }), hook()]));
    await failed();
    await alerts.evaluate(never);
    const stop = new AbortController();
    const first = alerts.send(stop.signal);
    await expect.poll(() => receiver.received.length).toBe(1);
    await succeeded();
    await alerts.evaluate(never);
    await alerts.send(never);
    expect(titles()).toEqual(['CRITICAL sync people: the run failed', 'RECOVERED sync people: runs succeed again']);
    stop.abort();
    await first;
  });

  it.each([
    ['refuses', 500, 50],
    // Twice the notice of the run, and twice that of the channel.
    ['does not confirm', 200, 2],
  ])('that a receiver %s is told by the other channels after five minutes', async (_, status, times) => {
    const other = await openReceiver();
    receiver.answer(...Array.from({ length: times }, () => status));
    const work = { hasSchedules: false, hasWorkers: false };
    const hooks: readonly ChannelSettings[] = [
      { kind: 'teams', name: 'chat', url: reveal(receiver.url), afterMs: 0, remindMs: undefined },
      hook({ name: 'other', url: reveal(other.url) }),
    ];
    const alerts = desk(hooks, { work });
    await failed();
    for (let passed = 0; passed < 400_000; passed += 20_000) {
      await alerts.evaluate(never);
      await clock.advance(20_000);
    }
    expect(other.received.map((one) => one.json<{ title: string }>().title)).toEqual([
      'CRITICAL sync people: the run failed',
      'WARNING deployment acme-prod: chat: notices are not delivered',
    ]);
    if (times > 4) return;
    // It is not sent a third time, and does not tell of itself. The next notice that is confirmed ends the problem.
    expect(receiver.received).toHaveLength(2);
    await runEnded({ outcome: 'succeeded' });
    for (let i = 0; i < 2; i += 1) await alerts.evaluate(never);
    expect(other.received.map((one) => one.json<{ title: string }>().title).slice(2)).toEqual([
      'RECOVERED sync people: runs succeed again',
      'RECOVERED deployment acme-prod: notices are delivered again',
    ]);
  });

  it('of a connection goes to those who hear of a sync that uses it', async () => {
    token = { ...token, state: 'reauth-required' };
    const channels = [hook({ syncs: ['people'] }), hook({ name: 'elsewhere', syncs: ['leavers'] })];
    await desk(channels).evaluate(never);
    expect((await store.alerts.list(10)).map(({ channel }) => channel)).toEqual(['hook']);
  });

  it('is told once by many processes that look at once', async () => {
    await failed();
    await Promise.all(Array.from({ length: 5 }, () => desk().evaluate(never)));
    expect(await looked()).toHaveLength(1);
  });
});

it('nothing is looked at or stored while nobody is to be told', async () => {
  await failed();
  await desk([]).evaluate(never);
  expect(await store.alerts.state({ kind: 'sync', name: 'people' })).toBeUndefined();
  await expect(desk([]).test(undefined, never)).rejects.toMatchObject({ code: 'USAGE' });
});

describe('a cause that two syncs share', () => {
  const source = { topic: 'source', subject: 'hr.example.com', status: 503 } as const;
  const platform = { topic: 'platform', subject: 'acme', status: 503 } as const;
  const two = ['people', 'other'].map((name) => ({ name, connection: 'acme', staleBefore: () => undefined }));
  const both = (channels?: readonly ChannelSettings[]): Alerts => desk(channels, { syncs: two });
  const failedOf = (cause: typeof source | typeof platform, sync = 'people') =>
    runEnded({ outcome: 'failed', reason: 'it answered 503', end: { reasons: [], cause } }, undefined, sync);
  const readOf = (sync = 'people', patch: RunPatch = {}) => {
    const read = { kind: 'full', at: clock.now(), fingerprint: 'x' } as const;
    const plan = { ...noPlan, platformUsers: 10 };
    return runEnded({ outcome: 'nothing-to-do', isSuccess: true, read, plan, ...patch }, undefined, sync);
  };

  it('is over although it came back within the hour', async () => {
    const alerts = both();
    for (let i = 0; i < 2; i += 1) {
      await failedOf(source);
      await alerts.evaluate(never);
      await readOf();
      await alerts.evaluate(never);
    }
    await clock.advance(2 * hourMs);
    await alerts.evaluate(never);
    await clock.advance(2 * hourMs);
    await alerts.evaluate(never);
    expect((await alerts.report(9)).standing).toEqual([]);
  });

  it('ends in the channel of a sync that read again first', async () => {
    const channels = two.map(({ name }) => hook({ name, url: reveal(`${receiver.url}/${name}`), syncs: [name] }));
    const alerts = both(channels);
    for (const { name } of two) await failedOf(source, name);
    await alerts.evaluate(never);
    for (const { name } of two) {
      await readOf(name);
      await alerts.evaluate(never);
    }
    const told = receiver.received.map((one) => `${one.path} ${one.json<{ kind: string }>().kind}`);
    expect(told.toSorted()).toEqual(['/other problem', '/other recovery', '/people problem', '/people recovery']);
  });

  it('ends at a connection that its syncs have left', async () => {
    await failedOf(platform);
    await both().evaluate(never);
    const moved = two.map((sync) => ({ ...sync, connection: 'new' }));
    await desk(undefined, { syncs: moved }).evaluate(never);
    expect((await store.alerts.states()).flatMap(({ problems }) => Object.keys(problems))).toEqual([]);
  });

  it('is not over by a run that was canceled while the platform was away', async () => {
    const alerts = both();
    await failedOf(platform);
    await alerts.evaluate(never);
    await readOf('other', { outcome: 'cancelled', isSuccess: false });
    await alerts.evaluate(never);
    expect((await alerts.report(9)).standing).toMatchObject([{ topic: 'platform' }]);
  });
});
