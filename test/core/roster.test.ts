import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  leaveDayOf,
  openRoster,
  packRoster,
  RosterEntries,
  saltedHash,
  standingCode,
} from '../../src/core/plan/roster.ts';

interface Listed {
  readonly name: string;
  readonly email: string | undefined;
}

function rosterOf(listed: readonly Listed[], salt: string) {
  const hash = saltedHash(salt);
  const keyOf = (text: string): [number, number] => {
    const { hi, lo } = hash.of(text.toLowerCase());
    return [hi, lo];
  };
  const people = listed.flatMap(({ name }) => [...keyOf(name), hash.of(name).hi, standingCode('active')]);
  const emails = listed.flatMap(({ name, email }) => (email === undefined ? [] : [...keyOf(email), ...keyOf(name)]));
  const pages = [...packRoster('people', Int32Array.from(people)), ...packRoster('emails', Int32Array.from(emails))];
  const count = (part: string) => pages.filter((page) => page.part === part).length;
  const header = {
    sync: 'people',
    run: 'run_1',
    at: 0,
    fingerprint: 'f',
    salt,
    rows: listed.length,
    pages: { people: count('people'), emails: count('emails') },
  };
  const loaded: number[] = [];
  const roster = openRoster(header, async (part, numbers) => {
    loaded.push(numbers.length);
    return pages.filter((page) => page.part === part && numbers.includes(page.page));
  });
  return { roster, pages, loaded };
}

describe('a roster', () => {
  const listed = Array.from({ length: 10_000 }, (_, i) => ({ name: `E${i}`, email: `e${i % 9000}@example.com` }));

  it('finds every person and every claimant, and loads one page for one question', async () => {
    const { roster, pages, loaded } = rosterOf(listed, 's');
    expect(pages.filter(({ part }) => part === 'people')).toHaveLength(8);
    expect(await roster.people(['E17'])).toEqual(new Map([['E17', [{ standing: 'active', isExact: true }]]]));
    expect(loaded).toEqual([1]);
    const claims = await roster.claims(['E17@Example.com', 'nobody@example.com']);
    expect(claims).toEqual(new Map([['E17@Example.com', [roster.keyOf('E17'), roster.keyOf('E9017')]]]));
    expect((await roster.people(listed.map(({ name }) => name))).size).toBe(listed.length);
  });

  it('knows an identification in other letters, and none that was in no record', async () => {
    const { roster } = rosterOf(listed, 's');
    expect((await roster.people(['e17'])).get('e17')).toEqual([{ standing: 'active', isExact: false }]);
    expect((await roster.people(['X'])).size).toBe(0);
  });

  it('knows each standing, and the last day of work', async () => {
    const hash = saltedHash('s');
    const codes = (['active', 'leaver', 'out-of-scope', 'other'] as const).map((standing) => standingCode(standing));
    expect(codes).toEqual([0, 1, 2, 3]);
    const undecided = { now: false, before: true };
    const dated = standingCode('leaver', { leaveDay: leaveDayOf('2026-11-20'), undecided, enabledAccount: 255 });
    const late = standingCode('leaver', { leaveDay: leaveDayOf('9999-12-31') });
    const people = [...codes, dated, late].flatMap((code, i) => {
      const { hi, lo } = hash.of(`e${i}`);
      return [hi, lo, hash.of(`E${i}`).hi, code];
    });
    const pages = packRoster('people', Int32Array.from(people));
    const header = { sync: 'people', run: 'run_1', at: 0, fingerprint: 'f', salt: 's', rows: 5 };
    const roster = openRoster({ ...header, pages: { people: pages.length, emails: 1 } }, async () => pages);
    const found = await roster.people(['E0', 'E1', 'E2', 'E3', 'E4', 'E5']);
    expect([...found.values()].flat().map(({ standing }) => standing)).toEqual([
      'active',
      'leaver',
      'out-of-scope',
      'other',
      'leaver',
      'leaver',
    ]);
    expect(found.get('E4')?.[0]).toMatchObject({ leaves: '2026-11-20', undecided });
    expect(found.get('E5')?.[0]).toEqual({ standing: 'leaver', isExact: true, leaves: '4770-11-25' });
    expect(found.get('E1')?.[0]).not.toHaveProperty('leaves');
  });

  it('finds an identification that only looks like one of its own', async () => {
    const { roster, loaded } = rosterOf([{ name: 'E17', email: undefined }], 's');
    // A Cyrillic letter in place of the Latin one.
    const alike = '\u041517';
    expect(await roster.people([alike, 'E17', '\u041518'])).toEqual(
      new Map([
        ['E17', [{ standing: 'active', isExact: true }]],
        [alike, [{ standing: 'active', isExact: false }]],
      ]),
    );
    expect(loaded).toHaveLength(2);
    await roster.people(['E17']);
    expect(loaded).toHaveLength(3);
  });

  it('gives both entries of somebody who is listed, and looks like somebody else', async () => {
    const alike = '\u041517';
    const { roster } = rosterOf(
      [
        { name: alike, email: undefined },
        { name: 'E17', email: undefined },
      ],
      's',
    );
    expect((await roster.people([alike])).get(alike)).toEqual([
      { standing: 'active', isExact: true },
      { standing: 'active', isExact: false },
    ]);
  });

  it('compares both halves of a key', async () => {
    const hash = saltedHash('s');
    const { hi, lo } = hash.of('e17');
    const entries = [hi, lo + 1, 0, 0, hi + 1, lo, 0, 0];
    const header = { sync: 'people', run: 'run_1', at: 0, fingerprint: 'f', salt: 's', rows: 2 };
    const roster = openRoster({ ...header, pages: { people: 1, emails: 1 } }, async () =>
      packRoster('people', Int32Array.from(entries)),
    );
    expect((await roster.people(['E17'])).size).toBe(0);
  });

  it('shares no key with the roster of another salt', () => {
    expect(rosterOf(listed, 's').roster.keyOf('E17')).not.toBe(rosterOf(listed, 't').roster.keyOf('E17'));
  });

  it('of any people answers what the list itself says', async () => {
    const person = fc.record({ name: fc.string({ minLength: 1 }), email: fc.option(fc.string(), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.array(person, { maxLength: 40 }), async (people) => {
        const { roster } = rosterOf(people, 'salt');
        for (const { name, email } of people) {
          const same = people.filter((one) => one.name.toLowerCase() === name.toLowerCase());
          expect((await roster.people([name])).get(name)).toHaveLength(same.length);
          if (email === undefined) continue;
          const claimants = people.filter((one) => one.email?.toLowerCase() === email.toLowerCase());
          const keys = claimants.map((one) => roster.keyOf(one.name));
          expect((await roster.claims([email])).get(email)?.toSorted()).toEqual(keys.toSorted());
        }
      }),
    );
  });

  it('collects more entries than were expected, in order', () => {
    const entries = new RosterEntries(1);
    for (let i = 0; i < 5; i += 1) entries.add(i, -1, 7, i);
    expect([...entries.all()]).toEqual([0, 1, 2, 3, 4].flatMap((i) => [i, -1, 7, i]));
    expect([...new RosterEntries(0).all()]).toEqual([]);
  });

  it('gives the entries of some people, or of all of them', async () => {
    const { roster } = rosterOf(listed, 's');
    const collect = async (of: 'all' | readonly string[]) => {
      const entries: number[][] = [];
      for await (const data of roster.entries(of)) entries.push([...data]);
      return entries;
    };
    const width = 4;
    expect((await collect('all')).flat()).toHaveLength(listed.length * width);
    const some = listed.slice(0, 2).map(({ name }) => name);
    expect((await collect(some)).map((entry) => entry.length)).toEqual([width, width]);
    expect(await collect(['somewhere else'])).toEqual([]);
  });

  it('has each entry in one page, the pages one after the other', async () => {
    const { pages } = rosterOf(listed, 's');
    const people = pages.filter(({ part }) => part === 'people');
    expect(people.map(({ page }) => page)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    for (const { page, data } of people) {
      const highBits = new Set(Array.from({ length: data.length / 4 }, (_, i) => (data[i * 4] ?? 0) >>> 29));
      expect(highBits).toEqual(new Set([page]));
    }
  });
});
