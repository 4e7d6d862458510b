import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertTopic } from '../../../src/core/run/codes/code-names.ts';
import type { AlertProblem, AlertState, Severity } from '../../../src/ports/alerts.ts';
import { acknowledge, type ChannelRule, decideAlerts } from '../../../src/watch/alerts/decide.ts';
import type { TopicFinding } from '../../../src/watch/alerts/judge-service.ts';
import type { AlertFacts } from '../../../src/watch/alerts/topics.ts';
import { someInstant } from '../../support/fake-clock.ts';

const fresh: AlertState = {
  subject: { kind: 'sync', name: 'people' },
  version: 0,
  problems: {},
  firstSeenAt: someInstant,
  judgedUntil: 0,
  judgedRuns: [],
};

function problem(topic: AlertTopic, severity: Severity, key = 'why'): AlertProblem {
  const summary = `${topic} ${key}`;
  return { topic, code: 'run-failed', severity, key, summary, details: [], unaffected: undefined, action: 'do' };
}

const desk: ChannelRule = { name: 'desk', afterMs: 0, remindMs: undefined };

type Look = Partial<Record<AlertTopic, TopicFinding>>;

/** What is told in a row of looks, one minute apart. */
function story(looks: readonly Look[]): string[][] {
  let state = fresh;
  return looks.map((topics, i) => {
    const facts: AlertFacts = { at: someInstant + i * 60_000, topics };
    const decided = decideAlerts(state, facts, [desk]);
    state = decided.state;
    return decided.drafts.map(({ notice: { kind, severity, problems, recovered, standing } }) => {
      const told = [...problems, ...recovered].map(({ topic, summary }) => `${topic}/${summary.split(' ')[1]}`);
      return `${kind} ${severity} ${told.join()}${standing.length === 0 ? '' : ` still ${standing.map(({ topic }) => topic).join()}`}`;
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
    const first = decideAlerts(fresh, { at: someInstant, topics: { run: bad } }, [desk]);
    const second = decideAlerts(first.state, { at: someInstant + 1, topics: { run: other } }, [desk]);
    const third = decideAlerts(second.state, { at: someInstant + 2, topics: { run: 'well' } }, [desk]);
    expect(third.drafts[0]?.notice.recovered[0]?.since).toBe(someInstant);
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
        const decided = decideAlerts(state, facts, [desk]);
        for (const { notice } of decided.drafts) {
          const { problems, recovered } = notice;
          for (const one of problems) open.add(one.topic);
          for (const one of recovered) expect(open.delete(one.topic)).toBe(true);
        }
        expect(new Set(Object.keys(decided.state.problems))).toEqual(open);
        expect(decideAlerts(decided.state, facts, [desk]).drafts).toEqual([]);
        state = decided.state;
      }
    }),
  );
});

describe('a channel', () => {
  const hourMs = 3_600_000;
  const night: ChannelRule = { name: 'night', afterMs: hourMs, remindMs: undefined, severities: ['critical'] };
  const chat: ChannelRule = { name: 'chat', afterMs: 0, remindMs: 12 * hourMs };

  /** What each channel gets in a row of looks at hours after the first. `ack` and mutes happen before the look. */
  type Step = Look & { readonly h: number; readonly ack?: true; readonly mutedUntilH?: number };
  function hours(steps: readonly Step[], channels: readonly ChannelRule[] = [night, chat]): string[] {
    let state = fresh;
    return steps.map(({ h, ack, mutedUntilH, ...topics }) => {
      const at = someInstant + h * hourMs;
      if (ack === true) state = acknowledge(state, 'ana', at);
      if (mutedUntilH !== undefined) {
        state = { ...state, muted: { by: 'ana', until: someInstant + mutedUntilH * hourMs } };
      }
      const decided = decideAlerts(state, { at, topics }, channels);
      state = decided.state;
      return decided.drafts.map(({ notice: { kind }, channels: to }) => `${kind} to ${to.join('+')}`).join('; ');
    });
  }

  it.each<[string, readonly Step[], string[]]>([
    [
      'for escalation gets only what is open that long',
      [{ h: 0, run: worse }, { h: 0.9 }, { h: 1 }, { h: 2, run: 'well' }],
      ['problem to chat', '', 'problem to night', 'recovery to night+chat'],
    ],
    [
      'for escalation never hears of what ended before',
      [{ h: 0, run: worse }, { h: 0.9, run: 'well' }, { h: 2 }],
      ['problem to chat', 'recovery to chat', ''],
    ],
    [
      'for escalation gets nothing that somebody acknowledged',
      [{ h: 0, run: worse }, { h: 2, ack: true }, { h: 30 }],
      ['problem to chat', '', ''],
    ],
    [
      'is reminded of what stays open',
      [{ h: 0, run: bad }, { h: 11.9 }, { h: 12, run: bad }, { h: 23 }, { h: 24 }],
      ['problem to chat', '', 'reminder to chat', '', 'reminder to chat'],
    ],
    [
      'is not reminded after an acknowledgement, but told when it gets worse',
      [{ h: 0, run: bad }, { h: 1, ack: true }, { h: 13 }, { h: 14, run: worse }, { h: 27 }],
      ['problem to chat', '', '', 'problem to night+chat', 'reminder to chat'],
    ],
    [
      'gets no problem while the sync is muted, and afterwards what is still open',
      [
        { h: 0, run: bad, mutedUntilH: 4 },
        { h: 3, held: problem('held', 'warning') },
        { h: 3.5, held: 'well' },
        { h: 4 },
      ],
      ['', '', '', 'problem to chat'],
    ],
    [
      'gets the end of what it was told also while the sync is muted',
      [
        { h: 0, run: bad },
        { h: 1, run: 'well', mutedUntilH: 4 },
      ],
      ['problem to chat', 'recovery to chat'],
    ],
    [
      'gets what is over already once, as a note',
      [
        { h: 0, run: { over: problem('run', 'info') } },
        { h: 1, run: 'well' },
      ],
      ['note to chat', ''],
    ],
    [
      'gets the end of what it was told instead of a note',
      [
        { h: 0, run: bad },
        { h: 1, run: { over: problem('run', 'info') } },
      ],
      ['problem to chat', 'recovery to chat'],
    ],
    [
      'is not told of itself, but another one is, whatever severities it takes',
      [
        { h: 0, channel: { ...problem('channel', 'warning'), channels: ['chat'] } },
        { h: 1 },
        { h: 2, channel: { ...problem('channel', 'warning', 'both'), channels: ['chat', 'night'] } },
        { h: 3, channel: 'well' },
      ],
      ['', 'problem to night', '', 'recovery to night'],
    ],
    [
      'takes the warning about another one before a channel for other severities',
      [{ h: 0, channel: { ...problem('channel', 'warning'), channels: ['night'] } }, { h: 1 }],
      ['problem to chat', ''],
    ],
  ])('%s', (_, steps, told) => {
    expect(hours(steps)).toEqual(told);
  });

  it('is told when ten times as many are concerned, and not when it is one more', () => {
    const counted = (count: number) => ({ ...bad, count });
    const steps = [2, 3, 9, 10, 22, 99, 2, 50, 2200].map((count, h) => ({ h, run: counted(count) }));
    const told = ['problem to chat', '', '', 'problem to chat', '', '', '', '', 'problem to chat'];
    expect(hours(steps)).toEqual(told);
  });

  it('is reminded with the newest run, not with the first', () => {
    const of = (run: string) => ({ ...bad, run, summary: `run ${run}` });
    let state = fresh;
    const look = (h: number, topics: Look) => {
      const decided = decideAlerts(state, { at: someInstant + h * hourMs, topics }, [chat]);
      state = decided.state;
      return decided.drafts.flatMap(({ notice }) => notice.problems.map(({ summary }) => summary));
    };
    expect(look(0, { run: of('a') })).toEqual(['run a']);
    expect(look(6, { run: of('b') })).toEqual([]);
    expect(look(12, {})).toEqual(['run b']);
  });
});
