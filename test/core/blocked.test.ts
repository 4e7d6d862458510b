import { describe, expect, it } from 'vitest';
import { blockedBySource, openBlockedTally } from '../../src/core/blocked.ts';

const line = (i: number): string => `line ${i}`;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 2);

describe('the tally of blocked people', () => {
  it('has no cause without people', () => {
    const tally = openBlockedTally();
    tally.note({ code: 'rename-conflict', identification: '17', other: '0017', message: 'an example' });
    expect([tally.counts(), tally.likelyCause(5)]).toEqual([{}, undefined]);
  });

  it('counts by kind, and leaves out of the guard who waits for the outcome of a change', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'conflict', at: line(2) });
    tally.add({ kind: 'status-unknown', at: line(3) });
    tally.add({ kind: 'status-unknown', at: line(4) });
    expect(tally.counts()).toEqual({ conflict: 1, 'status-unknown': 2 });
    expect(blockedBySource({ ...tally.counts(), unresolved: 9 })).toBe(3);
    expect(blockedBySource(undefined)).toBe(0);
  });

  it('names a status that was renamed, and the first row in the order of the file', () => {
    const tally = openBlockedTally();
    for (const i of [30, 10, 9, 2, 11]) tally.add({ kind: 'status-unknown', at: line(i) });
    tally.add({ kind: 'row-refused', at: line(1), column: 'mail', reason: 'is too long' });
    expect(tally.likelyCause(30)).toBe('5 of 30 rows have a status that lifecycle does not name; first at line 2');
  });

  it('names the column and the reason that most refused rows have', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'row-refused', at: line(2), column: 'mail', reason: 'is too long' });
    for (const i of numbers(3)) {
      tally.add({
        kind: 'row-refused',
        at: line(i + 5),
        column: 'born',
        reason: 'is not a date in the format yyyy-MM-dd',
      });
    }
    expect(tally.likelyCause(9)).toBe(
      '3 of 9 rows are blocked because born is not a date in the format yyyy-MM-dd; first at line 7',
    );
  });

  const conflictsOf = (
    pairs: readonly (readonly [string, string | undefined])[],
    code: 'rename-conflict' | 'email-conflict',
  ) => {
    const tally = openBlockedTally();
    pairs.forEach(([identification, other], i) => {
      tally.add({ kind: 'conflict', at: line(i + 2) });
      tally.note({ code, identification, message: 'an example', ...(other === undefined ? {} : { other }) });
      // The same conflict, told to the other side.
      if (other !== undefined) tally.note({ code, identification: other, message: 'an example' });
    });
    return tally.likelyCause(pairs.length);
  };

  it.each([
    {
      name: 'leading zeros',
      cause: conflictsOf(
        numbers(30).map((i) => [`${i}`, `00${i}`] as const),
        'rename-conflict',
      ),
      said: 'identifications of 30 people lost their leading zeros; first at line 2',
    },
    {
      name: 'new numbers',
      cause: conflictsOf(
        numbers(12).map((i) => [`${i}`, `A${i}`] as const),
        'rename-conflict',
      ),
      said: '12 people have the e-mail of a user with another identification; first at line 2',
    },
    {
      name: 'one e-mail',
      cause: conflictsOf(
        [
          ['E1', undefined],
          ['E2', 'E1'],
          ['E3', 'E1'],
        ],
        'email-conflict',
      ),
      said: '3 people share one e-mail; first at line 2',
    },
    {
      name: 'e-mails of others',
      cause: conflictsOf(
        [
          ['E1', 'X1'],
          ['E2', 'X2'],
          ['E3', 'X3'],
          ['E4', 'X4'],
        ],
        'email-conflict',
      ),
      said: '4 people claim the e-mail of another one; first at line 2',
    },
  ])('names what conflicts have in common: $name', ({ cause, said }) => {
    expect(cause).toBe(said);
  });

  it('names identifications that come twice', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'conflict', at: line(2) });
    tally.note({ code: 'duplicate-key', identification: 'E1', at: line(9), message: 'an example' });
    expect(tally.likelyCause(9)).toBe('1 identification is in several rows; first at line 2');
  });
});
