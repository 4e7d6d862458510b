import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { packRoster, type RosterStanding, saltedHash, standingCode } from '../../src/core/plan/roster.ts';
import type { SyncSettings } from '../../src/core/run/settings.ts';
import {
  handOversExpected,
  isConfiguredOn,
  type NeighborQuestion,
  openNeighbors,
} from '../../src/run/compare/neighbors.ts';
import type { Sync } from '../../src/run/engine-io.ts';
import { endRun, openRun, sampleChange, sampleEntry } from '../contracts/store-samples.ts';
import { hour, openScene, type Scene } from './run-in-store.ts';

interface Other {
  readonly name?: string;
  readonly over?: Partial<SyncSettings>;
  /** Whom the last accepted full read shows, and how; the sync has no roster when absent. */
  readonly shows?: Readonly<Record<string, RosterStanding>>;
  readonly ageMs?: number;
  /** When accepted full reads were stored, in ms before now. */
  readonly readsAgo?: readonly number[];
}

/** A sync named people beside others of the same connection. Counts what is opened of them. */
async function openSyncs(others: readonly Other[], settings: Partial<SyncSettings> = {}) {
  const scene = await openScene({ changes: [], settings });
  const { store, sync, io, clock } = scene;
  const syncs = io.syncs as Map<string, Sync>;
  for (const { name = 'guests', over = {}, shows, ageMs = hour, readsAgo = [] } of others) {
    syncs.set(name, { ...sync, settings: { ...sync.settings, name, ...over } });
    if (shows !== undefined) await putRoster(scene, { name, shows, at: clock.now() - ageMs });
    for (const ago of readsAgo) {
      const at = clock.now() - ago;
      const owned = await openRun(store, { id: `run_${name}_${ago}`, sync: name, now: at });
      const facts = { rows: 1, stamp: '', fillRates: {}, visibility: {}, blocked: {}, isAccepted: true };
      await store.reads.put(owned, { sync: name, run: owned.run.id, at, ...facts });
      await endRun(store, owned, at);
    }
  }
  const opened: string[] = [];
  const { rosters, pauses } = store;
  const noting =
    <T, Rest extends unknown[]>(what: string, read: (name: string, ...rest: Rest) => T) =>
    (name: string, ...rest: Rest): T => {
      opened.push(`${what} of ${name}`);
      return read(name, ...rest);
    };
  Object.assign(rosters, { open: noting('roster', rosters.open) });
  Object.assign(pauses, { get: noting('pause', pauses.get) });
  return { scene, opened, neighbors: openNeighbors(sync, io) };
}

async function putRoster(
  { store, context }: Scene,
  { name, shows, at }: { readonly name: string; readonly shows: Readonly<Record<string, string>>; readonly at: number },
): Promise<void> {
  const hash = saltedHash('s');
  const entries = Object.entries(shows).flatMap(([person, standing]) => {
    const { hi, lo } = hash.of(person.toLowerCase());
    return [hi, lo, hash.of(person).hi, standingCode(standing as RosterStanding)];
  });
  const pages = packRoster('people', Int32Array.from(entries));
  const header = { sync: name, run: `run_${name}`, at, fingerprint: 'f1', salt: 's', rows: entries.length / 4 };
  await store.rosters.put((await context()).owned, { ...header, pages: { people: pages.length, emails: 1 } }, pages);
}

const ask = (name: string, says: NeighborQuestion['says'], over: Partial<LedgerEntry> = {}): NeighborQuestion => ({
  entry: sampleEntry(name, over),
  says,
  isLeftBehind: false,
});
const theirs = { owner: 'guests' };
const removed = { removed: { at: 1 } } as Partial<LedgerEntry>;
const active = { ana: 'active' } as const;

it('a sync is configured on its own connection alone', async () => {
  const { scene } = await openSyncs([{ over: { connection: 'globex' } }]);
  expect(isConfiguredOn('acme', 'people', scene.io)).toBe(true);
  expect(isConfiguredOn('acme', 'guests', scene.io)).toBe(false);
  expect(isConfiguredOn('acme', 'nobody', scene.io)).toBe(false);
});

describe('the owner of an account releases a person', () => {
  it('whom its last full read shows as missing or out of scope', async () => {
    const { scene, neighbors, opened } = await openSyncs([
      { shows: { ben: 'out-of-scope', eva: 'active' } },
      { name: 'robots', shows: {} },
    ]);
    const names = ['ana', 'ben', 'eva'];
    const readAt = scene.clock.now() - hour;
    const released = new Map([
      ['ana', { release: { from: 'guests', standing: 'missing', readAt } }],
      ['ben', { release: { from: 'guests', standing: 'out-of-scope', readAt } }],
    ]);
    expect(await neighbors.of(names.map((name) => ask(name, 'active', theirs)))).toEqual(released);
    expect(await neighbors.of([ask('ana', 'active', theirs)])).toEqual(new Map([...released].slice(0, 1)));
    expect(opened).toEqual(['roster of guests']);
  });

  it.each<{ name: string; question?: NeighborQuestion; other?: Other; settings?: Partial<SyncSettings> }>([
    { name: 'whom our source does not show as active', question: ask('ana', 'missing', theirs) },
    { name: 'whom we own', question: ask('ana', 'active') },
    { name: 'whose account is gone', question: ask('ana', 'active', { ...theirs, ...removed }) },
    { name: 'who belongs to a sync that is not configured', question: ask('ana', 'active', { owner: 'former' }) },
    { name: 'whom an outbox has', settings: { delivery: 'outbox' } },
    { name: 'of another connection', other: { shows: {}, over: { connection: 'globex' } } },
    { name: 'before the first full read of the owner', other: {} },
    { name: 'after a full read that is too old', other: { shows: {}, ageMs: 25 * hour } },
  ])('but none $name', async ({ question = ask('ana', 'active', theirs), other = { shows: {} }, settings }) => {
    const { neighbors } = await openSyncs([other], settings);
    expect(await neighbors.of([question])).toEqual(new Map());
  });
});

describe('another sync claims a person who is gone here', () => {
  it.each(['missing', 'out-of-scope'] as const)('(%s), with its last two full reads', async (says) => {
    const { scene, neighbors, opened } = await openSyncs([
      { shows: { ...active, ben: 'leaver' }, readsAgo: [3 * hour, 2 * hour, hour] },
      { name: 'robots', shows: {} },
      { name: 'interns' },
    ]);
    const now = scene.clock.now();
    const claim = { by: 'guests', readAt: now - hour, fullReads: [now - hour, now - 2 * hour] };
    const claims = new Map([['ana', { claim }]]);
    expect(await neighbors.of(['ana', 'ben', 'eva'].map((name) => ask(name, says)))).toEqual(claims);
    expect(await neighbors.of([ask('ana', says)])).toEqual(claims);
    expect(opened.toSorted()).toEqual([
      'pause of guests',
      'pause of interns',
      'pause of robots',
      'roster of guests',
      'roster of interns',
      'roster of robots',
    ]);
  });

  it.each<{ name: string; question?: NeighborQuestion; other?: Other }>([
    { name: 'who is active here', question: ask('ana', 'active') },
    { name: 'whose record cannot be used here', question: ask('ana', 'unusable') },
    { name: 'whom another sync owns', question: ask('ana', 'missing', { owner: 'former' }) },
    { name: 'whose account is gone', question: ask('ana', 'missing', removed) },
    { name: 'where it only creates users', other: { shows: active, over: { policy: 'create-only' } } },
    { name: 'where it sends direct calls', other: { shows: active, over: { delivery: 'direct' } } },
    { name: 'where it writes to an outbox', other: { shows: active, over: { delivery: 'outbox' } } },
    { name: 'of another connection', other: { shows: active, over: { connection: 'globex' } } },
  ])('but none $name', async ({ question = ask('ana', 'missing'), other = { shows: active } }) => {
    const { neighbors } = await openSyncs([other]);
    expect(await neighbors.of([question])).toEqual(new Map());
  });

  it('but none while it is paused', async () => {
    const { scene, neighbors } = await openSyncs([{ shows: active }]);
    await scene.store.pauses.add({ sync: 'guests', by: 'ops', pausedAt: 1 });
    expect(await neighbors.of([ask('ana', 'missing')])).toEqual(new Map());
  });

  it('but never the sync itself by its former full read', async () => {
    const { scene, neighbors } = await openSyncs([]);
    await putRoster(scene, { name: 'people', shows: active, at: scene.clock.now() });
    expect(await neighbors.of([ask('ana', 'missing')])).toEqual(new Map());
  });

  it('where two do: the first one in the configuration', async () => {
    const { neighbors } = await openSyncs([{ name: 'robots', shows: active }, { shows: active }]);
    expect((await neighbors.of([ask('ana', 'missing')])).get('ana')?.claim?.by).toBe('robots');
  });
});

describe('a change waits for a hand-over', () => {
  const change = (name: string, rule: string) => sampleChange(name, 'disable', { rule });
  const names = ['ana', 'ben', 'eva', 'leo', 'tom', 'zoe'];
  const guests: Other = {
    shows: Object.fromEntries(names.map((name) => [name, 'active' as const])),
    readsAgo: [2 * hour, hour],
  };

  it('where its rule says that the person is gone, and the other sync still may take the user over', async () => {
    const { scene } = await openSyncs([guests]);
    const now = scene.clock.now();
    const ledger = new Map(
      [
        sampleEntry('ana'),
        sampleEntry('ben', { handOverSince: now - 1.5 * hour }),
        sampleEntry('eva'),
        sampleEntry('leo', { handOverSince: now - 3 * hour }),
        sampleEntry('tom'),
      ].map((entry) => [entry.identification, entry]),
    );
    const changes = [
      change('ana', 'missing-disable'),
      change('ben', 'missing-remove'),
      change('eva', 'out-of-scope'),
      change('leo', 'missing-disable'),
      change('tom', 'leaver-enabled'),
      change('zoe', 'missing-disable'),
    ];
    expect(await handOversExpected(changes, ledger, await scene.context(), scene.io)).toEqual(
      new Map([
        ['ana', 'guests'],
        ['ben', 'guests'],
        ['eva', 'guests'],
      ]),
    );
  });

  it('but not where no change is of such a rule: no other sync is read', async () => {
    const { scene, opened } = await openSyncs([guests]);
    const ledger = new Map([['tom', sampleEntry('tom')]]);
    const expected = await handOversExpected(
      [change('tom', 'leaver-enabled')],
      ledger,
      await scene.context(),
      scene.io,
    );
    expect([expected, opened]).toEqual([new Map(), []]);
  });
});
