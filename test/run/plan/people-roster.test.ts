import { describe, expect, it } from 'vitest';
import { openRoster, packRoster, type Roster, type RosterPart } from '../../../src/core/plan/roster.ts';
import { mark } from '../../../src/run/read/marks.ts';
import type { PeopleIndex } from '../../../src/run/read/people-index.ts';
import { person } from '../../core/cases.ts';
import { openIndex } from '../open-index.ts';

const salt = 'salt';

/** The roster that the next reads open. */
function rosterOf(index: PeopleIndex): Roster {
  const pages = (['people', 'emails'] as const).flatMap((part) => packRoster(part, index.rosterEntries(part)));
  const header = { sync: 'people', run: 'run_1', at: 1, fingerprint: 'f1', salt, rows: 1 };
  const counts = { people: 1, emails: 1 };
  return openRoster({ ...header, pages: counts }, async (part) => pages.filter((page) => page.part === part));
}

const entriesOf = (index: PeopleIndex, part: RosterPart) => index.rosterEntries(part).length / 4;

/** An index whose people have these marks, besides being in the source. */
function marked(people: Readonly<Record<string, number>>): PeopleIndex {
  const index = openIndex(undefined, salt);
  for (const [name, bits] of Object.entries(people)) {
    const slot = index.add(name);
    index.name(slot, name);
    index.set(slot, mark.inSource | bits);
  }
  return index;
}

describe('the roster of the people of a read', () => {
  it('has the standing of each person of the source', async () => {
    const index = marked({
      active: mark.active,
      left: mark.leaver,
      guest: mark.active | mark.outOfScope,
      gone: mark.leaver | mark.outOfScope,
      torn: mark.active | mark.outOfScope | mark.conflict,
      tied: mark.active | mark.conflict,
      future: 0,
      odd: mark.outOfScope,
    });
    index.add('ledger');
    const names = ['active', 'left', 'guest', 'gone', 'torn', 'tied', 'future', 'odd', 'ledger', 'none'];
    const found = await rosterOf(index).people(names);
    expect(Object.fromEntries([...found].map(([name, all]) => [name, all.map(({ standing }) => standing)]))).toEqual({
      active: ['active'],
      left: ['leaver'],
      guest: ['out-of-scope'],
      gone: ['out-of-scope'],
      torn: ['other'],
      tied: ['active'],
      future: ['other'],
      odd: ['other'],
    });
    expect(entriesOf(index, 'people')).toBe(8);
  });

  it('has the accounts that were seen enabled, for the next index, and not those that are gone', async () => {
    const index = marked({ Ana: mark.seen, eva: mark.seen, leo: 0, off: mark.seen });
    for (const [slot, account] of [...['1', '2', '3'].entries()]) index.seeEnabled(slot, account);
    const roster = rosterOf(index);
    const seenBy = async (of: 'all' | readonly string[]) => {
      const next = marked({ off: mark.seen, eva: mark.seen, ana: mark.seen, leo: mark.seen, Ana: mark.seen });
      for await (const entries of roster.entries(of)) next.recall(entries);
      const isEnabled = (name: string, account: string) => next.wasEnabled(next.find(name).slot, account);
      return [isEnabled('Ana', '1'), isEnabled('eva', '2'), isEnabled('leo', '3'), isEnabled('off', '4')];
    };
    expect(await seenBy('all')).toEqual([false, true, false, false]);
    expect(await seenBy(['eva'])).toEqual([false, true, false, false]);
    const same = marked({ Ana: mark.seen });
    for await (const entries of roster.entries(['Ana'])) same.recall(entries);
    // An account that was made anew has another id.
    expect([same.wasEnabled(0, '1'), same.wasEnabled(0, '2')]).toEqual([true, false]);
  });

  it('has whom the read, and the one before, could not decide about, and who may work here', async () => {
    const index = marked({
      plain: mark.active,
      torn: mark.active | mark.conflict,
      left: mark.leaver | mark.conflict,
      tied: mark.leaver | mark.conflict | mark.tied,
      guest: mark.outOfScope,
    });
    for (const standing of ['future', 'unknown'] as const) {
      const slot = index.add(standing);
      index.set(slot, mark.inSource);
      index.fill(slot, person({ identification: standing, standing }));
    }
    const refused = index.add('refused');
    index.set(refused, mark.inSource);
    index.fill(refused, {
      kind: 'rejected',
      at: 'line 9',
      identification: 'refused',
      column: 'type',
      reason: 'is odd',
    });
    const names = ['plain', 'torn', 'left', 'tied', 'guest', 'future', 'unknown', 'refused'];
    const undecided = async (roster: Roster) =>
      Object.fromEntries([...(await roster.people(names))].map(([name, [entry]]) => [name, entry?.undecided]));
    const [now, roster] = [{ now: true, before: false }, rosterOf(index)];
    const none = { plain: undefined, left: undefined, guest: undefined, future: undefined };
    expect(await undecided(roster)).toEqual({ ...none, torn: now, tied: now, unknown: now, refused: now });
    const next = marked(Object.fromEntries(names.map((name) => [name, mark.active])));
    next.set(next.find('tied').slot, mark.conflict);
    for await (const entries of roster.entries('all')) next.recall(entries);
    const before = { now: false, before: true };
    const tied = { now: true, before: true };
    expect(await undecided(rosterOf(next))).toEqual({ ...none, torn: before, tied, unknown: before, refused: before });
  });

  it('has people by identification in any case, and tells whether it is the same', async () => {
    const people = await rosterOf(marked({ Ana: 0, eva: 0 })).people(['Ana', 'ana', 'EVA', 'eva']);
    expect([...people].map(([name, all]) => [name, all.map(({ isExact }) => isExact)])).toEqual([
      ['Ana', [true]],
      ['ana', [false]],
      ['EVA', [false]],
      ['eva', [true]],
    ]);
  });

  it('has a second entry of a person who looks like another text', async () => {
    const index = marked({ Ana: 0, ІVAN: mark.active, eva: 0 });
    const people = await rosterOf(index).people(['Ivan', 'ІVAN', 'Ana']);
    expect(people.get('Ivan')).toEqual([{ standing: 'active', isExact: false }]);
    expect(people.get('ІVAN')).toContainEqual({ standing: 'active', isExact: true });
    expect(entriesOf(index, 'people')).toBe(4);
  });

  it('is empty after an empty read', () => {
    expect([entriesOf(marked({}), 'people'), entriesOf(marked({}), 'emails')]).toEqual([0, 0]);
  });
});

describe('the e-mails of a roster', () => {
  it('name each person of the source who claims one, in any case', async () => {
    const index = marked({ E1: 0, E2: 0, E3: 0, E4: 0 });
    index.add('ledger');
    for (const [slot, email] of ['Ana@x.com', 'eva@x.com', 'ana@X.com', undefined, 'old@x.com'].entries()) {
      if (email !== undefined) index.addEmail(email, slot);
    }
    const roster = rosterOf(index);
    const claims = await roster.claims(['ana@x.com', 'EVA@x.com', 'old@x.com']);
    expect([...claims]).toEqual([
      ['ana@x.com', [roster.keyOf('E1'), roster.keyOf('E3')]],
      ['EVA@x.com', [roster.keyOf('E2')]],
    ]);
    expect(entriesOf(index, 'emails')).toBe(3);
  });

  it('are without those of a record that no longer counts', () => {
    const index = marked({ E1: 0 });
    index.addEmail('ana@x.com', 0);
    index.dropEmail(0);
    expect([index.findEmail('ana@x.com'), entriesOf(index, 'emails')]).toEqual([-1, 0]);
  });
});

describe('an index of people', () => {
  it('has the key of each person in a roster with its salt', () => {
    const index = marked({ Ana: 0, Eva: 0 });
    const roster = rosterOf(index);
    expect(['ana', 'EVA', 'Ina'].map((name) => index.hasKey(roster.keyOf(name)))).toEqual([true, true, false]);
    expect(openIndex().hasKey(roster.keyOf('Ana'))).toBe(false);
  });

  it('keeps what it knows of the first and the last person when it grows', () => {
    const index = openIndex(['firstName', 'seniority', 'email']);
    for (let i = 0; i < 1025; i += 1) index.add(`E${i}`);
    for (const slot of [0, 1024]) {
      index.fill(slot, person({ identification: `E${slot}`, fields: { firstName: 'Ana', seniority: 'x' } }));
      index.setPlain(slot, '7');
    }
    const shown = { id: '7', identification: 'E0', enabled: true, unreadable: [] };
    const entry = { identification: 'E0', owner: 'people', quirks: {}, unverified: 0 };
    for (const slot of [0, 1024]) {
      expect(index.find(`E${slot}`)).toEqual({ slot, isExact: true });
      expect(index.person(slot).identification).toBe(`E${slot}`);
      expect([index.isPlain(slot, '7'), index.isPlain(slot, '8')]).toEqual([true, false]);
      expect(index.isShownAsWanted(slot, { ...shown, fields: { firstName: 'Ana' } })).toBe(true);
      expect(index.isShownAsWanted(slot, { ...shown, fields: { firstName: 'Eva' } })).toBe(false);
      expect(index.isWrittenAsWanted(slot, { ...entry, hidden: { seniority: 'x' } })).toBe(true);
      expect(index.isWrittenAsWanted(slot, { ...entry, hidden: { seniority: 'y' } })).toBe(false);
    }
  });
});
