import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packRoster } from '../../../src/core/plan/roster.ts';
import { openStanding, type PairDecision } from '../../../src/core/plan/standing.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import type { OwnedRun, Store } from '../../../src/ports/store.ts';
import { recallClaims, recallConflicts } from '../../../src/run/compare/compare-people.ts';
import type { EngineIo, Sync } from '../../../src/run/engine-io.ts';
import type { Reading } from '../../../src/run/read/choose-read.ts';
import { mark } from '../../../src/run/read/marks.ts';
import type { PeopleIndex } from '../../../src/run/read/people-index.ts';
import { openStore } from '../../../src/store/index.ts';
import { endRun, openRun } from '../../contracts/store-samples.ts';
import { person } from '../../core/cases.ts';
import { openIndex } from '../open-index.ts';

const full = { kind: 'full' } as Reading;
const delta = { kind: 'delta', from: { fullRun: 'run_1' } } as Reading;
const point: Reading = { kind: 'point', identifications: [], readsAll: false };

type People = Readonly<Record<string, { readonly email?: string; readonly marks?: number; readonly isAbsent?: true }>>;

/** An index of these people, who are in the source and claim their e-mail. */
function indexOf(people: People): PeopleIndex {
  const index = openIndex(undefined, 'salt');
  for (const [identification, { email = '', marks = mark.inSource, isAbsent }] of Object.entries(people)) {
    const slot = index.add(identification);
    if (isAbsent) index.name(slot, identification);
    else index.fill(slot, person({ identification, fields: { email } }));
    if (email !== '') index.addEmail(email, slot);
    index.set(slot, marks);
  }
  return index;
}

async function openMemory(): Promise<Store> {
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  onTestFinished(() => store.close());
  return store;
}

/** What recalling for this reading finds, and who is in conflict after it. */
async function recalled(
  recall: typeof recallClaims,
  store: Store,
  {
    reading,
    index,
    decisions = [],
  }: { readonly reading: Reading; readonly index: PeopleIndex; readonly decisions?: readonly PairDecision[] },
) {
  const findings: Finding[] = [];
  const sync = { settings: { name: 'people' }, fingerprint: 'f1' } as Sync;
  const standing = openStanding(decisions);
  await recall({ sync, reading, index, standing, find: (one) => void findings.push(one) }, { store } as EngineIo);
  const slots = Array.from({ length: index.size }, (_, slot) => slot);
  return { findings, conflicts: slots.filter((slot) => index.has(slot, mark.conflict)) };
}

describe('conflicts of full reads', () => {
  /** Two full reads. Each found a conflict of one person. */
  async function twoReads(): Promise<Store> {
    const store = await openMemory();
    for (const [i, name] of ['old', 'new'].entries()) {
      const owned = await openRun(store, { id: `run_${i + 1}` });
      await store.runs.addFindings(owned, [
        { code: 'held', message: 'too many' },
        { code: 'duplicate-key', message: 'of no person' },
        { code: 'row-rejected', identification: name, message: 'no' },
        { code: 'duplicate-key', identification: name, message: `${name} is twice` },
        { code: 'email-conflict', identification: name, message: `${name} shares` },
        { code: 'duplicate-key', identification: 'other', message: 'not in this read' },
      ]);
      await store.reads.put(owned, {
        sync: 'people',
        run: owned.run.id,
        at: i,
        rows: 1,
        stamp: '',
        fillRates: {},
        visibility: {},
        blocked: {},
        isAccepted: true,
      });
      await endRun(store, owned);
    }
    return store;
  }
  const both: People = { old: {}, new: {} };
  const found = (identification: string) => {
    return [
      { code: 'duplicate-key', identification, message: `found by the last full read: ${identification} is twice` },
    ];
  };

  it('of the read that the delta depends on are recalled once for each person', async () => {
    const job = { reading: delta, index: indexOf(both) };
    expect(await recalled(recallConflicts, await twoReads(), job)).toEqual({ findings: found('old'), conflicts: [0] });
  });

  it.each<{ name: string; marks: number; isRecalled: boolean }>([
    { name: 'left', marks: mark.inSource | mark.leaver, isRecalled: true },
    { name: 'is out of scope', marks: mark.inSource | mark.active | mark.outOfScope, isRecalled: true },
    { name: 'is active', marks: mark.inSource | mark.active, isRecalled: false },
  ])('are recalled by a lookup for a person who $name: $isRecalled', async ({ marks, isRecalled }) => {
    const job = { reading: point, index: indexOf({ old: { marks }, new: { marks } }) };
    const shown = isRecalled ? { findings: found('new'), conflicts: [1] } : { findings: [], conflicts: [] };
    expect(await recalled(recallConflicts, await twoReads(), job)).toEqual(shown);
  });

  it.each(['conversion', 'rename-conflict', 'left-as-decided', 'case-conflict'] as const)(
    'of two people are not recalled once a person decided about them, unless it is no pair: %s',
    async (code) => {
      const store = await openMemory();
      const owned = await openRun(store, { id: 'run_1' });
      await store.runs.addFindings(owned, [{ code, identification: 'old', message: 'they look alike' }]);
      await endRun(store, owned);
      const decisions: PairDecision[] = [{ way: 'apart', identification: 'n1', other: 'old', by: 'ana' }];
      const isPair = code !== 'case-conflict';
      for (const decided of [[], decisions]) {
        const job = { reading: delta, index: indexOf(both), decisions: decided };
        const { findings } = await recalled(recallConflicts, store, job);
        const why = code === 'left-as-decided' ? 'the time has passed, and a full read decides' : 'they look alike';
        const message = `found by the last full read: ${why}`;
        expect(findings).toEqual(isPair && decided.length > 0 ? [] : [{ code, identification: 'old', message }]);
      }
    },
  );

  it('are not recalled by a full read, nor for a person with a known conflict, nor without a full read', async () => {
    const store = await twoReads();
    const leaver = mark.inSource | mark.leaver;
    const known = indexOf({ old: { marks: mark.conflict }, new: { marks: mark.conflict } });
    expect((await recalled(recallConflicts, store, { reading: full, index: indexOf(both) })).conflicts).toEqual([]);
    expect((await recalled(recallConflicts, store, { reading: delta, index: known })).findings).toEqual([]);
    const job = { reading: point, index: indexOf({ old: { marks: leaver } }) };
    expect((await recalled(recallConflicts, await openMemory(), job)).findings).toEqual([]);
  });
});

describe('claims of the last full read', () => {
  /** A store whose roster has these people. */
  async function knowing(people: People, fingerprint = 'f1'): Promise<Store> {
    const store = await openMemory();
    const owned: OwnedRun = await openRun(store, { id: 'run_1' });
    const index = indexOf(people);
    const [names, emails] = [
      packRoster('people', index.rosterEntries('people')),
      packRoster('emails', index.rosterEntries('emails')),
    ];
    const pages = { people: names.length, emails: emails.length };
    const header = { sync: 'people', run: 'run_1', at: 1, fingerprint, salt: 'salt', rows: 1, pages };
    await store.rosters.put(owned, header, [...names, ...emails]);
    return store;
  }
  const before: People = { E1: { email: 'a@x.com' }, E2: { email: 'b@x.com' }, E3: {} };
  const emailConflict = (identification: string): Finding => ({
    code: 'email-conflict',
    identification,
    message: `in the last full read, another employee had the e-mail of ${identification}: neither is changed`,
  });
  const caseConflict = (identification: string): Finding => ({
    code: 'case-conflict',
    identification,
    message: `the last full read had an identification that looks like ${identification} (other case or characters): nothing is changed`,
  });

  it.each<{ name: string; now: People; findings: readonly Finding[]; conflicts?: readonly number[] }>([
    { name: 'the e-mail of another', now: { E3: { email: 'A@x.com' } }, findings: [emailConflict('E3')] },
    { name: 'the e-mail of before', now: { E1: { email: 'a@x.com' }, E3: {} }, findings: [] },
    { name: 'a new e-mail', now: { E1: { email: 'new@x.com' } }, findings: [] },
    {
      name: 'the e-mail of another who is in this read too',
      now: { E3: { email: 'a@x.com' }, E1: { email: 'new@x.com' } },
      findings: [],
    },
    { name: 'an identification in other case', now: { e3: {}, E4: {} }, findings: [caseConflict('e3')] },
    {
      name: 'both, of which the e-mail is reported',
      now: { E4: {}, e3: { email: 'a@x.com' } },
      findings: [emailConflict('e3')],
      conflicts: [1],
    },
    {
      name: 'a conflict that is known',
      now: {
        E3: { email: 'a@x.com', marks: mark.inSource | mark.conflict },
        e2: { marks: mark.inSource | mark.conflict },
      },
      findings: [],
      conflicts: [0, 1],
    },
    {
      name: 'no record of the source',
      now: { e3: { marks: 0 }, E4: { email: 'a@x.com', marks: 0 }, e1: { isAbsent: true, marks: 0 } },
      findings: [],
    },
    {
      name: 'an unusable record',
      now: { E4: { isAbsent: true }, e3: { isAbsent: true } },
      findings: [caseConflict('e3')],
      conflicts: [1],
    },
  ])('of a person with $name', async ({ now, findings, conflicts = findings.map(() => 0) }) => {
    for (const reading of [delta, point]) {
      const job = { reading, index: indexOf(now) };
      expect(await recalled(recallClaims, await knowing(before), job)).toEqual({ findings, conflicts });
    }
  });

  it('count for the person to whom this read gives the e-mail only', async () => {
    const index = indexOf({ E1: { email: 'b@x.com' }, E3: {} });
    index.fill(1, person({ identification: 'E3', fields: { email: 'b@x.com' } }));
    const shown = { findings: [emailConflict('E1')], conflicts: [0] };
    expect(await recalled(recallClaims, await knowing(before), { reading: delta, index })).toEqual(shown);
  });

  it.each<{ name: string; reading: Reading; people?: People; fingerprint?: string }>([
    { name: 'by a full read', reading: full },
    { name: 'by a lookup that reads all records', reading: { ...point, readsAll: true } },
    { name: 'from a read with other settings', reading: delta, fingerprint: 'f2' },
  ])('are not recalled $name', async ({ reading, fingerprint }) => {
    const job = { reading, index: indexOf({ E3: { email: 'a@x.com' } }) };
    expect((await recalled(recallClaims, await knowing(before, fingerprint), job)).conflicts).toEqual([]);
  });

  it('are not recalled before the first full read', async () => {
    const job = { reading: delta, index: indexOf({ E3: { email: 'a@x.com' } }) };
    expect((await recalled(recallClaims, await openMemory(), job)).conflicts).toEqual([]);
  });
});
