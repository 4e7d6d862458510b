import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareWithAccount,
  isAsLastSeen,
  type LastSeen,
  looksLike,
  nameDigest,
  type WhoFields,
} from '../../src/core/person/same-person.ts';

const who = (name: string, over: WhoFields = {}): WhoFields => {
  const [firstName = '', lastName = ''] = name.split('|');
  return { firstName, lastName, ...over };
};
const [mail, born, hired] = [{ email: 'a@x.com' }, { birthDate: '1990-01-02' }, { orgEntryDate: '2020-03-04' }];
const others = { email: 'b@x.com', birthDate: '1991-02-03', orgEntryDate: '2021-04-05' };

describe('a record and the account of its identification', () => {
  it.each<[record: string, account: string, ReturnType<typeof compareWithAccount>]>([
    ['José|Núñez', 'JOSE|nunez', 'same name'],
    ['Jürgen|Müller', 'Juergen|Mueller', 'same name'],
    ['Jürgen|Müller', 'Jurgen|Muller', 'same name'],
    ['Øre|Łuk', 'Ore|Luk', 'same name'],
    ['Weber|Jonas', 'Jonas|Weber', 'same name'],
    ['J.|Weber', 'Jonas|Weber', 'same name'],
    ['J.|W.', 'Jonas|Weber', 'another'],
    ['Ana|Ruiz', 'Ana María|Ruiz Soto', 'same name'],
    ['Anne-Marie|van der Berg', 'Annemarie|Vanderberg', 'same name'],
    ['Sean|O’Neil', "Sean|O'Neil", 'same name'],
    ['明|王', '王|明', 'same name'],
    ['Иван (Ivan)|Петров', 'Ivan|Petrov', 'same name'],
    ['Ana|Ruiz', 'Ana|Weber', 'another'],
    ['Maria|de la Cruz', 'Juan|de la Vega', 'another'],
    ['Ana|Ruiz', 'Jonas|Weber', 'another'],
    ['Иван|Петров', 'Ivan|Petrov', 'unknown'],
    ['王|小明', 'Xiaoming|Wang', 'unknown'],
    ['|', 'Ana|Ruiz', 'same'],
  ])('named %s and %s are %s', (record, account, likeness) => {
    expect(compareWithAccount(who(record), who(account))).toBe(likeness);
    expect(compareWithAccount(who(account), who(record))).toBe(likeness);
  });

  it.each<[record: WhoFields, account: WhoFields, ReturnType<typeof compareWithAccount>]>([
    [who('Ana|Ruiz', mail), who('Ana|Weber', { email: 'A@x.com' }), 'same'],
    [who('Ana|Ruiz', born), who('Ana|Weber', born), 'same'],
    [who('Ana|Ruiz', { ...others, ...hired }), who('Ana|Weber', hired), 'same'],
    [who('Ana|Ruiz', others), who('Ana|Weber', { ...mail, ...born, ...hired }), 'another'],
    [who('Ana|Ruiz', { ...mail, ...born }), who('Jonas|Weber', { ...mail, ...born }), 'another'],
    [who('Иван|Петров', born), who('Ivan|Petrov', born), 'same'],
    [who('Иван|Петров', born), who('Ivan|Petrov', others), 'another'],
    [who('Иван|Петров', born), who('Ivan|Petrov', mail), 'unknown'],
    [who('|', others), who('|', { ...mail, ...born }), 'another'],
    [who('|', mail), who('|', { email: 'b@x.com' }), 'same'],
  ])('with %o and %o are %s', (record, account, likeness) => {
    expect(compareWithAccount(record, account)).toBe(likeness);
  });

  it.each<[string, WhoFields, LastSeen, ReturnType<typeof isAsLastSeen>]>([
    ['the name', who('Ana|Ruiz Soto', born), { name: 'Ana Ruiz', birthDate: '1991-01-01' }, 'by name'],
    ['the birth date', who('Ana|Weber', born), { name: 'Eva Ruiz', ...born }, 'by birth date'],
    ['nothing', who('Ana|Ruiz', { birthDate: '' }), { name: 'Jonas Weber', birthDate: '' }, undefined],
  ])('is as last seen by %s', (_, record, last, by) => {
    expect(isAsLastSeen(record, last)).toBe(by);
  });

  const part = fc.constantFrom('ana', 'bea', 'carlos', 'dora', 'eva', 'frank', 'gina', 'hugo', 'ines', 'julia');
  const parts = fc.uniqueArray(part, { minLength: 2, maxLength: 4 });
  const named = (all: readonly string[]) => who(`${all[0]}|${all.slice(1).join(' ')}`);

  it('is the same person in any order and case, and where parts are added', () => {
    const more = fc.record({ all: parts, seed: fc.integer(), added: fc.constantFrom('', 'zoe', 'quintero') });
    fc.assert(
      fc.property(more, ({ all, seed, added }) => {
        const turned = [...all.slice(Math.abs(seed) % all.length), ...all.slice(0, Math.abs(seed) % all.length), added];
        const other = named(turned.filter((one) => one !== '').map((one) => one.toUpperCase()));
        expect(compareWithAccount(named(all), other)).toBe('same name');
        if (added === '') expect(nameDigest(named(all))).toBe(nameDigest(other));
      }),
    );
  });

  it('is never the same person when no part is common and the scripts are equal', () => {
    fc.assert(
      fc.property(fc.uniqueArray(part, { minLength: 4, maxLength: 6 }), fc.boolean(), (all, hasDates) => {
        const facts = hasDates ? { ...mail, ...born, ...hired } : {};
        const [one, other] = [all.slice(0, 2), all.slice(2)].map((some) => ({ ...named(some), ...facts }));
        expect(compareWithAccount(one ?? {}, other ?? {})).toBe('another');
        expect(looksLike(one ?? {}, other ?? {})).toBe(false);
      }),
    );
  });
});
