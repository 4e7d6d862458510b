import { describe, expect, it } from 'vitest';
import type { LeaderReference } from '../../src/core/person/person.ts';
import type { LedgerEntry, WaitingLeader } from '../../src/core/plan/ledger.ts';
import type { EngineIo } from '../../src/run/engine-io.ts';
import { type Resolved, resolveReference, resolveWish } from '../../src/run/lead/resolve.ts';
import { addWaitingPeople, findCycles, openLeftLeaders, waitFindings, waitsAfter } from '../../src/run/lead/waiting.ts';
import { mark } from '../../src/run/read/marks.ts';
import type { PlanRead } from '../../src/run/read/read-people.ts';
import { sampleEntry } from '../contracts/store-samples.ts';
import { person } from '../core/cases.ts';
import { someInstant as now } from '../support/fake-clock.ts';
import { openIndex } from './open-index.ts';
import { plainSettings } from './plain-settings.ts';

/** People of a read, each with these marks and the e-mail `NAME@x.com`. */
function reading(people: Readonly<Record<string, number>>) {
  const index = openIndex();
  for (const [name, marks] of Object.entries(people)) {
    const slot = index.add(name);
    index.name(slot, name);
    index.set(slot, marks);
    index.addEmail(`${name}@x.com`, slot);
  }
  return index;
}

const { inSource, seen, leadable, leaver, conflict, bystander } = mark;
const dayMs = 86_400_000;

describe('a reference to a leader', () => {
  const leader = (identification: string): Resolved => ({ says: 'leader', identification });
  const waits = (why: string): Resolved => ({ says: 'waits', why });
  const index = () =>
    reading({
      seen: inSource | seen,
      coming: inSource | leadable,
      none: inSource,
      left: inSource | seen | leaver,
      twice: inSource | seen | conflict,
      beside: inSource | seen | bystander,
      account: seen,
    });
  const ledger = new Map<string, LedgerEntry>([
    ['beside', sampleEntry('beside')],
    ['other', sampleEntry('other', { owner: 'guests' })],
    ['gone', sampleEntry('gone', { disabledAt: 1 })],
    ['removed', sampleEntry('removed', { removed: { at: 1, blacklist: false } })],
    // The ledger says less than the read.
    ['none', sampleEntry('none')],
    ['SEEN', sampleEntry('SEEN', { disabledAt: 1 })],
  ]);

  it.each<[string, Resolved]>([
    ['seen', leader('seen')],
    ['coming', leader('coming')],
    ['none', waits('has no account yet')],
    ['left', waits('left')],
    ['twice', { says: 'conflict', why: 'the leader is two people, or in a conflict' }],
    ['beside', leader('beside')],
    ['other', leader('other')],
    ['account', waits('is not known here')],
    ['gone', waits('has no enabled account')],
    ['removed', waits('has no enabled account')],
    ['SEEN', waits('has no enabled account')],
    ['nobody', waits('is not known here')],
  ])('by the identification %s', (value, expected) => {
    expect(resolveReference({ by: 'identification', value }, { index: index(), isFull: true }, ledger)).toEqual(
      expected,
    );
  });

  it.each<[string, boolean, Resolved]>([
    ['SEEN@x.com', true, leader('seen')],
    ['left@x.com', true, waits('left')],
    ['none@x.com', false, waits('has no account yet')],
    ['other@x.com', true, waits('has no record: no active employee has the e-mail')],
    ['other@x.com', false, waits('is not in this read')],
  ])('by the e-mail %s; full read: %s', (value, isFull, expected) => {
    expect(resolveReference({ by: 'email', value }, { index: index(), isFull }, ledger)).toEqual(expected);
  });
});

describe('what a record says about leaders', () => {
  const found: Readonly<Record<string, Resolved>> = {
    two: { says: 'conflict', why: 'two people' },
    late: { says: 'waits', why: 'has no account yet' },
  };
  const of = (value: string): LeaderReference => ({ by: 'identification', value });
  const wish = (main: string | undefined, secondary?: readonly string[], isWhole = true) => {
    const claim = main === undefined ? {} : { main: main === 'none' ? ('none' as const) : of(main) };
    const references = (secondary ?? []).map((name) => ({ ...of(name), column: `of ${name}` }));
    const said = [...references.map(({ column }) => column), 'cleared'];
    const leaders = { ...claim, ...(secondary && { secondary: { references, said, isWhole } }) };
    return resolveWish(
      person({ identification: 'leo', leaders }),
      ({ value }) => found[value] ?? { says: 'leader', identification: value },
    );
  };
  const keep = { says: 'keep' } as const;
  const ana = { says: 'leader', identification: 'ana' } as const;
  const late = (field: string) => ({ ...of('late'), of: field, why: 'has no account yet' });
  const self = {
    code: 'leader-self',
    message: 'the source names the person as their own leader. Correct the source',
  };

  const none = { main: keep };
  const two = { code: 'leader-conflict', message: 'no leader is set: two people' };
  const some = (isWhole: boolean, ...names: string[]) => ({ main: ana, secondary: { names, isWhole } });

  it.each<[Parameters<typeof wish>, { readonly wanted: object; readonly waits: object; readonly trouble?: object }]>([
    [[undefined], { wanted: none, waits: [] }],
    [['none'], { wanted: { main: { says: 'none' } }, waits: [] }],
    [['ana'], { wanted: { main: ana }, waits: [] }],
    [['late'], { wanted: none, waits: [late('mainLeader')] }],
    [['leo'], { wanted: none, waits: [], trouble: self }],
    [['two'], { wanted: none, waits: [], trouble: two }],
    [[undefined, []], { wanted: { ...none, secondary: { names: [], isWhole: true } }, waits: [] }],
    [['ana', ['eva', 'ana', 'eva']], { wanted: some(true, 'eva'), waits: [] }],
    [['ana', ['eva', 'late']], { wanted: some(false, 'eva'), waits: [late('secondaryLeaders')] }],
    [['ana', ['eva', 'leo']], { wanted: some(false, 'eva'), waits: [], trouble: self }],
    [['ana', ['eva'], false], { wanted: some(false, 'eva'), waits: [] }],
  ])('is what can be set, what waits, and what is wrong: %j', (said, expected) => {
    expect(wish(...said)).toMatchObject(expected);
    expect(wish(...said).trouble).toEqual(expected.trouble);
  });

  it('is known by column, but of columns that wait', () => {
    const { wanted, waits } = wish('ana', ['eva', 'late'], false);
    expect(wanted.secondary?.named).toEqual({ 'of eva': ['eva'], cleared: [] });
    expect(waits).toEqual([{ ...late('secondaryLeaders'), column: 'of late' }]);
  });

  it('is empty for a record without leaders', () => {
    const resolve = () => expect.unreachable('it names no one');
    expect(resolveWish(person({ identification: 'leo' }), resolve)).toEqual({ wanted: { main: keep }, waits: [] });
  });
});

describe('a leader that waits', () => {
  const one = { by: 'identification', value: 'ana', of: 'mainLeader', why: 'left' } as const;
  const since = ({ why: _, ...reference }: typeof one, at: number): WaitingLeader => ({ ...reference, since: at });

  it('waits since it was first found for the same field', () => {
    const before = [since(one, 5), { ...since(one, 6), of: 'secondaryLeaders' } as const];
    expect(waitsAfter([one], before, now)).toEqual([since(one, 5)]);
    expect(waitsAfter([one], before.slice(1), now)).toEqual([since(one, now)]);
    expect(waitsAfter([{ ...one, value: 'eva' }], before, now)).toEqual([
      since({ ...one, value: 'eva' } as never, now),
    ]);
    expect(waitsAfter([one], undefined, now)).toEqual([since(one, now)]);
  });

  it.each([
    { days: 7, isExplained: false, isTold: true },
    { days: 6.99, isExplained: false, isTold: false },
    { days: 6.99, isExplained: true, isTold: true },
  ])('is reported after a week, or where one person is explained: $days days, $isExplained', (world) => {
    const waits = [since(one, now - world.days * dayMs)];
    const findings = waitFindings('leo', { found: [one], waits }, now, world.isExplained);
    const message = expect.stringMatching(/^the leader ana waits since .*: the leader left\. Each run tries again$/);
    expect(findings).toEqual(world.isTold ? [{ code: 'leader-waits', identification: 'leo', message }] : []);
  });

  it('is added to a read of those who changed, unless the person is in it or had a conflict', async () => {
    const index = reading({ ana: inSource | seen });
    const both = [since(one, 5), { ...since(one, 6), value: 'kim', of: 'secondaryLeaders' } as const];
    const entry = (name: string, waits: readonly WaitingLeader[] = both) =>
      sampleEntry(name, { leaders: { secondary: [], checkedAt: 0, waits } });
    const waiting = [entry('ana'), entry('eva'), entry('ida', both.slice(1)), entry('leo'), entry('max')];
    const asked: unknown[] = [];
    const store = {
      ledger: {
        waiting: async (...where: unknown[]) => {
          asked.push(where);
          return waiting;
        },
      },
      runs: {
        findings: async (run: string) => {
          asked.push(run);
          return [
            { code: 'email-conflict', identification: 'leo', message: '' },
            { code: 'leader-self', identification: 'eva', message: '' },
          ];
        },
      },
    };
    const add = (reading: object) =>
      addWaitingPeople(
        { sync: { settings: plainSettings } as never, index },
        { reading } as Pick<PlanRead, 'reading'>,
        { store } as unknown as EngineIo,
      );
    expect(await add({ kind: 'full' })).toEqual([]);
    expect(asked).toEqual([]);
    const slots = await add({ kind: 'delta', from: { fullRun: 'run_7' } });
    expect(asked).toEqual([[plainSettings.connection, plainSettings.name], 'run_7']);
    expect(slots.map((slot) => index.person(slot).identification)).toEqual(['eva', 'ida', 'max']);
    const [eva, ida] = slots.map((slot) => index.person(slot));
    const kim = { by: 'identification', value: 'kim' };
    const secondary = { references: [kim], said: [], isWhole: false };
    expect(eva).toMatchObject({ kind: 'person', leaders: { main: { by: 'identification', value: 'ana' }, secondary } });
    expect(ida).toMatchObject({ standing: 'active', isInScope: true, leaders: { secondary } });
    expect(ida).not.toHaveProperty('leaders.main');
    expect(slots.every((slot) => index.has(slot, bystander | seen) && !index.has(slot, inSource))).toBe(true);
    waiting.splice(1);
    expect(await add({ kind: 'delta', from: { fullRun: 'run_8' } })).toEqual([]);
    expect(asked.at(-1)).not.toBe('run_8');
  });
});

describe('a leader who left', () => {
  const next = (identification?: string) => ({
    wanted: {
      main: identification === undefined ? { says: 'keep' as const } : { says: 'leader' as const, identification },
    },
    waits: [],
  });
  const under = (main?: string) => ({ ...(main === undefined ? {} : { main }), secondary: [], checkedAt: 0 });

  it.each([
    {
      to: ['ida', undefined],
      says: 'left, and leads 2 people. The source names next: p1 → ida, p2 → no one yet. 1 person keeps this leader until the source names another one',
    },
    {
      to: ['ida', 'ida', 'ida', 'ida', 'kim'],
      says: 'left, and leads 5 people. The source names next: p1 → ida, p2 → ida, p3 → ida, p4 → ida, p5 → kim',
    },
    {
      to: ['ida', 'ida', 'ida', 'ida', 'ida', 'ida'],
      says: 'left, and leads 6 people. The source names next: p1 → ida, p2 → ida, p3 → ida, p4 → ida, p5 → ida, …',
    },
  ])('is reported once, with at most five of the people: $to.length', ({ to, says }) => {
    const left = openLeftLeaders(reading({ ana: inSource | leaver, eva: inSource, ida: leaver }));
    for (const [i, name] of to.entries()) left.see(`p${i + 1}`, next(name), under('ana'));
    for (const name of ['eva', 'ida', 'ANA', 'kim', undefined]) left.see('leo', next(), under(name));
    left.see('max', next('kim'), undefined);
    expect(left.findings()).toEqual([{ code: 'leader-left', identification: 'ana', message: says }]);
  });
});

describe('circles of main leaders', () => {
  const circles = (...leaders: number[]) => {
    const index = reading(Object.fromEntries(leaders.map((_, i) => [`p${i}`, inSource])));
    const cycles = findCycles(Int32Array.from(leaders), [...leaders.keys(), 0], index);
    const told = cycles.findings().map(({ message }) => /: (p\d.* → p\d)\./.exec(message)?.[1]);
    return { told, members: leaders.flatMap((_, i) => (cycles.has(i) ? [i] : [])), findings: cycles.findings() };
  };

  it.each([
    { leaders: [-1, 0, 0, 1], members: [], told: [] },
    { leaders: [1, 0, 0, 2], members: [0, 1], told: ['p0 → p1 → p0'] },
    { leaders: [1, 2, 3, 1, 0], members: [1, 2, 3], told: ['p1 → p2 → p3 → p1'] },
    { leaders: [1, 0, 3, 2], members: [0, 1, 2, 3], told: ['p0 → p1 → p0', 'p2 → p3 → p2'] },
    { leaders: [1, 2, 3, 4, 0], members: [0, 1, 2, 3, 4], told: ['p0 → p1 → p2 → p3 → p4 → p0'] },
    { leaders: [1, 2, 3, 4, 5, 0], members: [0, 1, 2, 3, 4, 5], told: ['p0 → p1 → p2 → p3 → p4 → … → p0'] },
  ])('are found each once, without the people below them: $leaders', ({ leaders, members, told }) => {
    expect(circles(...leaders)).toMatchObject({ members, told });
  });

  it('are reported about the first of them', () => {
    const message =
      'these people lead each other in a circle: p0 → p1 → p0. Their main leaders are not changed. Correct the source';
    expect(circles(1, 0).findings).toEqual([{ code: 'leader-cycle', identification: 'p0', message }]);
  });
});
