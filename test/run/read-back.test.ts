import { describe, expect, it } from 'vitest';
import type { User } from '../../src/core/person/fields.ts';
import type { Change } from '../../src/core/plan/change.ts';
import type { Verdict } from '../../src/core/plan/judge.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { Lookup } from '../../src/ports/platform.ts';
import type { Lookups } from '../../src/run/read-back/lookups.ts';
import {
  entryAfter,
  findingsOf,
  markOf,
  type ReadBack,
  readBack,
  undoneIn,
} from '../../src/run/read-back/read-back.ts';
import { endRun, openRun, sampleChange, sampleEntry } from '../contracts/store-samples.ts';
import { openScene } from './run-in-store.ts';

const now = 1_000_000;
const change = sampleChange('ana');
const read = (verdict: Verdict, over: Partial<ReadBack> = {}): ReadBack => {
  return { change, verdict, known: undefined, accountId: '9ana', ...over };
};
const applied: Verdict = { kind: 'applied', quirks: {} };
const altered: Verdict = { kind: 'applied', quirks: { area: { sent: 'After', observed: 'after' } } };
const unverified: Verdict = { kind: 'unverified' };
const ignored: Verdict = { kind: 'ignored', fields: ['area', 'job'], quirks: {} };
const ignoredAndOverwritten: Verdict = { ...ignored, overwritten: ['firstName'] };
const overwritten: Verdict = { kind: 'ignored', fields: [], overwritten: ['firstName', 'area'], quirks: {} };
const notSeen: Verdict = { kind: 'not-seen', what: 'the user is still enabled' };
const replaced: Verdict = { ...notSeen, overwritten: ['area'] };

it.each<[what: string, verdict: Verdict, mark: object | undefined, findings: readonly string[]]>([
  ['was applied', applied, { state: 'applied' }, []],
  ['shows nothing', unverified, { state: 'unverified', reason: expect.stringMatching(/^write-only fields: /) }, []],
  ['is not seen', notSeen, undefined, []],
  ['is not seen, because others changed it', replaced, undefined, ['changed-elsewhere: area was changed by']],
  ['was stored differently', altered, { state: 'applied' }, ['kept-differently: the platform stores area differently']],
  [
    'was ignored',
    ignored,
    { state: 'failed', reason: 'the platform ignored area, job' },
    ['ignored-field: the platform accepted the change but ignored area, job. Check'],
  ],
  [
    'was changed by another person or system',
    overwritten,
    { state: 'failed', reason: 'firstName, area was changed by another person or system; the next run plans again' },
    ['changed-elsewhere: firstName, area was changed by'],
  ],
  [
    'was ignored in part and changed in part',
    ignoredAndOverwritten,
    {
      state: 'failed',
      reason:
        'the platform ignored area, job; firstName was changed by another person or system; the next run plans again',
    },
    ['ignored-field: the platform accepted', 'changed-elsewhere: firstName was changed by'],
  ],
])('a change that %s is stored and reported so', (...[, verdict, mark, findings]) => {
  const back = read(verdict);
  const appliedAt = verdict.kind === 'unverified' ? {} : { appliedAt: now };
  if (mark !== undefined)
    expect(markOf(back, now)).toStrictEqual({ identification: 'ana', part: 'account', ...appliedAt, ...mark });
  const found = findingsOf(back);
  expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual(
    findings.map((text) => expect.stringContaining(text)),
  );
  expect(found.every(({ identification }) => identification === 'ana')).toBe(true);
});

it('an undo that took effect keeps later runs from doing the same again, without the fields that were not taken', () => {
  const fields = { isWhole: false, digests: { area: 'd1', job: 'd2', firstName: 'd3', project: 'd4' } };
  const undo = sampleChange('ana', 'update', { notAgain: { rule: 'active-update', by: 'ops', why: 'undid', fields } });
  const kept = (verdict: Verdict) =>
    undoneIn([read(verdict), read(verdict, { change: undo })], now).map((one) => [
      one.at,
      Object.keys(one.fields.digests),
    ]);
  expect(kept(notSeen)).toEqual([]);
  expect(kept(applied)).toEqual([[now, ['area', 'job', 'firstName', 'project']]]);
  expect(kept(ignored)).toEqual([[now, ['firstName', 'project']]]);
  expect(kept(ignoredAndOverwritten)).toEqual([[now, ['project']]]);
});

describe('the ledger entry after a change', () => {
  const syncWith = async (remove: 'never' | { readonly afterMs: number; readonly blacklist: boolean }) =>
    (await openScene({ changes: [], settings: { remove } })).sync;
  const removal = read(applied, { change: sampleChange('ana', 'remove'), accountId: undefined });

  it('is absent while the change is not seen', async () => {
    const sync = await syncWith('never');
    expect(entryAfter(read(notSeen), sync, now)).toBeUndefined();
    expect(entryAfter(read(applied), sync, now)).toMatchObject({ owner: 'people', accountId: '9ana', writtenAt: now });
  });

  it.each([
    { remove: 'never', blacklist: false },
    { remove: { afterMs: 0, blacklist: false }, blacklist: false },
    { remove: { afterMs: 0, blacklist: true }, blacklist: true },
  ] as const)('of a remove keeps that the user was blocked: $blacklist', async ({ remove, blacklist }) => {
    expect(entryAfter(removal, await syncWith(remove), now)).toMatchObject({ removed: { at: now, blacklist } });
  });
});

describe('what is read back', () => {
  const shown = (over: Partial<User> = {}): Lookup => ({
    found: true,
    user: {
      id: '9ana',
      identification: 'ana',
      enabled: true,
      unreadable: [],
      ...over,
      fields: { area: 'After', firstName: 'Ana' },
    },
  });

  /** Reads changes back from a platform that shows `lookup` for each person, with this entry in the ledger. */
  async function back(changes: readonly Change[], lookup: Lookup | undefined, entry?: LedgerEntry) {
    const { store, sync, io } = await openScene({ changes: [], run: 'run_9' });
    const owned = await openRun(store, { id: 'run_0', sync: 'before' });
    if (entry !== undefined) await store.ledger.put(owned, [entry]);
    await endRun(store, owned);
    const answers = new Map(lookup === undefined ? [] : changes.map((one) => [one.identification, lookup]));
    const lookups = { of: async () => answers } as Partial<Lookups> as Lookups;
    const other = { ...sync, settings: { ...sync.settings, name: 'leavers' } };
    return readBack(changes, { lookups, sync }, { ...io, syncs: new Map([...io.syncs, ['leavers', other]]) });
  }

  it.each<[what: string, lookup: Lookup | undefined, verdict: string, accountId: string | undefined]>([
    ['that the platform shows', shown(), 'applied', '9ana'],
    ['that the platform does not have', { found: false }, 'not-seen', undefined],
    ['that were not looked up', undefined, 'not-seen', undefined],
  ])('users %s', async (_, lookup, kind, accountId) => {
    const [one] = await back([change], lookup);
    expect([one?.verdict.kind, one?.accountId, one?.isUnclear]).toEqual([kind, accountId, undefined]);
  });

  it('is not a created user whom the platform does not have', async () => {
    const [one] = await back([sampleChange('ana', 'create')], { found: false }, sampleEntry('ana'));
    expect([one?.verdict.kind, one?.known?.identification]).toEqual(['not-seen', 'ana']);
  });

  it('proves nothing where read and search disagree', async () => {
    const entry = sampleEntry('ana', { owner: 'gone', accountId: '9ana' });
    const [one] = await back([change], { found: 'unclear' } as Lookup, entry);
    expect(one).toEqual({
      change,
      known: expect.objectContaining({ owner: 'gone' }),
      accountId: undefined,
      verdict: { kind: 'not-seen', what: 'read and search disagree about the user' },
      isUnclear: true,
    });
  });

  it.each<[what: string, entry: Partial<LedgerEntry>, lookup: Lookup, known: object | undefined]>([
    ['of this sync', {}, shown(), { owner: 'people' }],
    ['of a sync that is not configured any more', { owner: 'gone' }, shown(), { owner: 'people', taken: {} }],
    ['of another sync of the connection', { owner: 'leavers' }, shown(), { owner: 'leavers' }],
    ['of another account than the one shown', {}, shown({ id: '8ana' }), undefined],
    ['of another account than the one before', { accountId: '8ana' }, { found: false }, undefined],
    ['of the account before', {}, { found: false }, { owner: 'people' }],
  ])('has the entry %s', async (_, entry, lookup, known) => {
    const [one] = await back([change], lookup, sampleEntry('ana', { accountId: '9ana', ...entry }));
    if (known === undefined) expect(one?.known).toBeUndefined();
    else expect(one?.known).toMatchObject(known);
    if (entry.owner !== 'gone') expect(one?.known ?? {}).not.toHaveProperty('taken');
  });

  it('is every change, in order, also of more than are judged at once', async () => {
    const changes = Array.from({ length: 501 }, (_, i) => sampleChange(`p${i}`));
    const backs = await back(changes, shown());
    expect(backs.map((one) => one.change.identification)).toEqual(changes.map((one) => one.identification));
  });
});
