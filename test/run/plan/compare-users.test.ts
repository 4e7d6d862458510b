import { describe, expect, it, onTestFinished } from 'vitest';
import type { User } from '../../../src/core/person/user.ts';
import type { Finding } from '../../../src/core/run/finding.ts';
import { type CompareJob, comparePlatform } from '../../../src/run/compare/compare-platform.ts';
import { readKept } from '../../../src/run/compare/kept-users.ts';
import { openWork } from '../../../src/run/make-plan.ts';
import { named } from '../../../src/run/read/choose-read.ts';
import { mark } from '../../../src/run/read/people-index.ts';
import { readPeople } from '../../../src/run/read/read-people.ts';
import { showPlan } from '../../../src/run/recorder.ts';
import { plainSettings } from '../plan-in-memory.ts';
import { account, all, openPlanScene, type PlanSceneOptions, row } from '../plan-scene.ts';

/** The employees in an index, to be compared with the users of the platform. */
async function openIndex(options: PlanSceneOptions) {
  const scene = await openPlanScene(options);
  const { sync, io, stopping } = scene;
  const { signal } = stopping;
  const spool = io.openSpool();
  onTestFinished(() => spool.close());
  const work = await openWork({ sync, scope: all, signal }, showPlan('plan_1', sync, io), spool, io);
  await readPeople(work, io);
  const { index } = work;
  const findings: Finding[] = [];
  const find = (finding: Finding): void => void findings.push(finding);
  const slotOf = (name: string): number => index.find(name).slot;
  const job = { sync, only: undefined, isFocused: false, index, spool, signal, find, onOther: () => {} };
  return {
    scene,
    index,
    findings,
    slotOf,
    compare: (over: Partial<CompareJob> = {}) => comparePlatform({ ...job, ...over }, io),
    kept: (place: number | undefined) => readKept(spool, place ?? -1),
  };
}

const hidden = { job: 'Clerk' };
/** Without the write-only field that an empty cell clears. */
const { seniority: _, ...fields } = plainSettings.mapping.fields;
const mapping = { ...plainSettings.mapping, fields };
const off: Partial<User> = { enabled: false };
const cyrillic = '\u0430nna';

describe('a scan of the platform', () => {
  const users = ['a1', 'x1', 'x2'].map((name) => account(name));

  it.each([
    { pageSize: undefined, shown: 500 },
    { pageSize: 2, shown: 2 },
    { pageSize: 1, shown: 1 },
  ])('with $pageSize users a page counts them, and shows a page size of $shown', async ({ pageSize, shown }) => {
    const { scene, index, slotOf, compare } = await openIndex({ records: [row('a1')], users });
    index.set(slotOf('a1'), mark.ours);
    scene.script.pageSize = pageSize;
    const lookedAt = scene.clock.now();
    const facts = { lookedAt, lookTookMs: 0, users: 3, enabled: 1, unmanaged: 2, postponed: 0, pageSize: shown };
    expect(await compare()).toMatchObject(facts);
  });

  it('names each user whom no record has, also one of whom the ledger knows', async () => {
    const { index, compare } = await openIndex({ records: [row('a1')], users: [...users, account('z9')] });
    index.name(index.add('z9'), 'z9');
    const others: string[] = [];
    await compare({ onOther: ({ identification }) => others.push(identification) });
    expect(others).toEqual(['x1', 'x2', 'z9']);
  });
});

describe('a lookup of named people', () => {
  it('takes its time, and says nothing about all users', async () => {
    const { scene, compare } = await openIndex({ records: [row('a1'), row('b2')], users: [account('a1')] });
    scene.script.find = () => {
      scene.clock.jumpTo(scene.clock.now() + 5);
      return undefined;
    };
    const lookedAt = scene.clock.now();
    const compared = await compare({ only: named(['a1']) });
    expect(compared).toMatchObject({ lookedAt, lookTookMs: 5, users: 1 });
    expect([compared.pageSize, compared.enabled, compared.unmanaged]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    { name: 'a new name in plain letters', record: 'anna', match: ['identification'] as const, scans: 0 },
    { name: 'a new name with look-alike letters', record: cyrillic, match: ['identification'] as const, scans: 1 },
    { name: 'any new name, by e-mail', record: 'anna', match: ['identification', 'email'] as const, scans: 1 },
  ])('makes $scans scans for $name beside one that is known', async ({ record, match, scans }) => {
    const records = [row('a1'), row(record)];
    const { scene, compare } = await openIndex({ records, users: [account('a1')], settings: { match } });
    await compare({ only: named(['nobody', 'a1', record]) });
    expect(scene.calls.scan).toBe(scans);
  });

  it('finds the twin of a new name by that scan', async () => {
    const users = [account('anna', { fields: { email: 'a@x.com' } })];
    const records = [row(cyrillic), row('b2', { email: 'a@x.com' })];
    const { findings, compare } = await openIndex({ records, users, settings: { match: ['identification'] } });
    await compare({ only: named([cyrillic]) });
    expect(findings.map(({ code, identification }) => [code, identification])).toEqual([['case-conflict', 'anna']]);
  });
});

describe('people whom a run is not about', () => {
  it.each([
    { shown: ['b2'], isConflict: false },
    { shown: ['b2', 'b2'], isConflict: true },
    { shown: ['B2'], isConflict: true },
  ])('with the users $shown are in conflict: $isConflict, and are not decided about', async ({ shown, isConflict }) => {
    const users = shown.map((name, i) => account(name, { id: `${i}` }));
    const { index, slotOf, findings, compare } = await openIndex({ records: [row('b2')], users });
    index.set(slotOf('b2'), mark.bystander);
    const { candidates } = await compare({ isFocused: true });
    expect([index.has(slotOf('b2'), mark.conflict), candidates.slots, findings]).toEqual([isConflict, [], []]);
    expect(index.has(slotOf('b2'), mark.seen)).toBe(shown[0] === 'b2');
  });
});

describe('a user of an employee', () => {
  it('whom the platform shows twice is in conflict', async () => {
    const users = [account('a1'), account('a1', { id: 'second' })];
    const { index, slotOf, compare } = await openIndex({ records: [row('a1')], users });
    await compare();
    expect(index.has(slotOf('a1'), mark.conflict)).toBe(true);
  });

  it.each([
    { name: 'left', over: { status: 'left' }, flags: 0, isFocused: false, isDecided: false },
    { name: 'left, and is named', over: { status: 'left' }, flags: 0, isFocused: true, isDecided: true },
    { name: 'left, and is ours', over: { status: 'left' }, flags: mark.inLedger, isFocused: false, isDecided: true },
    { name: 'works here', over: {}, flags: 0, isFocused: false, isDecided: true },
  ])('who $name is decided about when disabled: $isDecided', async ({ over, flags, isFocused, isDecided }) => {
    const { index, slotOf, compare } = await openIndex({ records: [row('a1', over)], users: [account('a1', off)] });
    if (flags !== 0) index.set(slotOf('a1'), flags);
    const { candidates } = await compare({ isFocused });
    expect(candidates.slots).toEqual(isDecided ? [slotOf('a1')] : []);
  });

  it.each([
    { name: 'by id alone', over: {}, firstSight: 'write', flags: 0, isFocused: false, isId: true },
    { name: 'by id, with assumed values', over: hidden, firstSight: 'assume', flags: 0, isFocused: false, isId: true },
    { name: 'whole, to write the others', over: hidden, firstSight: 'write', flags: 0, isFocused: false, isId: false },
    { name: 'whole, when named', over: {}, firstSight: 'write', flags: 0, isFocused: true, isId: false },
    {
      name: 'whole, when in the ledger',
      over: {},
      firstSight: 'write',
      flags: mark.inLedger,
      isFocused: false,
      isId: false,
    },
    {
      name: 'whole, when different',
      over: { area: 'X' },
      firstSight: 'assume',
      flags: 0,
      isFocused: false,
      isId: false,
    },
  ] as const)('who is as wanted is kept $name', async ({ over, firstSight, flags, isFocused, isId }) => {
    const options = { records: [row('a1', over)], users: [account('a1')], settings: { firstSight, mapping } };
    const { index, slotOf, compare, kept } = await openIndex(options);
    if (flags !== 0) index.set(slotOf('a1'), flags);
    const { candidates } = await compare({ isFocused });
    expect(kept(candidates.places[0])).toEqual(isId ? '9a1' : account('a1'));
  });
});

describe('an e-mail that another user has', () => {
  const z9 = account('z9', { fields: { email: 'ana@x.com' } });
  const wanted = row('a1', { email: 'ana@x.com' });

  it('is claimed where the other employee moves to another one', async () => {
    const records = [wanted, row('z9', { email: 'zoe@x.com' })];
    const { slotOf, findings, compare, kept } = await openIndex({ records, users: [z9] });
    const { claims, holders } = await compare();
    const claim = claims.get(slotOf('a1'));
    expect([claim?.holder, kept(claim?.place)]).toEqual([slotOf('z9'), z9]);
    expect([[...claims.keys()], [...holders], findings]).toEqual([[slotOf('a1')], [[slotOf('z9'), slotOf('a1')]], []]);
  });

  it('is a finding with the account, unless the other employee keeps it', async () => {
    const rename = await openIndex({ records: [wanted], users: [z9] });
    await rename.compare();
    expect(rename.findings).toMatchObject([
      { code: 'rename-conflict', identification: 'a1', other: 'z9', account: { id: '9z9' } },
    ]);
    const keeps = await openIndex({ records: [wanted, row('z9', { status: 'odd' })], users: [z9] });
    await keeps.compare();
    expect(keeps.findings).toMatchObject([{ code: 'email-conflict', identification: 'a1', other: 'z9' }]);
    expect(keeps.findings[0]).not.toHaveProperty('account');
  });

  it.each([
    { aside: ['a1'], records: [wanted], count: 0 },
    { aside: ['a1', 'z9'], records: [wanted, row('z9', { status: 'odd' })], count: 0 },
    { aside: ['a1'], records: [wanted, row('z9', { status: 'odd' })], count: 1 },
    { aside: ['z9'], records: [wanted, row('z9', { status: 'odd' })], count: 1 },
  ])('makes $count findings where the run is not about $aside', async ({ aside, records, count }) => {
    const { index, slotOf, findings, compare } = await openIndex({ records, users: [z9] });
    for (const name of aside) index.set(slotOf(name), mark.bystander);
    await compare({ isFocused: true });
    expect(findings).toHaveLength(count);
    expect(index.has(slotOf('a1'), mark.conflict)).toBe(true);
  });
});
