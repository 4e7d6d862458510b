import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Leaders } from '../../src/core/person/fields.ts';
import { formatLeaders, leaderValues, parseLeaders } from '../../src/core/person/leaders.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import {
  decideLeaders,
  isSameKnown,
  isStated,
  judgeLeaders,
  type LeaderCase,
  leaderCalls,
  leaderStates,
  leadersNamed,
  leadRequests,
  renameLeaders,
  type WantedMain,
  withoutFields,
  withoutList,
} from '../../src/core/plan/leaders.ts';
import { afterChange } from '../../src/core/plan/ledger-steps.ts';

const names = ['ana', 'ben', 'eva', 'kai'] as const;
const someone = fc.constantFrom(...names);
const some = fc.uniqueArray(someone).map((list) => [...list].sort());
const perhaps = fc.option(someone, { nil: undefined });

const wantedMain: fc.Arbitrary<WantedMain> = fc.oneof(
  fc.constantFrom<WantedMain>({ says: 'keep' }, { says: 'none' }),
  someone.map((identification): WantedMain => ({ says: 'leader', identification })),
);

const cases: fc.Arbitrary<LeaderCase> = fc.record({
  identification: fc.constant('leo'),
  wanted: fc.record({
    main: wantedMain,
    secondary: fc.record({ names: some, isWhole: fc.boolean() }),
  }),
  known: fc.option(
    fc.record({ main: perhaps, secondary: some }).map(({ main, secondary }) => ({
      ...(main === undefined ? {} : { main }),
      secondary,
      checkedAt: 1,
    })),
    { nil: undefined },
  ),
  shown: fc.record({ main: perhaps, secondary: some }),
  takeOver: fc.record({ mainLeader: fc.boolean(), secondaryLeaders: fc.boolean() }),
  policy: fc.constantFrom('sync', 'upsert-only', 'create-only'),
  checkedAt: fc.constant(7),
});

/** The truth table again, one leader after the other, as sets and in other words. */
function expected({ wanted, known, shown, takeOver }: LeaderCase): Leaders {
  const ours = (name: string): boolean => known?.secondary.includes(name) === true;
  let { main } = shown;
  const isByHand = main !== undefined && known?.main !== main;
  if (wanted.main.says === 'leader' && (!isByHand || takeOver.mainLeader)) main = wanted.main.identification;
  if (wanted.main.says === 'none' && !isByHand) main = undefined;
  const secondary = names.filter((name) => {
    const isWanted = wanted.secondary?.names.includes(name) === true;
    const isShown = shown.secondary.includes(name);
    if (name === main) return isShown;
    if (isWanted) return true;
    const mayGo = wanted.secondary?.isWhole === true && (ours(name) || takeOver.secondaryLeaders);
    return isShown && !mayGo;
  });
  return { main, secondary };
}

const resultOf = (subject: LeaderCase): Leaders => {
  const { change } = decideLeaders(subject);
  return change === undefined ? subject.shown : leaderStates(change).to;
};

describe('the leaders of one person', () => {
  it('are decided as the truth table says', () => {
    fc.assert(
      fc.property(cases, (subject) => {
        const { policy, shown } = subject;
        const goal = expected(subject);
        const isLead =
          (goal.main !== undefined && goal.main !== shown.main) ||
          goal.secondary.some((name) => !shown.secondary.includes(name));
        const isForbidden = policy === 'create-only' || (policy === 'upsert-only' && !isLead);
        expect(resultOf(subject)).toEqual(isForbidden ? shown : goal);
        const { change } = decideLeaders(subject);
        if (change !== undefined) expect(change.kind).toBe(isLead ? 'lead' : 'unlead');
      }),
    );
  });

  it('need no change once a change is applied, and the ledger then knows what is ours', () => {
    fc.assert(
      fc.property(cases, (subject) => {
        const { change } = decideLeaders(subject);
        fc.pre(change !== undefined);
        const known = change?.before?.leaders;
        const shown = resultOf(subject);
        expect(known?.shown).toEqual(shown);
        const again = decideLeaders({ ...subject, known, shown });
        expect(again.change).toBeUndefined();
        expect(again.known).toEqual(known);
        if (known?.main !== undefined) expect(shown.main).toBe(known.main);
        expect(shown.secondary).toEqual(expect.arrayContaining([...(known?.secondary ?? [])]));
      }),
    );
  });

  it('that were set by hand and are not wanted stay without takeOver', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const subject = { ...given, takeOver: { mainLeader: false, secondaryLeaders: false } };
        const { main, secondary } = resultOf(subject);
        const { shown, known } = subject;
        if (shown.main !== undefined && shown.main !== known?.main) expect(main).toBe(shown.main);
        const byHand = shown.secondary.filter((name) => known?.secondary.includes(name) !== true);
        expect(secondary).toEqual(expect.arrayContaining(byHand));
      }),
    );
  });

  it('are complete after a stop between the calls and another try', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom('refuses', 'replaces'), fc.boolean(), (subject, main, isFirstMade) => {
        const { change: draft } = decideLeaders(subject);
        fc.pre(draft !== undefined);
        if (draft === undefined) return;
        const change = sealChange({ ...draft, episode: '0' });
        const dialect = { leaders: { main } } as const;
        const stopped = isFirstMade
          ? apply(subject.shown, { ...leaderCalls(change, dialect), add: undefined })
          : subject.shown;
        const verdict = judgeLeaders(change, stopped);
        const end = verdict.left ? apply(stopped, leaderCalls(verdict.left, dialect)) : stopped;
        expect(end).toEqual(resultOf(subject));
        expect(judgeLeaders(change, end).kind).toBe('applied');
      }),
    );
  });
});

function apply(shown: Leaders, { add, remove }: ReturnType<typeof leaderCalls>): Leaders {
  const kept = shown.secondary.filter((name) => remove?.secondary.includes(name) !== true);
  const left = remove?.main === undefined ? shown.main : undefined;
  return { main: add?.main ?? left, secondary: [...new Set([...kept, ...(add?.secondary ?? [])])].sort() };
}

it('a list of leaders survives as text, whatever the identifications hold', () => {
  const name = fc
    .string({ minLength: 1 })
    .map((text) => text.trim().replace(/\p{Cc}/gu, '_'))
    .filter((text) => text !== '');
  fc.assert(
    fc.property(fc.uniqueArray(name), (list) => {
      expect(parseLeaders(formatLeaders(list))).toEqual([...list].sort());
    }),
  );
  expect(leaderValues({ main: undefined, secondary: ['b', 'a, c'] })).toEqual({
    mainLeader: '',
    secondaryLeaders: '"a, c", b',
  });
});

it.each<[string, Readonly<Record<string, string>>, object, string[]]>([
  ['one column names another, and its sibling is blank or waits', { one: 'eva' }, {}, ['ben', 'eva']],
  ['one column names no one, and its sibling is blank', { one: '' }, {}, ['ben']],
  ['a column names whom its blank sibling named before', { one: 'ben' }, {}, ['ben']],
  ['both columns are blank', {}, {}, ['ana', 'ben']],
  ['nothing is known of the columns', { one: 'eva' }, { named: undefined }, ['ana', 'ben', 'eva']],
  [
    'the blank sibling named the same one',
    { one: 'eva' },
    { named: { one: ['ana'], two: ['ana'] } },
    ['ana', 'ben', 'eva'],
  ],
  ['another writer set the one that a column named', { one: 'eva' }, { secondary: ['ben'] }, ['ana', 'ben', 'eva']],
])('secondary leaders by column: %s', (_, columns, over, expected) => {
  const named = Object.fromEntries(Object.entries(columns).map(([one, name]) => [one, name === '' ? [] : [name]]));
  const known = { secondary: ['ana', 'ben'], named: { one: ['ana'], two: ['ben'] }, checkedAt: 1, ...over };
  const wanted: LeaderCase['wanted'] = {
    main: { says: 'keep' },
    secondary: { names: Object.values(named).flat(), isWhole: false, named },
  };
  const shown = { main: undefined, secondary: ['ana', 'ben'] };
  const subject: LeaderCase = { ...plain, wanted, known: known as never, shown };
  expect(resultOf(subject).secondary).toEqual(expected);
  const { change, known: after } = decideLeaders(subject);
  // The columns are known once the change is applied, and a change that is not made teaches nothing.
  const learned = { ...(known.named ?? {}), ...named };
  expect((change?.before?.leaders ?? after).named).toEqual(learned);
  expect(decideLeaders({ ...subject, policy: 'create-only' }).known.named).toEqual(change ? known.named : learned);
});

it('a change that leaves fewer leaders than before counts as a removal, also when it adds one', () => {
  const change = (names: readonly string[]) =>
    decideLeaders({
      identification: 'leo',
      wanted: { main: { says: 'keep' }, secondary: { names, isWhole: true } },
      known: { secondary: ['ana', 'ben'], checkedAt: 1 },
      shown: { main: undefined, secondary: ['ana', 'ben'] },
      takeOver: { mainLeader: false, secondaryLeaders: false },
      policy: 'sync',
      checkedAt: 7,
    }).change?.classes;

  expect(change(['eva'])).toEqual(['leads', 'unleads']);
  expect(change(['ana', 'eva'])).toEqual(['leads']);
  expect(change(['ana'])).toEqual(['unleads']);
});

const plain: LeaderCase = {
  identification: 'leo',
  wanted: { main: { says: 'leader', identification: 'eva' } },
  known: undefined,
  shown: { main: undefined, secondary: [] },
  takeOver: { mainLeader: false, secondaryLeaders: false },
  policy: 'sync',
  checkedAt: 7,
};
const decided = (over: Partial<LeaderCase> = {}) => decideLeaders({ ...plain, ...over });
const keep = { main: { says: 'keep' } } as const;

it.each([
  ['no statement', keep, false],
  ['a main leader', plain.wanted, true],
  ['no main leader', { main: { says: 'none' } }, true],
  ['no secondary leader', { ...keep, secondary: { names: [], isWhole: true } }, true],
  ['references that all wait', { ...keep, secondary: { names: [], isWhole: false } }, false],
  ['one reference of two', { ...keep, secondary: { names: ['ana'], isWhole: false } }, true],
] as const)('a wish with %s is stated: %s', (_, wanted, isOne) => {
  expect(isStated(wanted)).toBe(isOne);
});

it.each<[string, Partial<LeaderCase>, Leaders, object]>([
  ['shown as asked for', {}, { main: 'eva', secondary: [] }, { kind: 'applied' }],
  ['not shown', {}, { main: undefined, secondary: [] }, { what: 'the list still lacks the main leader' }],
  ['edited by others', {}, { main: 'kai', secondary: [] }, { overwritten: ['mainLeader'] }],
  [
    'of a list beside which others set a main leader',
    { wanted: { ...keep, secondary: { names: ['zoe', 'ana'], isWhole: true } } },
    { main: 'kai', secondary: ['ben'] },
    { what: 'the list still lacks secondary leaders', left: { after: { secondaryLeaders: 'ana, ben, zoe' } } },
  ],
])('a change of leaders that is %s', (_, over, shown, verdict) => {
  const change = decided(over).change ?? expect.unreachable();
  expect(judgeLeaders(sealChange({ ...change, episode: '0' }), shown)).toMatchObject(verdict);
});

describe('what the ledger knows of leaders', () => {
  it('is whose the main leader is, and who was set by hand, which is told once', () => {
    const byHand = { shown: { main: 'ben', secondary: [] } };
    const first = decided(byHand);
    expect(first).toEqual({
      known: { secondary: [], shown: { main: 'ben', secondary: [] }, byHand: 'ben', checkedAt: 7 },
      byHand: 'ben',
    });
    expect(decided({ ...byHand, known: first.known })).toEqual({ known: first.known });
    expect(decided({ ...byHand, known: { ...first.known, byHand: 'kai' } }).byHand).toBe('ben');
    expect(decided({ shown: { main: 'eva', secondary: [] } }).known.main).toBe('eva');
    const ours = { secondary: [], main: 'ben', checkedAt: 1 };
    expect(decided({ wanted: keep, known: ours, shown: { main: 'ben', secondary: [] } }).known.main).toBe('ben');
    expect(decided({ wanted: keep, shown: { main: 'ben', secondary: [] } }).known.main).toBeUndefined();
    expect(
      decided({ waits: [{ field: 'mainLeader', kind: 'identification', value: 'zoe' }] as never }).known.waits,
    ).toHaveLength(1);
    expect(decided().known).not.toHaveProperty('waits');
  });

  it('stays where the policy forbids the change', () => {
    const known = { main: 'ana', secondary: ['ben'], checkedAt: 1 };
    const shown = { main: 'ana', secondary: ['ben'] };
    expect(decided({ policy: 'create-only', known, shown }).known).toEqual({ ...known, shown, checkedAt: 7 });
    expect(decided({ policy: 'create-only' }).known).toEqual({ secondary: [], shown: plain.shown, checkedAt: 7 });
  });

  it('says nothing of the list after a change was sent, and what was seen after it was proven', () => {
    const entry = { identification: 'leo', owner: 'people', hidden: {}, quirks: {}, unverified: 0 };
    const known = { main: 'ana', secondary: [], shown: plain.shown, checkedAt: 1 };
    expect(withoutList({ ...entry, leaders: known }).leaders).toEqual({ main: 'ana', secondary: [], checkedAt: 1 });
    expect(withoutList(entry).leaders).toEqual({ secondary: [], checkedAt: 0 });
    const { change } = decided();
    const sealed = sealChange({ ...(change ?? expect.unreachable()), episode: '0' });
    const seen = { main: 'eva', secondary: [] };
    const facts = { owner: 'people', now: 9, blacklist: false, accountId: undefined, mapping: { fields: {} } };
    const verdict = { kind: 'applied', quirks: {}, leaders: seen } as const;
    expect(afterChange(sealed, verdict, entry, facts)).toEqual({
      ...entry,
      leaders: { main: 'eva', secondary: [], shown: seen, checkedAt: 9 },
      writtenAt: 9,
    });
    const { leaders: _, ...before } = sealed.before ?? expect.unreachable();
    expect(afterChange({ ...sealed, before }, verdict, entry, facts)).toBe(entry);
  });

  it('names other people after a rename, wherever it names them', () => {
    const known = {
      ...{ main: 'ana', byHand: 'ben', secondary: ['eva'], shown: { main: 'ben', secondary: ['kai'] }, checkedAt: 3 },
      named: { one: ['eva', 'max'] },
    };
    expect(leadersNamed(known).toSorted()).toEqual(['ana', 'ben', 'ben', 'eva', 'eva', 'kai', 'max']);
    const renamed = renameLeaders(known, (name) => name.toUpperCase());
    expect(leadersNamed(renamed)).toEqual(leadersNamed(known).map((name) => name.toUpperCase()));
    expect(renameLeaders({ secondary: [], checkedAt: 3 }, () => 'X')).toEqual({ secondary: [], checkedAt: 3 });
    expect([isSameKnown(known, { ...known, checkedAt: 4 }), isSameKnown(known, renamed)]).toEqual([true, false]);
    expect(isSameKnown({ secondary: [], checkedAt: 5 })).toBe(true);
  });

  it('keeps what it knew of a rejected field, and what is left of the change of the other one', () => {
    const known = { main: 'ana', secondary: ['kai'], checkedAt: 1 };
    const { change } = decided({
      wanted: { ...plain.wanted, secondary: { names: ['ben'], isWhole: true } },
      known: { ...known, named: { one: ['kai'] } },
      shown: { main: 'ana', secondary: ['kai'] },
    });
    const draft = change ?? expect.unreachable();
    expect(draft.before?.leaders).toMatchObject({ main: 'eva', secondary: ['ben'] });
    expect(withoutFields(draft, [], known)).toBe(draft);
    expect(withoutFields(draft, ['mainLeader'], known).before?.leaders).toMatchObject({
      main: 'ana',
      secondary: ['ben'],
    });
    expect(withoutFields(draft, ['secondaryLeaders'], known).before?.leaders).toMatchObject({
      main: 'eva',
      secondary: ['kai'],
    });
    expect(withoutFields(draft, ['secondaryLeaders'], undefined).before?.leaders?.secondary).toEqual([]);
    expect(withoutFields(draft, ['mainLeader'], undefined).before?.leaders).not.toHaveProperty('main');
  });
});

it.each([
  ['the source names a main leader', {}],
  [
    'the source names another main leader',
    { known: { main: 'ana', secondary: [], checkedAt: 1 }, shown: { main: 'ana', secondary: [] } },
  ],
  [
    'the source no longer names a main leader',
    {
      wanted: { main: { says: 'none' } },
      known: { main: 'ana', secondary: [], checkedAt: 1 },
      shown: { main: 'ana', secondary: [] },
    },
  ],
  ['the source names other secondary leaders', { wanted: { ...keep, secondary: { names: ['ben'], isWhole: true } } }],
  [
    'the source names a main leader; the source names other secondary leaders',
    { wanted: { ...plain.wanted, secondary: { names: ['ben'], isWhole: true } } },
  ],
] as const)('a change of leaders says: %s', (reason, over) => {
  expect(decided(over as Partial<LeaderCase>).change?.reason).toBe(reason);
});

it.each([
  ['refuses', 'add', 2],
  ['refuses', 'replace', 3],
  ['refuses', 'remove', 2],
  ['replaces', 'add', 3],
  ['replaces', 'replace', 3],
  ['replaces', 'remove', 2],
] as const)('on a platform that %s a second main leader, to %s one takes %i requests', (main, what, requests) => {
  const known = what === 'add' ? undefined : { main: 'ana', secondary: [], checkedAt: 1 };
  const wanted = what === 'remove' ? ({ main: { says: 'none' } } as const) : plain.wanted;
  const { change } = decided({ known, wanted, shown: { main: known?.main, secondary: [] } });
  expect(leadRequests(change ?? expect.unreachable(), { leaders: { main } })).toBe(requests);
});
