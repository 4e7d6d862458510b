import { describe, expect, it } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import type { Person, RejectedPerson } from '../../src/core/person/person.ts';
import { compilePrefer, countingRecord, preferred, withOutside } from '../../src/core/person/prefer.ts';
import { Refusal } from '../../src/core/run/refusal.ts';
import type { PreferRule } from '../../src/core/run/settings.ts';
import { person } from './cases.ts';

const rejected: RejectedPerson = {
  kind: 'rejected',
  at: 'line 9',
  identification: 'E1',
  column: 'status',
  reason: 'is a list',
};
const inScope = (rank?: string, patch: Partial<Person> = {}) =>
  person({ ...(rank !== undefined && { rank }), ...patch });
const outside = (patch: Partial<Person> = {}) => person({ isInScope: false, ...patch });

describe('the rank of a record', () => {
  const utc = () => '2026-11-21';
  const compiled = (rules: readonly PreferRule[], dateFormat?: string) =>
    compilePrefer(rules, createExpressions(), { start: 0, dateFormat });
  const latest: PreferRule = { kind: 'latest', value: 'hired', format: undefined };
  const rank = (fields: Record<string, unknown>, rules: readonly PreferRule[] = [latest], dateFormat?: string) =>
    compiled(rules, dateFormat).rankOf(fields, [], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') });

  it.each([
    ['a date', '2026-03-04', '2026-03-04'],
    ['a blank date, which is before every date', ' ', '0000000000'],
    ['a text that is no date', 'soon', '??????????'],
    ['a date that is not visible', undefined, '??????????'],
    ['a list', ['2026-03-04'], '??????????'],
    ['today', '2026-11-21', '2026-11-21'],
    ['a date after today, which is behind every other', '2026-11-22', '-79738877-'],
    ['a later one, which is behind that', '2027-01-01', '-79729898-'],
  ])('by the latest date, of %s', (_, hired, expected) => {
    expect(rank({ hired })).toBe(expected);
  });

  it('takes a date after today where the rule allows it', () => {
    expect(rank({ hired: '2026-11-22' }, [{ ...latest, future: true }])).toBe('2026-11-22');
  });

  it('reads dates in the format of the rule, else in that of the sync', () => {
    const own: PreferRule = { kind: 'latest', value: 'hired', format: 'MM/dd/yyyy' };
    expect(rank({ hired: '04.03.2026' }, [latest], 'dd.MM.yyyy')).toBe('2026-03-04');
    expect(rank({ hired: '03/04/2026' }, [own], 'dd.MM.yyyy')).toBe('2026-03-04');
  });

  it('is made of the ranks of its rules in order, each field read once', () => {
    const primary: PreferRule = { kind: 'expression', expression: 'primary' };
    const { reads, expressions, rankOf } = compiled([primary, latest, latest]);

    expect(reads).toEqual(['primary', 'hired']);
    expect(expressions).toHaveLength(1);
    expect(rankOf({ hired: '2026-03-04' }, [true], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') })).toBe(
      '12026-03-042026-03-04',
    );
    expect(rankOf({ hired: '' }, [false], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') })).toBe(
      '000000000000000000000',
    );
    expect(rankOf({ hired: '' }, [undefined], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') })).toMatch(/^00/);
    const failed = new Refusal('expression-failed', 'the expression failed');
    expect(rankOf({ hired: '' }, [failed], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') })).toMatch(/^\?0/);
  });

  it('takes the result of its expression after those that precede it', () => {
    const latestOf: PreferRule = { kind: 'latest', value: { expression: 'dates.hired' }, format: undefined };
    const { rankOf } = compilePrefer([latestOf], createExpressions(), { start: 2, dateFormat: undefined });
    expect(
      rankOf({}, ['2020-01-01', '2021-01-01', '2026-03-04'], { dayOf: utc, now: Date.parse('2026-11-21T12:00:00Z') }),
    ).toBe('2026-03-04');
  });
});

const law = { fields: { area: 'Law' } } as const;
const gone = { standing: 'leaver' } as const;

describe('of two records of one person', () => {
  it.each([
    ['a rejected first one', rejected, inScope('1'), 'unsure'],
    ['a rejected second one', inScope('1'), rejected, 'unsure'],
    ['a rejected one beside one out of scope', outside(), rejected, 'unsure'],
    ['the first in scope only', inScope('0'), outside({ rank: '1' }), 'first'],
    ['the second in scope only', outside({ rank: '1' }), inScope('0'), 'second'],
    ['none in scope', outside({ rank: '0' }), outside({ rank: '1' }), 'first'],
    ['a higher first rank', inScope('02'), inScope('01'), 'first'],
    ['a higher second rank', inScope('01'), inScope('02'), 'second'],
    ['equal ranks', inScope('01'), inScope('01', law), 'tie'],
    ['no ranks', inScope(), inScope(undefined, law), 'tie'],
    ['equal ranks, and the same in all that is read', inScope('01'), inScope('01', { at: 'line 9' }), 'first'],
    [
      'people who both left, whatever else they say',
      inScope(undefined, gone),
      inScope('1', { ...gone, ...law }),
      'first',
    ],
    ['an unknown first rank', inScope('?'), inScope('1'), 'unsure'],
    ['an unknown second rank', inScope('1'), inScope('?'), 'unsure'],
    ['two unknown ranks', inScope('?'), inScope('?', law), 'unsure'],
    ['a rank that is decided before it is unknown', inScope('1?'), inScope('0?'), 'first'],
  ] as const)('%s', (_, first, second, expected) => {
    expect(preferred(first, second)).toBe(expected);
  });
});

describe('of all records of one person', () => {
  it('the only one counts', () => {
    const only = inScope('1');
    expect(countingRecord([only])).toBe(only);
    expect(countingRecord([rejected])).toBeUndefined();
  });

  it('the one with the highest rank counts, wherever it stands', () => {
    const [low, middle, high] = [inScope('1'), inScope('2'), inScope('3')];
    for (const records of [
      [low, middle, high],
      [high, middle, low],
      [middle, high, low],
    ])
      expect(countingRecord(records)).toBe(high);
  });

  it('none counts when the highest rank is there twice, or one is rejected', () => {
    expect(countingRecord([inScope('2'), inScope('1'), inScope('2', law)])).toBeUndefined();
    expect(countingRecord([inScope('2'), inScope('1'), rejected])).toBeUndefined();
    expect(countingRecord([rejected, inScope('2'), inScope('1')])).toBeUndefined();
  });

  it('a tie below the highest rank makes no difference', () => {
    const high = inScope('2');
    expect(countingRecord([inScope('1'), inScope('1'), high])).toBe(high);
  });

  it('a leaver in scope who works out of scope has not left', () => {
    const leaver = inScope(undefined, { standing: 'leaver', standingReason: 'status is "terminated"' });
    expect(countingRecord([leaver, outside()])).toMatchObject({
      isInScope: false,
      standing: 'active',
      standingReason: 'status is "terminated", but another record of the person, out of scope, is active',
    });
    expect(countingRecord([outside({ standing: 'unknown' }), leaver])).toBeUndefined();
    expect(countingRecord([leaver, outside({ standing: 'leaver' })])).toBe(leaver);
  });

  it('a second record in scope that works makes no leaver', () => {
    const leaver = inScope('2', { standing: 'leaver' });
    expect(countingRecord([leaver, inScope('1', { standing: 'active' })])).toBe(leaver);
    expect(countingRecord([leaver, inScope('1', { standing: 'unknown' })])).toBe(leaver);
  });

  it('a record out of scope that counts is not judged by itself', () => {
    const away = outside({ standing: 'leaver' });
    expect(countingRecord([away, outside({ standing: 'active' })])).toBe(away);
  });
});

describe('the record that counts, judged by those out of scope', () => {
  const leaver = inScope(undefined, { standing: 'leaver' });
  it.each([
    ['somebody who works', inScope(), { works: true, isUnknown: true }],
    ['a leaver out of scope', outside({ standing: 'leaver' }), { works: true, isUnknown: true }],
    ['a leaver without other records', leaver, { works: false, isUnknown: false }],
  ])('stays as it is for %s', (_, one, others) => {
    expect(withOutside(one, others)).toBe(one);
  });

  it('is active elsewhere before it is unknown', () => {
    expect(withOutside(leaver, { works: true, isUnknown: true })).toMatchObject({
      standing: 'active',
      isInScope: false,
    });
    expect(withOutside(leaver, { works: false, isUnknown: true })).toBeUndefined();
  });
});
