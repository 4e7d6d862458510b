import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FieldName, type FieldValues, fieldTable } from '../../../src/core/person/fields.ts';
import type { Person } from '../../../src/core/person/person.ts';
import type { Spool } from '../../../src/ports/runtime.ts';
import { mark } from '../../../src/run/read/marks.ts';
import { countQuiet, noQuiet, PeopleIndex } from '../../../src/run/read/people-index.ts';
import { openFileSpool } from '../../../src/store/db/file-spool.ts';

/** All 72 fields: more than two words of bits. */
const allFields = fieldTable.map(({ name }) => name);

let spool: Spool;
beforeEach(() => {
  spool = openFileSpool(tmpdir());
});
afterEach(() => spool.close());

function personWith(fields: FieldValues, identification = 'E1'): Person {
  const standingReason = 'status is "active"';
  const person = { kind: 'person', at: 'line 2', identification, fields, standing: 'active', standingReason } as const;
  return { ...person, isInScope: true, unreadable: [], troubles: [], notes: [] };
}

function userWith(fields: FieldValues) {
  return { id: '1', identification: 'E1', enabled: true, fields, unreadable: [] };
}

function entryWith(hidden: FieldValues) {
  return { identification: 'E1', owner: 'people', hidden, quirks: {}, unverified: 0 };
}

it('an e-mail is shown as wanted in any case, and any other field only in its own', () => {
  const index = new PeopleIndex(spool, ['email', 'area']);
  const slot = index.add('E1');
  index.fill(slot, personWith({ email: 'Ana.DÍAZ@Example.com', area: 'Sales' }));
  expect(index.isShownAsWanted(slot, userWith({ email: 'ana.díaz@example.COM', area: 'Sales' }))).toBe(true);
  expect(index.isShownAsWanted(slot, userWith({ email: 'ana.díaz@example.COM', area: 'sales' }))).toBe(false);
  expect(index.isShownAsWanted(slot, userWith({ email: 'ana.diaz@example.com', area: 'Sales' }))).toBe(false);
});

it('counts who is matched, who is quiet, and who left by the last day alone', () => {
  const index = new PeopleIndex(spool, ['firstName']);
  const leaver = { ...personWith({}), standing: 'leaver', leaves: '2026-01-31' } as const;
  const people = [
    { ...leaver, identification: 'E1', leavesByDate: true } as const,
    { ...leaver, identification: 'E2' },
    personWith({}, 'E3'),
    { ...personWith({}, 'E4'), leaves: '2099-01-01', leavesByDate: true } as const,
  ];
  for (const person of people) index.fill(index.add(person.identification), person);
  for (const slot of [0, 1]) index.set(slot, mark.leaver | mark.inSource);
  index.set(2, mark.inSource | mark.seen);
  index.set(3, mark.seen | mark.outOfScope);
  expect(index.leaversByDate().map(({ identification }) => identification)).toEqual(['E1']);
  expect(index.countMatched()).toBe(1);
  const counts = { ...noQuiet };
  for (const slot of [0, 1, 2, 3]) countQuiet(counts, index, slot);
  expect(counts).toEqual({ unchanged: 1, outOfScope: 1, noAccount: 2 });
});

describe('a field that is written only where there is no value, or only at the create,', () => {
  const open = (value: string) => {
    const rules = { area: { write: 'ifEmpty' }, seniority: { write: 'ifEmpty' }, job: { write: 'onCreate' } };
    const index = new PeopleIndex(spool, ['firstName', 'area', 'seniority', 'job'], 'salt', rules as never);
    index.fill(index.add('E1'), personWith({ firstName: 'Ana', area: value, seniority: value, job: value }));
    return index;
  };

  it('is as wanted where there is any value', () => {
    const index = open('x');
    expect(index.isShownAsWanted(0, userWith({ firstName: 'Ana', area: 'y' }))).toBe(true);
    expect(index.isShownAsWanted(0, userWith({ firstName: 'Ana', area: '' }))).toBe(false);
    expect(index.isWrittenAsWanted(0, entryWith({ seniority: 'y' }))).toBe(true);
    expect(index.isWrittenAsWanted(0, entryWith({ seniority: '' }))).toBe(false);
    expect(index.isWrittenAsWanted(0, entryWith({}))).toBe(false);
  });

  it('belongs to what a directory shows of a person, also of the 1500th', () => {
    const hashes = ['x', 'x', 'y'].map((value) => {
      const index = open(value);
      for (let i = 2; i <= 1500; i += 1) index.add(`E${i}`);
      index.fill(1499, personWith({ area: value }, 'E1500'));
      for (const slot of [0, 1499]) index.set(slot, mark.inSource);
      const entries = index.directoryEntries();
      return [entries[2], entries[6]];
    });
    expect(hashes[0]).toEqual(hashes[1]);
    for (const at of [0, 1]) expect(hashes[0]?.[at]).not.toBe(hashes[2]?.[at]);
  });
});

const values = fc
  .dictionary(fc.constantFrom(...allFields), fc.string({ unit: 'binary' }), { maxKeys: 20 })
  .map((given) => ({ ...given }) as FieldValues);

describe('PeopleIndex', () => {
  it('gives back everybody whom it was given, whole, over several growths', () => {
    const index = new PeopleIndex(spool, ['firstName', 'area', 'job']);
    const people = Array.from({ length: 5000 }, (_, i) =>
      personWith(
        { firstName: `Zoë ${i}`, ...(i % 3 === 0 ? { area: '' } : {}), ...(i % 2 === 0 ? { job: 'x' } : {}) },
        `E${i}`,
      ),
    );
    for (const person of people) index.fill(index.add(person.identification), person);
    const rejected = {
      kind: 'rejected',
      at: 'line 9',
      identification: 'R',
      column: 'born',
      reason: 'no "date"',
    } as const;
    index.fill(index.add('R'), rejected);
    index.name(index.add('N'), 'N');

    expect(index.size).toBe(5002);
    expect(people.map(({ identification }) => index.person(index.find(identification).slot))).toEqual(people);
    expect(index.person(index.find('R').slot)).toEqual(rejected);
    expect(index.person(index.find('N').slot)).toEqual({ kind: 'absent', identification: 'N' });
  });

  it('writes and reads any values of any fields', () => {
    fc.assert(
      fc.property(values, (fields) => {
        const index = new PeopleIndex(spool, allFields);
        index.fill(index.add('E1'), personWith(fields));
        expect(index.person(0)).toEqual(personWith(fields));
      }),
    );
  });

  it('finds identifications without case, and says when they differ by it', () => {
    const index = new PeopleIndex(spool, []);
    index.add('ana-ñ');
    expect(index.find('ana-ñ')).toEqual({ slot: 0, isExact: true });
    expect(index.find('ANA-Ñ')).toEqual({ slot: 0, isExact: false });
    expect(index.find('ana-n')).toEqual({ slot: -1, isExact: false });
  });

  it('finds the look-alike of an identification, whichever of the two was first', () => {
    const index = new PeopleIndex(spool, []);
    index.add('anna');
    expect(index.find('АNNA')).toEqual({ slot: 0, isExact: false });
    index.add('ІVAN');
    index.add('E1');
    expect(index.find('АNNA')).toEqual({ slot: 0, isExact: false });
    expect(index.find('Ivan')).toEqual({ slot: 1, isExact: false });
    expect(index.find('ІVAN')).toEqual({ slot: 1, isExact: true });
    expect(index.find('Ｅ１')).toEqual({ slot: 2, isExact: false });
    expect(index.find('El')).toEqual({ slot: -1, isExact: false });
  });

  it('keeps the marks of a slot apart from those of the next, also when it grows', () => {
    const index = new PeopleIndex(spool, []);
    for (let i = 0; i < 3000; i += 1)
      if (i % 7 === 0) index.set(index.add(`E${i}`), mark.seen | mark.leaver);
      else index.add(`E${i}`);
    const wrong = Array.from({ length: 3000 }, (_, i) => i).filter((i) => index.has(i, mark.seen) !== (i % 7 === 0));
    expect(wrong).toEqual([]);
    expect(index.has(0, mark.seen | mark.active)).toBe(false);
  });

  it('calls a user equal exactly when every readable field that the person gives is shown so', () => {
    const isEqualByHand = (wanted: FieldValues, shown: FieldValues): boolean =>
      fieldTable.every(
        ({ name, isReadable }) => !isReadable || wanted[name] === undefined || wanted[name] === (shown[name] ?? ''),
      );
    fc.assert(
      fc.property(values, values, fc.boolean(), (wanted, other, isNear) => {
        const shown = isNear ? { ...wanted, ...onlySome(other, 1) } : other;
        const index = new PeopleIndex(spool, allFields);
        index.fill(index.add('E1'), personWith(wanted));
        expect(index.isShownAsWanted(0, userWith(shown))).toBe(isEqualByHand(wanted, shown));
        if (!isEqualByHand(wanted, shown)) return;
        const both = { ...index.shownOf(wanted), ...index.besideWanted(0, userWith(shown)) };
        const filled = (fields: FieldValues) => Object.entries(fields).filter(([, value]) => value !== '');
        expect(new Map(filled(both))).toEqual(new Map(filled(shown)));
      }),
    );
  });

  it('calls the ledger equal exactly when it knows every write-only field as the person gives it', () => {
    const hiddenNames = fieldTable.filter(({ isReadable }) => !isReadable).map(({ name }) => name);
    const hidden = fc.dictionary(fc.constantFrom(...hiddenNames), fc.constantFrom('', 'x', 'y'));
    fc.assert(
      fc.property(hidden, hidden, (wanted: FieldValues, known: FieldValues) => {
        const index = new PeopleIndex(spool, allFields);
        index.fill(index.add('E1'), personWith(wanted));
        const isEqual = hiddenNames.every((name) => wanted[name] === undefined || wanted[name] === known[name]);
        expect(index.isWrittenAsWanted(0, entryWith(known))).toBe(isEqual);
      }),
    );
  });
});

function onlySome(fields: FieldValues, count: number): FieldValues {
  const names = (Object.keys(fields) as FieldName[]).slice(0, count);
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}
