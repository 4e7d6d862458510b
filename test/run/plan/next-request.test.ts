import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import { chooseRead, pointRequest, type Reading, readFact, sourceRequest } from '../../../src/run/read/choose-read.ts';
import { openStore } from '../../../src/store/index.ts';
import { endRun, openRun } from '../../contracts/store-samples.ts';
import { fixedClock, someInstant as now } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';
import { plainSettings } from '../plain-settings.ts';
import { all, only } from '../plan-scene.ts';

const hour = 3_600_000;
const deltas = { fullEveryMs: 24 * hour, overlapMs: 60_000 };
const watermark = { at: now - hour, fullAt: now - hour, fullRun: 'run_0', fingerprint: 'f1' };
const delta: Reading = { kind: 'delta', since: now - hour - 60_000, from: watermark };
const syncWith = (settings: object) =>
  ({
    settings: { ...plainSettings, ...settings },
    source: { capabilities: { delta: true } },
    mapping: { identificationField: 'id' },
    fingerprint: 'f1',
  }) as unknown as Sync;

/** A store with a watermark and, where there is a fingerprint, a roster of it. */
async function choose(settings: object, scope = all, fingerprint: string | undefined = undefined) {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  onTestFinished(() => store.close());
  const owned = await openRun(store, { id: 'run_0' });
  if (fingerprint !== undefined) {
    const header = { sync: 'people', run: 'run_0', at: now, fingerprint, salt: 's', rows: 1 };
    await store.rosters.put(owned, { ...header, pages: { people: 0, emails: 0 } }, []);
  }
  await endRun(store, owned);
  Object.assign(store.reads, { watermark: async () => watermark });
  const log = memoryLogger();
  const reading = await chooseRead(syncWith(settings), scope, {
    store,
    clock: fixedClock(now),
    logger: log,
  } as unknown as EngineIo);
  return { reading, lines: log.lines.map(({ fields, message }) => ({ ...fields, message })) };
}

describe('the read of a run about all', () => {
  const said = { sync: 'people', message: 'reading the source' };
  const reason = 'a full read was requested';

  it('is full where deltas are not configured, and nothing is logged', async () => {
    expect(await choose({})).toEqual({ reading: { kind: 'full' }, lines: [] });
  });

  it('is a delta from the last clean read on', async () => {
    expect(await choose({ deltas })).toEqual({ reading: delta, lines: [{ ...said, read: 'delta' }] });
  });

  it('is full with a reason where that is requested', async () => {
    expect(await choose({ deltas }, { kind: 'all', isFull: true })).toEqual({
      reading: { kind: 'full', reason },
      lines: [{ ...said, read: 'full', reason }],
    });
  });
});

describe('the read of a run about named people', () => {
  it.each([
    { match: ['email'], fingerprint: undefined, readsAll: true },
    { match: ['email'], fingerprint: 'f0', readsAll: true },
    { match: ['email'], fingerprint: 'f1', readsAll: false },
    { match: ['identification'], fingerprint: undefined, readsAll: false },
    { match: ['identification'], fingerprint: 'f0', readsAll: false },
  ])(
    'with match $match and a roster of $fingerprint reads all: $readsAll',
    async ({ match, fingerprint, readsAll }) => {
      const { reading, lines } = await choose({ match, deltas }, only('a1'), fingerprint);
      expect(reading).toEqual({ kind: 'point', identifications: ['a1'], readsAll });
      expect(lines).toEqual([]);
    },
  );
});

it.each<{ name: string; reading: Reading; fact: object }>([
  { name: 'a full read', reading: { kind: 'full' }, fact: { kind: 'full' } },
  {
    name: 'a full read with its reason',
    reading: { kind: 'full', reason: 'due' },
    fact: { kind: 'full', reason: 'due' },
  },
  { name: 'a delta with its beginning', reading: delta, fact: { kind: 'delta', since: now - hour - 60_000 } },
  {
    name: 'a read of named people',
    reading: { kind: 'point', identifications: [], readsAll: true },
    fact: { kind: 'point' },
  },
])('a run remembers $name', ({ reading, fact }) => {
  expect(readFact(reading, now, syncWith({}))).toStrictEqual({ ...fact, at: now, fingerprint: 'f1' });
});

describe('the source is asked', () => {
  const identifications = ['a1', 'b2'];
  const asked = { kind: 'point', identifications, field: 'id' };

  it.each<{ name: string; reading: Reading; request: object }>([
    { name: 'for all', reading: { kind: 'full', reason: 'due' }, request: { kind: 'full' } },
    { name: 'for what changed', reading: delta, request: { kind: 'delta', since: '2026-11-21T10:59:00.000Z' } },
    { name: 'for the named people', reading: { kind: 'point', identifications, readsAll: false }, request: asked },
    {
      name: 'for all, of whom some are named',
      reading: { kind: 'point', identifications, readsAll: true },
      request: { kind: 'full' },
    },
  ])('$name', ({ reading, request }) => {
    expect(sourceRequest(reading, syncWith({}))).toEqual(request);
  });

  it('for all where no field holds the identification unchanged', () => {
    const bare = { ...syncWith({}), mapping: { identificationField: undefined } } as unknown as Sync;
    expect(pointRequest(identifications, bare)).toEqual({ kind: 'full' });
    expect(pointRequest(identifications, syncWith({}))).toEqual(asked);
  });
});
