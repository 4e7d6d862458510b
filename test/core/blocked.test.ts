import { describe, expect, it } from 'vitest';
import { blockedBySource, openBlockedTally } from '../../src/core/guard/blocked.ts';
import type { Finding, FindingCode } from '../../src/core/run/finding.ts';

const line = (i: number): string => `line ${i}`;
const conflict = (code: FindingCode, identification: string | undefined, other: string | undefined): Finding => ({
  code,
  message: 'an example',
  ...(identification !== undefined && { identification }),
  ...(other !== undefined && { other }),
});
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i + 2);

describe('the tally of blocked people', () => {
  it('has no cause without people', () => {
    const tally = openBlockedTally();
    tally.note({ code: 'rename-conflict', identification: '17', other: '0017', message: 'an example' });
    expect([tally.counts(), tally.likelyCause(5)]).toEqual([{}, undefined]);
  });

  it('counts by kind, and leaves out of the guard who waits for the outcome of a change', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'identity-conflict', at: line(2) });
    tally.add({ kind: 'status-unknown', at: line(3) });
    tally.add({ kind: 'status-unknown', at: line(4) });
    expect(tally.counts()).toEqual({ 'identity-conflict': 1, 'status-unknown': 2 });
    expect(blockedBySource({ ...tally.counts(), unresolved: 9 })).toBe(3);
    expect(blockedBySource(undefined)).toBe(0);
  });

  it('counts all rows of the people, and none without people', () => {
    const tally = openBlockedTally();
    tally.addRows(3);
    expect(tally.rows()).toBe(0);
    tally.add({ kind: 'identity-conflict', at: line(2) });
    tally.add({ kind: 'status-unknown', at: line(3) });
    expect(tally.rows()).toBe(5);
  });

  it('names a status that was renamed, and the first row in the order of the file', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'status-unknown', at: line(30) });
    expect(tally.likelyCause(30)).toBe('1 of 30 rows has a status that is not in lifecycle; first at line 30');
    for (const i of [10, 9, 2, 11]) tally.add({ kind: 'status-unknown', at: line(i) });
    tally.add({ kind: 'row-rejected', at: line(1), column: 'mail', reason: 'is too long' });
    expect(tally.likelyCause(30)).toBe('5 of 30 rows have a status that is not in lifecycle; first at line 2');
  });

  it('names the column and the reason that most refused rows have', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'row-rejected', at: line(2), column: 'mail', reason: 'is too long' });
    for (const i of numbers(3)) {
      tally.add({
        kind: 'row-rejected',
        at: line(i + 5),
        column: 'born',
        reason: 'is not a date in the format yyyy-MM-dd',
      });
    }
    expect(tally.likelyCause(9)).toBe(
      '3 of 9 rows are blocked because born is not a date in the format yyyy-MM-dd; first at line 7',
    );
  });

  it('of more refused rows than others names the reason of the rows, whichever kind came first', () => {
    const tally = openBlockedTally();
    for (const i of [2, 3]) tally.add({ kind: 'identity-conflict', at: line(i) });
    for (const i of [4, 5, 6]) tally.add({ kind: 'row-rejected', at: line(i), column: 'born', reason: 'is no date' });
    expect(tally.likelyCause(9)).toBe('3 of 9 rows are blocked because born is no date; first at line 4');
  });

  const rename = (pairs: readonly string[]) => ({ code: 'rename-conflict', pairs }) as const;
  const sharing = (pairs: readonly string[]) => ({ code: 'email-conflict', pairs }) as const;

  it.each([
    [
      'identifications of 30 people differ from their accounts only in case, punctuation or leading zeros',
      rename(numbers(30).map((i) => `${i} 00${i}`)),
    ],
    ['12 people have the e-mail of a user with another identification', rename(numbers(12).map((i) => `${i} A${i}`))],
    ['3 people share one e-mail', sharing(['E1', 'E2 E1', 'E3 E1'])],
    ['4 people claim the e-mail of another person', sharing(['E1 X1', 'E2 X2', 'E3 X3', 'E4 X4'])],
  ])('names what conflicts have in common: %s', (said, { code, pairs }) => {
    const tally = openBlockedTally();
    for (const [i, pair] of pairs.entries()) {
      const [identification, other] = pair.split(' ');
      tally.add({ kind: 'identity-conflict', at: line(i + 2) });
      tally.note(conflict(code, identification, other));
      // The same conflict, told to the other side.
      if (other !== undefined) tally.note(conflict(code, other, undefined));
    }
    expect(tally.likelyCause(pairs.length)).toBe(`${said}; first at line 2`);
  });

  const written = 'identifications of 1 person differ from their accounts only in case, punctuation or leading zeros';
  const alone = '1 person is in conflict with another row or user';

  it.each([
    ['duplicate-key', 'E1', undefined, '1 identification is in several rows'],
    ['rename-conflict', '0017', '17', written],
    ['rename-conflict', '17', 'A17', '1 person has the e-mail of a user with another identification'],
    [
      'case-conflict',
      'e1',
      undefined,
      '1 identification differs from another one only by case or look-alike characters',
    ],
    ['email-conflict', 'E1', undefined, alone],
    ['duplicate-key', undefined, undefined, alone],
    ['row-rejected', 'E1', 'E2', alone],
    ['email-conflict', '17', '017', written],
  ] as const)('names a %s of %s and %s: %s', (code, identification, other, said) => {
    const tally = openBlockedTally();
    tally.add({ kind: 'identity-conflict', at: line(2) });
    tally.note(conflict(code, identification, other));
    expect(tally.likelyCause(9)).toBe(`${said}; first at line 2`);
  });

  it('counts several people in the plural', () => {
    const tally = openBlockedTally();
    for (const i of numbers(2)) {
      tally.add({ kind: 'identity-conflict', at: line(i) });
      tally.note(conflict('case-conflict', `E${i}`, undefined));
    }
    expect(tally.likelyCause(9)).toBe(
      '2 identifications differ from another one only by case or look-alike characters; first at line 2',
    );
  });

  it('names the cause of most conflicts, the first one where two are as frequent', () => {
    const tally = openBlockedTally();
    for (const i of numbers(4)) tally.add({ kind: 'identity-conflict', at: line(i) });
    tally.note(conflict('case-conflict', 'e1', undefined));
    tally.note(conflict('duplicate-key', 'E2', undefined));
    expect(tally.likelyCause(9)).toMatch(/^1 identification differs/);
    tally.note(conflict('duplicate-key', 'E3', undefined));
    expect(tally.likelyCause(9)).toMatch(/^2 identifications are in several rows/);
  });

  it('never names more people than are blocked', () => {
    const tally = openBlockedTally();
    tally.add({ kind: 'identity-conflict', at: line(2) });
    for (const other of ['17', '18', '19']) tally.note(conflict('duplicate-key', other, undefined));
    expect(tally.likelyCause(9)).toMatch(/^1 identification is/);
  });

  it.each([
    ['more than half of the people share one e-mail', 3, '3 people share one e-mail; first at line 2'],
    ['half of the people share one e-mail', 2, '4 people claim the e-mail of another person; first at line 2'],
  ])('tells whether %s', (_, sharing, said) => {
    const tally = openBlockedTally();
    for (const i of numbers(4)) tally.add({ kind: 'identity-conflict', at: line(i) });
    for (const i of numbers(sharing - 1)) tally.note(conflict('email-conflict', `E${i}`, 'X'));
    for (const i of numbers(3 - sharing)) tally.note(conflict('email-conflict', `F${i}`, `Y${i}`));
    expect(tally.likelyCause(9)).toBe(said);
  });

  it('groups a bounded number of causes, and goes on counting those that it knows', () => {
    const tally = openBlockedTally();
    const refuse = (reason: string) => tally.add({ kind: 'row-rejected', at: line(2), column: 'mail', reason });
    for (const i of numbers(1000)) refuse(`is odd ${i}`);
    for (let times = 0; times < 3; times += 1) refuse('is new');
    refuse('is odd 7');
    expect(tally.counts()).toEqual({ 'row-rejected': 1004 });
    expect(tally.likelyCause(2000)).toBe('2 of 2000 rows are blocked because mail is odd 7; first at line 2');
  });

  it('groups a bounded number of shared e-mails, and goes on counting those that it knows', () => {
    const tally = openBlockedTally();
    for (let i = 0; i < 5; i += 1) tally.add({ kind: 'identity-conflict', at: line(2) });
    for (const i of numbers(1000)) tally.note(conflict('email-conflict', 'E', `X${i}`));
    for (let times = 0; times < 4; times += 1) tally.note(conflict('email-conflict', 'E', 'new'));
    expect(tally.likelyCause(9)).toBe('5 people claim the e-mail of another person; first at line 2');
    tally.note(conflict('email-conflict', 'E', 'X7'));
    tally.note(conflict('email-conflict', 'E', 'X7'));
    expect(tally.likelyCause(9)).toBe('4 people share one e-mail; first at line 2');
  });
});
