import { describe, expect, it } from 'vitest';
import { isEqualPerson, likenessKey, tellingFields } from '../../src/core/person/same-person.ts';
import { nextTryAt, refusalReason } from '../../src/core/plan/refused-create.ts';
import { type AccountDecision, openStanding, type PairDecision } from '../../src/core/plan/standing.ts';
import { day, now } from './cases.ts';

const decided = (over: Partial<PairDecision> = {}): PairDecision => {
  return { identification: 'N1', other: 'O1', way: 'apart', by: 'ana', ...over };
};

describe('the decisions of a sync that stand', () => {
  it('are found by the person and by the account', () => {
    const [first, second] = [decided({ way: 'replace' }), decided({ other: 'O2' })];
    const standing = openStanding([first, second]);
    expect(standing.about('N1')).toEqual([first, second]);
    expect(standing.about('O1')).toEqual([first]);
    expect(standing.about('N2')).toEqual([]);
    const ways = [
      standing.way('N1', 'O1'),
      standing.way('N1', 'O2'),
      standing.way('N2', 'O1'),
      standing.way('N1', 'O3'),
    ];
    expect(ways).toEqual(['replace', 'apart', undefined, undefined]);
  });

  it('disable the account that a new person replaces, and one that was decided alone', () => {
    const account = (identification: string, way: AccountDecision['way']) => ({ way, identification, by: 'ana' });
    const alone = [account('A1', 'disable'), account('A2', 'leave')];
    const others = [
      { way: 'leave', owner: 'A3', by: 'ana' },
      { way: 'rename', identification: 'A4', other: 'A5', by: 'ana' },
    ] as const;
    const standing = openStanding([decided({ way: 'replace' }), decided({ other: 'O2' }), ...alone, ...others]);
    expect(['O1', 'O2', 'N1', 'A1', 'A2', 'A3', 'A5'].filter((name) => standing.disables(name))).toEqual(['O1', 'A1']);
    expect(standing.about('A4')).toEqual([]);
  });
});

describe('two people', () => {
  it.each([
    [
      'first name, birth date and first day',
      { firstName: 'Inés', lastName: 'A', birthDate: '1990-01-02' },
      'ines\n1990-01-02\n',
    ],
    [
      'the whole name and the first day',
      { firstName: 'Inés', lastName: 'A', orgEntryDate: '2020-01-01' },
      'a ines\n\n2020-01-01',
    ],
    ['nothing without a first day', { firstName: 'Inés', lastName: 'A', orgEntryDate: '' }, undefined],
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
      'Taken. A deleted or hidden account may still use the identification or e-mail',
    );
  });
});

describe('a record and an account of one name', () => {
  const people = Array.from({ length: 9 }, (_, i) => ({
    ...{ firstName: `Ana ${i}`, lastName: 'Díaz', area: 'Ops' },
    ...{ email: `a${i}@corp.test`, birthDate: `1990-01-0${i + 1}`, job: `Job ${i}` },
  }));
  const telling = tellingFields(people);
  const [ana] = people as [(typeof people)[number]];

  it('are compared in what has another value for most people', () => {
    expect([...telling].sort()).toEqual(['birthDate', 'email', 'job', 'name']);
    expect([...tellingFields(people.slice(0, 4))]).toEqual([]);
  });

  it.each([
    ['all that is shown is equal', { job: '' }, true],
    ['two fields that tell are equal', { area: 'Law' }, true],
    ['one of them is equal', { area: 'Law', birthDate: '1991-02-03', job: '' }, false],
    ['the name is another one', { lastName: 'Soto' }, false],
  ])('are one person where %s: %j', (_, patch, expected) => {
    expect(isEqualPerson(ana, { ...ana, ...patch }, telling)).toBe(expected);
  });
});
