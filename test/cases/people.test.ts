import { describe, expect, it } from 'vitest';
import { type PlayedCase, playCase } from './hr-case.ts';

type Check = (played: PlayedCase) => void;

const all =
  (...checks: readonly Check[]): Check =>
  (played) => {
    for (const check of checks) check(played);
  };

const left =
  (...people: readonly string[]): Check =>
  ({ isEnabled }) => {
    for (const id of people) expect([id, isEnabled(id)]).toEqual([id, false]);
  };

const stay =
  (...people: readonly string[]): Check =>
  ({ isEnabled }) => {
    for (const id of people) expect([id, isEnabled(id)]).toEqual([id, true]);
  };

/** The fields of these people are as on day 1. */
const keep =
  (fields: object, ...people: readonly string[]): Check =>
  (played) => {
    for (const id of people) expect([id, played.fields(id)]).toMatchObject([id, fields]);
  };

const noAccounts =
  (...people: readonly string[]): Check =>
  ({ identifications }) =>
    expect(identifications().filter((id) => people.includes(id))).toEqual([]);

const told =
  (...words: readonly (string | RegExp)[]): Check =>
  ({ last }) => {
    for (const word of words) expect(last.told()).toMatch(word);
  };

/** People who keep or lack access because of their rows never end with exit code 0, and the reason says why. */
const partial =
  (reason: RegExp): Check =>
  ({ last }) => {
    expect([last.report().outcome, last.code]).toEqual(['partial', 4]);
    expect(last.report().reasons.join('\n')).toMatch(reason);
  };

const people = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `E${from + i}`);
const everybody = people(101, 130);
const numbers = Array.from({ length: 30 }, (_, i) => `${1001 + i}`);
const unreadable = /email .* in \d rows? .*email keeps its value/;

/** What must be true after the last command of each case about what cells, rows and identities mean. */
const right: Readonly<Record<string, Check>> = {
  '01A-email-zwsp': all(
    keep({ email: 'p105@corp.test' }, 'E105'),
    keep({ email: 'p106@corp.test' }, 'E106'),
    keep({ email: 'p107@corp.test' }, 'E107'),
    noAccounts('E131'),
    told(unreadable, /invisible/, /line 32: no account is created/),
  ),
  '02B-format-yyyy-short': all(stay('E108', 'E109'), told(/left is in a year that cannot be meant .* 2 rows/)),
  '03A-leave-epoch-zero-text': stay('E105', 'E106'),
  '04A-null-text': all(
    stay(...everybody),
    keep({ area: 'Ops', job: 'Analyst' }, 'E105', 'E106', 'E107'),
    keep({ phoneNumber: '+598 99 000 105' }, 'E105'),
    told(/area is the text that a program writes for a missing value .* 3 rows/),
  ),
  '05A-id-float': all(noAccounts(...numbers.map((id) => `${id}.0`)), stay(...numbers), ({ commands }) =>
    expect(commands[2]?.told()).toMatch(/1001\.0 .* decimal part/),
  ),
  '06B-apostrophe-id': all(
    noAccounts(...numbers.map((id) => `'0${id}`)),
    ({ commands }) => expect(commands[2]?.told()).toMatch(/'01001 .* user 01001.* spreadsheet's mark for text/),
    ({ identifications }) => expect(identifications()).toHaveLength(30),
  ),
  '06A-apostrophe-guard': all(
    keep({ phoneNumber: '+598 99 000 105' }, 'E105'),
    told(/phone has the mark of an exporter/),
  ),
  '10A-leaver-row-twice': left('E120'),
  '10D-equal-rows-with-prefer': left('E120'),
  '11A-date-order-swapped': all(
    stay('E104', 'E112'),
    keep({ birthDate: '1990-06-16', orgEntryDate: '2020-02-08' }, 'E105'),
    ({ commands }) => {
      expect(commands[1]?.code).toBe(3);
      expect(commands[1]?.told()).toMatch(/the last days of work look wrong: left is not a date .* in 5 rows/);
    },
  ),
  '12B-marriage-id-is-email': all(
    stay('p105@corp.test'),
    noAccounts('f.perez-soto@corp.test'),
    told(/p105@corp\.test.* look like one person.*adopt people f\.perez-soto@corp\.test/),
    partial(/1 person lacks access/),
  ),
  '12C-rehire-new-id': all(
    noAccounts('E988'),
    partial(/1 person lacks access/),
    told(/E988 .* leaver who looks like the same person.*adopt people E988/),
  ),
  '12I-rehire-with-parkEmail': all(
    noAccounts('E988'),
    keep({ email: 'p120@corp.test' }, 'E120'),
    told(/E988 .* leaver who looks like the same person.*adopt people E988/),
  ),
  '14A-turkish-lowercase': all(noAccounts('E131', 'E132'), told(unreadable, /Turkish/)),
  '16B-windows-1250-as-1252': all(
    keep({ firstName: 'Grażyna', lastName: 'Wiśniewski' }, 'E102'),
    ({ last }) => expect(last.code).toBe(3),
    told(/first has a sign beside a letter .* 30 rows/),
  ),
  '21A-leaver-with-end-of-time': left('E120'),
  '23A-email-domain-junk': all(
    ...people(105, 109).map((id) => keep({ email: `p${id.slice(1)}@corp.test` }, id)),
    told(unreadable),
  ),
  '24A-future-leaver-status-typo': all(
    stay('E105'),
    partial(/1 person keeps access .*left is in a year that cannot be meant/),
    told(/left is in a year that cannot be meant .* 1 row \(line 6\)/),
  ),
  '26A-why-after-doubted-read': left('E120'),
};

describe('people are read with sense', () => {
  it.each(Object.entries(right))('%s', async (name, check) => check(await playCase(name)));
});
