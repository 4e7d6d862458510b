import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlertFacts, decideAlerts } from '../../src/alerts/decide-alerts.ts';
import type { AlertProblem, AlertState, AlertTopic, Severity } from '../../src/ports/alerts.ts';
import { someInstant } from '../support/fake-clock.ts';

const fresh: AlertState = {
  subject: { kind: 'sync', name: 'people' },
  version: 0,
  problems: {},
  firstSeenAt: someInstant,
  judgedUntil: 0,
  judgedRuns: [],
};

function problem(topic: AlertTopic, severity: Severity, key = 'why'): AlertProblem {
  return { topic, severity, key, summary: `${topic} ${key}`, details: [], unaffected: undefined, action: 'do' };
}

type Look = Partial<Record<AlertTopic, 'well' | AlertProblem>>;

/** What is told in a row of looks, one minute apart. */
function story(looks: readonly Look[]): string[][] {
  let state = fresh;
  return looks.map((topics, i) => {
    const facts: AlertFacts = { at: someInstant + i * 60_000, topics };
    const decided = decideAlerts(state, facts);
    state = decided.state;
    return decided.notices.map(({ kind, severity, problems, recovered, standing }) => {
      const told = [...problems, ...recovered].map(({ topic, summary }) => `${topic}/${summary.split(' ')[1]}`);
      return `${kind} ${severity} ${told.join()}${standing.length === 0 ? '' : ` still ${standing.join()}`}`;
    });
  });
}

const bad = problem('run', 'warning');
const worse = problem('run', 'critical');
const other = problem('run', 'warning', 'else');

describe('people are told', () => {
  it.each<[string, readonly Look[], string[][]]>([
    ['nothing while all is well', [{ run: 'well' }, { run: 'well', held: 'well' }], [[], []]],
    ['what is wrong, once', [{ run: bad }, { run: bad }, { run: bad }], [['problem warning run/why'], [], []]],
    [
      'when it is over, once',
      [{ run: bad }, { run: 'well' }, { run: 'well' }],
      [['problem warning run/why'], ['recovery warning run/why'], []],
    ],
    ['when it gets worse', [{ run: bad }, { run: worse }], [['problem warning run/why'], ['problem critical run/why']]],
    [
      'not when it gets a little better',
      [{ run: worse }, { run: bad }, { run: worse }],
      [['problem critical run/why'], [], []],
    ],
    [
      'when the reason is another',
      [{ run: bad }, { run: other }, { run: other }],
      [['problem warning run/why'], ['problem warning run/else'], []],
    ],
    [
      'of the end with the weight of the worst that was told',
      [{ run: worse }, { run: other }, { run: 'well' }],
      [['problem critical run/why'], ['problem warning run/else'], ['recovery critical run/else']],
    ],
    [
      'of one subject in one notice',
      [{ run: worse, held: problem('held', 'warning') }],
      [['problem critical run/why,held/why']],
    ],
    [
      'what goes on when something else changes',
      [{ held: problem('held', 'warning') }, { run: bad }, { run: 'well' }],
      [['problem warning held/why'], ['problem warning run/why still held'], ['recovery warning run/why still held']],
    ],
    [
      'of an end and a beginning at the same look',
      [{ run: bad }, { run: 'well', held: problem('held', 'warning') }],
      [['problem warning run/why'], ['problem warning held/why', 'recovery warning run/why still held']],
    ],
    [
      'nothing about what was not looked at',
      [{ run: bad }, {}, { held: 'well' }, { run: bad }],
      [['problem warning run/why'], [], [], []],
    ],
  ])('%s', (_, looks, told) => {
    expect(story(looks)).toEqual(told);
  });

  it('since when it was so, through changes of its reason', () => {
    const first = decideAlerts(fresh, { at: someInstant, topics: { run: bad } });
    const second = decideAlerts(first.state, { at: someInstant + 1, topics: { run: other } });
    const third = decideAlerts(second.state, { at: someInstant + 2, topics: { run: 'well' } });
    expect(third.notices[0]?.recovered[0]?.since).toBe(someInstant);
    expect(third.state.problems).toEqual({});
  });
});

const topic = fc.constantFrom<AlertTopic>('run', 'held', 'freshness', 'token');
const finding = fc.oneof(
  fc.constant('well' as const),
  fc.record({ severity: fc.constantFrom<Severity>('warning', 'critical'), key: fc.constantFrom('a', 'b') }),
);
const anyLook = fc.dictionary(topic, finding, { maxKeys: 4 }).map((found): Look => {
  const entries = Object.entries(found).map(([name, what]) => {
    return [name, what === 'well' ? what : problem(name as AlertTopic, what.severity, what.key)];
  });
  return Object.fromEntries(entries);
});

it('beginnings and ends alternate for every topic, and the same look twice tells nothing', () => {
  fc.assert(
    fc.property(fc.array(anyLook, { maxLength: 30 }), (looks) => {
      let state = fresh;
      const open = new Set<AlertTopic>();
      for (const [i, topics] of looks.entries()) {
        const facts = { at: someInstant + i, topics };
        const decided = decideAlerts(state, facts);
        for (const { problems, recovered } of decided.notices) {
          for (const one of problems) open.add(one.topic);
          for (const one of recovered) expect(open.delete(one.topic)).toBe(true);
        }
        expect(new Set(Object.keys(decided.state.problems))).toEqual(open);
        expect(decideAlerts(decided.state, facts).notices).toEqual([]);
        state = decided.state;
      }
    }),
  );
});
