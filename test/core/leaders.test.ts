import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLeaders, leaderValues, parseLeaders } from '../../src/core/person/leaders.ts';
import type { Leaders } from '../../src/core/person/user.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import {
  decideLeaders,
  judgeLeaders,
  type LeaderCase,
  leaderCalls,
  leaderStates,
  type WantedMain,
} from '../../src/core/plan/leaders.ts';

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
  takeOver: fc.record({ main: fc.boolean(), secondary: fc.boolean() }),
  policy: fc.constantFrom('sync', 'upsert-only', 'create-only'),
  checkedAt: fc.constant(7),
});

/** The truth table again, one leader after the other, as sets and in other words. */
function expected({ wanted, known, shown, takeOver }: LeaderCase): Leaders {
  const ours = (name: string): boolean => known?.secondary.includes(name) === true;
  let { main } = shown;
  const isByHand = main !== undefined && known?.main !== main;
  if (wanted.main.says === 'leader' && (!isByHand || takeOver.main)) main = wanted.main.identification;
  if (wanted.main.says === 'none' && !isByHand) main = undefined;
  const secondary = names.filter((name) => {
    const isWanted = wanted.secondary?.names.includes(name) === true;
    const isShown = shown.secondary.includes(name);
    if (name === main) return isShown;
    if (isWanted) return true;
    const mayGo = wanted.secondary?.isWhole === true && (ours(name) || takeOver.secondary);
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
        const subject = { ...given, takeOver: { main: false, secondary: false } };
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
        const end = verdict.kind === 'lacking' ? apply(stopped, leaderCalls(verdict.left, dialect)) : stopped;
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

it('a change that leaves fewer leaders than before counts as a removal, also when it adds one', () => {
  const change = (names: readonly string[]) =>
    decideLeaders({
      identification: 'leo',
      wanted: { main: { says: 'keep' }, secondary: { names, isWhole: true } },
      known: { secondary: ['ana', 'ben'], checkedAt: 1 },
      shown: { main: undefined, secondary: ['ana', 'ben'] },
      takeOver: { main: false, secondary: false },
      policy: 'sync',
      checkedAt: 7,
    }).change?.classes;

  expect(change(['eva'])).toEqual(['leads', 'unleads']);
  expect(change(['ana', 'eva'])).toEqual(['leads']);
  expect(change(['ana'])).toEqual(['unleads']);
});
