import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEmailAddress, parkingAddress } from '../../src/core/person/cell.ts';
import { orderEmails, sendingLevels } from '../../src/core/plan/email-order.ts';
import { drawRuns } from '../support/drawn.ts';

const links = (...pairs: [number, number][]) => new Map(pairs);
const always = () => true;

describe('orderEmails', () => {
  it('sends only so much of a chain, beginning where an address is free', () => {
    const order = orderEmails({ links: links([1, 2], [2, 3], [3, 4]), moves: always, longest: 2 });
    expect(order).toMatchObject({ going: new Set([3, 2]), waiting: [1] });
  });

  it('reports a cycle from claimant to holder, also one with a member who does not move', () => {
    const cycle = links([1, 2], [2, 3], [3, 1]);
    const expected = { going: new Set(), waiting: [], cycles: [[1, 2, 3]] };
    expect(orderEmails({ links: cycle, moves: always, longest: 9 })).toEqual(expected);
    expect(orderEmails({ links: cycle, moves: (person) => person !== 2, longest: 9 })).toEqual(expected);
  });
});

it('a parking address is an e-mail address, or there is none', () => {
  expect(parkingAddress('{identification}@parked.example', 'E1')).toBe('E1@parked.example');
  expect(parkingAddress('x+{identification}@parked.example', '$&')).toBe('x+$&@parked.example');
  expect(parkingAddress('{identification}@parked.example', 'Ana Díaz')).toBeUndefined();
  expect(parkingAddress('{identification}@parked.example', 'a@b')).toBeUndefined();
  expect(isEmailAddress('a@localhost')).toBe(false);
});

/**
 * A company where everybody gets the e-mail of somebody, or a new one; leavers keep theirs. The model platform refuses
 * an e-mail that another account has, whatever the order of the rows in one batch.
 */
describe('e-mails that are passed on', () => {
  const company = fc.integer({ min: 1, max: 12 }).chain((size) =>
    fc.record({
      wanted: fc.shuffledSubarray(
        Array.from({ length: size + 4 }, (_, i) => i),
        { minLength: size, maxLength: size },
      ),
      isLeaver: fc.array(fc.constantFrom(false, false, false, false, true), { minLength: size, maxLength: size }),
      joiners: fc.integer({ min: 0, max: 3 }),
      longest: fc.constantFrom(2, 50),
    }),
  );

  it('are never refused; without a leaver in the way all but the cycles end right', () => {
    fc.assert(
      fc.property(company, ({ wanted, isLeaver, joiners, longest }) => {
        const size = wanted.length;
        const people = Array.from({ length: size }, (_, i) => i);
        // The account of person i has e-mail i at first; joiners come at the end of the list and have none.
        const has = new Map<number, number>(people.filter((i) => i < size - joiners).map((i) => [i, i]));
        const wants = (i: number): number => (isLeaver[i] === true ? (has.get(i) ?? -1) : (wanted[i] ?? -1));
        const stayers = people.filter((i) => isLeaver[i] !== true);
        const holders = new Map([...has].map(([person, email]) => [email, person]));
        const claims = stayers.flatMap((i): [number, number][] => {
          const holder = holders.get(wants(i));
          return holder === undefined || holder === i ? [] : [[i, holder]];
        });
        const moves = (i: number): boolean => has.has(i) && wants(i) !== has.get(i);
        const order = orderEmails({ links: new Map(claims), moves, longest });
        const stopped = new Set([...order.waiting, ...order.cycles.flat()]);
        const linked = new Map(claims);
        const going = stayers
          .filter((i) => !stopped.has(i) && has.get(i) !== wants(i))
          .map((i) => ({
            identification: String(i),
            ...(order.going.has(i) ? { waitsFor: String(linked.get(i)) } : {}),
          }));
        const levels = sendingLevels(going.filter(({ waitsFor }) => waitsFor !== undefined));
        const last = Math.max(0, ...levels.values());
        const accounts = new Map(has);
        const give = (i: number, email: number): void => {
          for (const [other, theirs] of accounts) expect(other !== i && theirs === email).toBe(false);
          accounts.set(i, email);
        };
        for (let level = 0; level <= last; level += 1) {
          const batch = going.filter(({ identification }) => (levels.get(identification) ?? 0) === level);
          // Refused against what stood before the batch: a platform may take the rows of a file in any order.
          const before = new Map(accounts);
          for (const { identification } of batch) {
            const i = Number(identification);
            const email = wants(i);
            for (const [other, theirs] of before) expect(other !== i && theirs === email).toBe(false);
            give(i, email);
          }
        }
        const wrong = new Set(stayers.filter((i) => accounts.get(i) !== wants(i)));
        expect(wrong).toEqual(new Set([...stopped].filter((i) => has.get(i) !== wants(i))));
        if (longest === 50 && !isLeaver.includes(true)) expect(order.waiting).toEqual([]);
        for (const members of order.cycles) {
          for (const [at, member] of members.entries()) {
            expect(has.get(members[(at + 1) % members.length] ?? -1)).toBe(wants(member));
          }
        }
      }),
      { numRuns: drawRuns(2000) },
    );
  });
});
