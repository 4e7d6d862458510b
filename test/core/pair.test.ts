import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accountDecisionOf,
  accountDetail,
  likenessKey,
  looksLikeSamePerson,
  openPairBook,
  type PairDecision,
  pairDetail,
  pairOf,
  pairWays,
  standingDecisions,
} from '../../src/core/plan/pair.ts';
import { nextTryAt, refusalReason } from '../../src/core/plan/refused-create.ts';
import { day, now } from './cases.ts';

const pair = { identification: 'N1', other: 'O1' };
const decided = (over: Partial<PairDecision> = {}): PairDecision => ({
  ...pair,
  way: 'apart',
  by: 'ana',
  why: undefined,
  ...over,
});

describe('the audit entry of a decision about two identifications', () => {
  it.each([
    ['leave', '"N1" is left out and the account of "O1" kept until 2026-11-22T12:00:00.000Z'],
    ['replace', '"N1" gets an account and the account of "O1" is disabled'],
    ['apart', '"N1" and the account of "O1" are two people'],
  ] as const)('%s is written as: %s', (way, detail) => {
    expect(pairDetail({ ...pair, way, until: now + day })).toBe(detail);
  });

  it('is read as it was written, whatever the identifications are', () => {
    const name = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(name, name, fc.constantFrom(...pairWays), fc.integer({ min: 0, max: now }), (one, two, way, at) => {
        const asked = { identification: one, other: two, way, ...(way === 'leave' ? { until: at } : {}) };
        expect(pairOf({ detail: pairDetail(asked), by: 'ana', reason: 'same' })).toEqual({
          ...asked,
          by: 'ana',
          why: 'same',
        });
      }),
    );
  });

  it.each([undefined, '', '"N1"', '"N1" gets an account', '"N1" and "O1" are friends'])(
    'is none where the detail is %j',
    (detail) => {
      expect(pairOf({ detail, by: 'ana' })).toBeUndefined();
    },
  );
});

describe('the decisions about pairs', () => {
  it('are the newest of each pair, found by the person and by the account', () => {
    const newest = decided({ way: 'replace' });
    const apart = decided({ other: 'O2' });
    const book = openPairBook([newest, decided(), apart], now);
    expect(book.decisions).toEqual([newest, apart]);
    expect(book.about('N1')).toEqual([newest, apart]);
    expect(book.about('O1')).toEqual([newest]);
    expect(book.about('N2')).toEqual([]);
    expect([book.way('N1', 'O1'), book.way('N1', 'O2'), book.way('N2', 'O1'), book.way('N1', 'O3')]).toEqual([
      'replace',
      'apart',
      undefined,
      undefined,
    ]);
  });

  it('disable the account that a new person replaces, and one that was decided alone', () => {
    const account = (way: 'leave' | 'disable') => ({ way, identification: 'A', by: 'ana', why: undefined });
    const accounts = new Map([
      ['A1', account('disable')],
      ['A2', account('leave')],
    ]);
    const book = openPairBook([decided({ way: 'replace' }), decided({ other: 'O2' })], now, accounts);
    expect(['O1', 'O2', 'N1', 'A1', 'A2'].filter((name) => book.disables(name))).toEqual(['O1', 'A1']);
  });

  it('end at their instant, and do not bring an older one back', () => {
    const left = (until: number) => openPairBook([decided({ way: 'leave', until }), decided()], now).way('N1', 'O1');
    expect([left(now + 1), left(now), left(now - 1)]).toEqual(['leave', undefined, undefined]);
  });
});

describe('two people', () => {
  it.each([
    ['same birth date', { birthDate: '1990-01-02' }, { birthDate: '1990-01-02' }, true],
    ['unknown birth dates', { birthDate: '' }, { birthDate: '' }, false],
    [
      'other accents and case',
      { firstName: 'José', lastName: 'Núñez' },
      { firstName: 'JOSE', lastName: 'nunez' },
      true,
    ],
    ['another last name', { firstName: 'Ana', lastName: 'Díaz' }, { firstName: 'Ana', lastName: 'Paz' }, false],
    ['no last name', { firstName: 'Ana' }, { firstName: 'Ana' }, false],
    ['no first name', { firstName: '', lastName: 'Paz' }, { firstName: '', lastName: 'Paz' }, false],
    ['other birth dates', { birthDate: '1990-01-02' }, { birthDate: '1990-01-03' }, false],
    ['nothing known', {}, {}, false],
  ])('with %s', (_, one, other, isSame) => {
    expect(looksLikeSamePerson(one, other)).toBe(isSame);
    expect(looksLikeSamePerson(other, one)).toBe(isSame);
  });

  it.each([
    [
      'first name, birth date and first day',
      { firstName: 'Zoë', lastName: 'A', birthDate: '1990-01-02' },
      'zoe\n1990-01-02\n',
    ],
    [
      'the whole name and the first day',
      { firstName: 'Zoë', lastName: 'A', orgEntryDate: '2020-01-01' },
      'zoe a\n2020-01-01',
    ],
    ['nothing without a first day', { firstName: 'Zoë', lastName: 'A', orgEntryDate: '' }, undefined],
    ['nothing without a name', { birthDate: '1990-01-02', orgEntryDate: '2020-01-01' }, undefined],
  ])('are alike by %s', (_, fields, key) => {
    expect(likenessKey(fields)).toBe(key);
  });
});

describe('a refused create', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 3],
    [4, 7],
    [9, 7],
  ])('is tried again, after %i tries, %i days later', (tries, days) => {
    expect(nextTryAt({ hash: 'h', tries, lastAt: now })).toBe(now + days * day);
  });

  it('says what may be in the way, and another change does not', () => {
    expect(refusalReason('update', 'Taken.')).toBe('Taken.');
    expect(refusalReason('create', 'Taken.')).toBe(
      'Taken. A deleted or hidden account may hold the identification or e-mail',
    );
  });
});

describe('a decision about an account', () => {
  it('is read from the audit as it was written, whatever the names are', () => {
    const name = fc.string({ minLength: 1 });
    const until = fc.option(fc.integer({ min: 0, max: now }), { nil: undefined });
    fc.assert(
      fc.property(name, fc.option(name, { nil: undefined }), until, (identification, accountId, end) => {
        const way = accountId === undefined ? 'leave' : 'disable';
        const given = { way, identification, ...(accountId === undefined ? {} : { accountId }) } as const;
        const asked = { ...given, ...(end === undefined ? {} : { until: end }) };
        expect(accountDecisionOf({ detail: accountDetail(asked), by: 'ana', reason: 'old' })).toEqual({
          ...asked,
          by: 'ana',
          why: 'old',
        });
      }),
    );
    expect(accountDecisionOf({ detail: undefined, by: 'ana' })).toBeUndefined();
    expect(accountDecisionOf({ detail: 'the account of "E1" sleeps', by: 'ana' })).toBeUndefined();
  });

  it('counts until its end, and the newest replaces the others', () => {
    const of = (way: 'leave' | 'disable', until?: number) => ({
      ...{ way, identification: 'E1', by: 'ana', why: undefined },
      ...(until === undefined ? {} : { until }),
    });
    const way = (...all: readonly ReturnType<typeof of>[]) => standingDecisions(all, now).get('E1')?.way;
    expect([
      way(of('leave'), of('disable')),
      way(of('disable', now + 1)),
      way(of('disable', now), of('leave')),
    ]).toEqual(['leave', 'disable', undefined]);
  });
});
