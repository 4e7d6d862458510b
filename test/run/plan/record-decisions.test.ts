import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdForMs } from '../../../src/core/guard/guard.ts';
import type { Person, RejectedPerson } from '../../../src/core/person/person.ts';
import type { SourceSays } from '../../../src/core/plan/plan.ts';
import { certifySnapshot, type ReadEnd, type ReadKind, type Snapshot } from '../../../src/core/plan/snapshot.ts';
import { openRecordFiling } from '../../../src/run/read/file-records.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { recordDecisions } from '../../../src/run/record/record-decisions.ts';
import { openStore } from '../../../src/store/index.ts';
import { approve, openRun, reject, sampleChange, writePlan } from '../../contracts/store-samples.ts';
import { person } from '../../core/cases.ts';
import { someInstant as now } from '../../support/fake-clock.ts';
import { openIndex } from '../open-index.ts';
import { plainSettings } from '../plain-settings.ts';

const one = (over: Partial<Person> = {}) => person({ identification: 'ana', ...over });
const left = { standing: 'leaver' } as const;
const future = { standing: 'future' } as const;
const guest = { isInScope: false } as const;
const undated = {
  troubles: [{ field: 'hireDate', column: 'hired', kind: 'not-a-date', reason: 'is not a date' }],
} as const;

type Read = 'complete' | 'incomplete' | 'without all names';

function snapshotOf(read: Read, kind: ReadKind = 'full'): Snapshot {
  const end: ReadEnd =
    read === 'incomplete'
      ? { complete: false, rows: 9, reasons: ['a page failed'] }
      : { complete: true, rows: 9, evidence: 'all', stamp: 's1' };
  return certifySnapshot({ kind, end, unreadable: read === 'complete' ? 0 : 1, readAt: now, runAt: now });
}

/** A run whose read shows these records, with a store in which operators have decided about earlier changes. */
async function running(records: readonly (Person | RejectedPerson)[]) {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  onTestFinished(() => store.close());
  const index = openIndex();
  const filing = openRecordFiling({ index, sync: { settings: plainSettings }, find: () => {}, blocked: undefined });
  for (const record of records) filing.file(record);
  filing.settle();
  const owned = await openRun(store, { id: 'run_1' });
  return {
    store,
    index,
    owned,
    async record({
      snapshot = snapshotOf('complete'),
      unresolved = [] as readonly string[],
      isDoubted = false,
      asked = new Map<number, SourceSays>(),
    } = {}) {
      const blocked = new Map(
        unresolved.map((name) => [name, { reason: 'not known', isOwn: true, run: 'run_0', until: undefined }]),
      );
      await recordDecisions(owned, { index, snapshot, asked, unresolved: blocked, isDoubted, now }, { store });
    },
    /** Returns the people whose decisions have ended just now. */
    async ended(names: readonly string[] = ['ana']) {
      const known = await store.decisions.ofMany('people', names);
      return names.filter((name) => known.get(name)?.some(({ endedAt }) => endedAt === now));
    },
  };
}

/** As `running`, with a plan without changes and a rejected disable of each of these people. */
async function rejected(records: readonly (Person | RejectedPerson)[], names: readonly string[] = ['ana']) {
  const run = await running(records);
  const changes = names.map((name) => sampleChange(name, 'disable'));
  await reject(run.store, changes, { at: now });
  await writePlan(run.store, { id: 'run_1', owned: run.owned }, []);
  return run;
}

const all: readonly Read[] = ['complete', 'without all names', 'incomplete'];

describe('the rejection of a disable that the plan does not propose', () => {
  it.each<{ name: string; records: readonly (Person | RejectedPerson)[]; by: readonly Read[] }>([
    { name: 'an active employee', records: [one()], by: all },
    { name: 'a future hire', records: [one(future)], by: all },
    { name: 'a leaver', records: [one(left)], by: ['complete', 'without all names'] },
    { name: 'an employee out of scope', records: [one(guest)], by: ['complete', 'without all names'] },
    {
      name: 'a future hire out of scope',
      records: [one({ ...future, ...guest })],
      by: ['complete', 'without all names'],
    },
    { name: 'a person without a record', records: [], by: ['complete'] },
    { name: 'a person with an unknown status', records: [one({ standing: 'unknown' })], by: [] },
    { name: 'a person with an unreadable hire date', records: [one(undated)], by: [] },
    {
      name: 'a person whose record is rejected',
      records: [{ kind: 'rejected', at: 'line 4', identification: 'ana', column: 'type', reason: 'no' }],
      by: [],
    },
    { name: 'a person with two records', records: [one(), one({ at: 'line 3', fields: {} })], by: [] },
    {
      name: 'a person whose record has the name in capital letters',
      records: [one({ identification: 'ANA' })],
      by: [],
    },
  ])('is ended for $name by reads that are $by', async ({ records, by }) => {
    const results: Read[] = [];
    for (const read of all) {
      const run = await rejected(records);
      await run.record({ snapshot: snapshotOf(read) });
      if ((await run.ended()).length > 0) results.push(read);
    }
    expect(results).toEqual(by);
  });

  it.each<{ read: Read; ended: readonly string[] }>([
    { read: 'complete', ended: ['ana'] },
    { read: 'without all names', ended: [] },
  ])('is ended for a person whom only the ledger knows by a $read read: $ended', async ({ read, ended }) => {
    const run = await rejected([one({ identification: 'eva' })]);
    run.index.name(run.index.add('ana'), 'ana');
    await run.record({ snapshot: snapshotOf(read) });
    expect(await run.ended()).toEqual(ended);
  });

  it.each(['delta', 'point'] as const)('is ended in a %s read for the people that it shows', async (kind) => {
    const run = await rejected([one()], ['ana', 'eva']);
    await run.record({ snapshot: snapshotOf('complete', kind) });
    expect(await run.ended(['ana', 'eva'])).toEqual(['ana']);
  });

  it('goes on while the outcome of an earlier change of the person is not known', async () => {
    const names = ['ana', 'eva'];
    const run = await rejected(
      names.map((identification) => one({ identification, fields: {} })),
      names,
    );
    await run.record({ unresolved: ['ana'] });
    expect(await run.ended(names)).toEqual(['eva']);
  });

  it('goes on while a guard doubts the read', async () => {
    const run = await rejected([one()]);
    await run.record({ isDoubted: true });
    expect(await run.ended()).toEqual([]);
    await run.record();
    expect(await run.ended()).toEqual(['ana']);
  });

  it('is ended for more people than one statement reads', async () => {
    const crowd = Array.from({ length: 501 }, (_, i) => `p${1000 + i}`);
    const run = await rejected([], crowd);
    await run.record();
    expect(await run.ended(crowd)).toHaveLength(501);
  });

  it('is ended for one who comes after many whom the read does not decide', async () => {
    const crowd = Array.from({ length: 1001 }, (_, i) => `p${1000 + i}`);
    const run = await rejected([one({ identification: 'p2000' })], crowd);
    await run.record({ snapshot: snapshotOf('incomplete') });
    expect(await run.ended(crowd)).toEqual(['p2000']);
  });
});

it.each<[what: string, said: SourceSays, isEnded: boolean]>([
  ['was confirmed to be gone', { says: 'missing' } as SourceSays, true],
  ['could not be asked for', { says: 'unconfirmed' } as SourceSays, false],
  ['is seen, and nothing is said', { says: 'nothing', isSeen: true } as SourceSays, true],
  ['is not seen, and nothing is said', { says: 'nothing' } as SourceSays, false],
])('a decision about a person without a record who %s ends: %s', async (_, said, isEnded) => {
  const run = await rejected([]);
  const slot = run.index.add('ana');
  run.index.name(slot, 'ana');
  await run.record({ asked: new Map([[slot, said]]) });
  expect(await run.ended()).toEqual(isEnded ? ['ana'] : []);
});

it('a rejection goes on where something else prevents the change', async () => {
  const run = await rejected([one()]);
  run.index.set(run.index.find('ana').slot, mark.prevented);
  await run.record();
  expect(await run.ended()).toEqual([]);
});

describe('a person who is read only for what others claim', () => {
  it.each<{ name: string; record: Person }>([
    { name: 'an active employee', record: one() },
    { name: 'a leaver', record: one(left) },
  ])('keeps the rejection as $name', async ({ record }) => {
    const run = await rejected([record]);
    run.index.set(run.index.find('ana').slot, mark.bystander);
    await run.record();
    expect(await run.ended()).toEqual([]);
  });
});

describe('a plan that proposes disables', () => {
  const change = sampleChange('ana', 'disable');

  it.each([{ isDoubted: false }, { isDoubted: true }])(
    'opens a decision for the held ones that operators can make for 24 hours, where the read is doubted: $isDoubted',
    async ({ isDoubted }) => {
      const run = await running([one(left)]);
      await writePlan(run.store, { id: 'run_1', owned: run.owned }, [change, sampleChange('eva')]);
      await run.store.plans.hold(run.owned, 'run_1', ['disables'], 'too many');
      await run.record({ isDoubted });
      const known = await run.store.decisions.ofMany('people', ['ana', 'eva']);
      expect([...known.values()].flat()).toEqual([
        expect.objectContaining({
          identification: 'ana',
          state: 'open',
          at: now,
          expiresAt: now + holdForMs,
          endedAt: undefined,
        }),
      ]);
    },
  );

  it('keeps the rejection of one of them', async () => {
    const run = await running([one(left)]);
    await reject(run.store, [change], { at: now });
    await writePlan(run.store, { id: 'run_1', owned: run.owned }, [change]);
    await run.record();
    expect(await run.ended()).toEqual([]);
  });

  it('uses up an approval of other values for a person whom the read decides', async () => {
    const names = ['ana', 'eva'];
    const run = await running([one(), one({ identification: 'eva', standing: 'unknown' })]);
    const other = { after: { area: 'Else' } };
    await approve(
      run.store,
      names.map((name) => sampleChange(name)),
    );
    await writePlan(
      run.store,
      { id: 'run_1', owned: run.owned },
      names.map((name) => sampleChange(name, 'update', other)),
    );
    await run.record();
    const known = await run.store.decisions.ofMany('people', names);
    expect(names.map((name) => known.get(name)?.[0]?.run)).toEqual(['run_1', undefined]);
  });
});
