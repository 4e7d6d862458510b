import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  customFieldNumber,
  type FieldName,
  fieldNames,
  fieldOrder,
  fieldTable,
  fieldTraits,
  findField,
  leaderFields,
} from '../../src/core/person/fields.ts';
import { pack, unpack } from '../../src/core/person/packed.ts';

it('the table has the twelve fields of the contract and sixty custom ones, each once', () => {
  expect(fieldTable.map(({ name }) => name).slice(0, 13)).toEqual([
    'email',
    'firstName',
    'lastName',
    'area',
    'orgEntryDate',
    'job',
    'phoneNumber',
    'seniority',
    'project',
    'account',
    'birthDate',
    'office',
    'customField1',
  ]);
  expect(new Set(fieldTable.map(({ name }) => name)).size).toBe(72);
  expect(fieldTable.at(-1)?.name).toBe('customField60');
});

it('each field can what the contract says', () => {
  const named = (isOne: (name: FieldName) => boolean) => fieldTable.map(({ name }) => name).filter(isOne);
  expect(named((name) => !fieldTraits(name).isReadable)).toEqual(['job', 'phoneNumber', 'seniority']);
  expect(named((name) => fieldTraits(name).isDate)).toEqual(['orgEntryDate', 'birthDate']);
  const byFile = Array.from({ length: 30 }, (_, i) => `customField${i + 31}`);
  expect(named((name) => !fieldTraits(name).isDirect)).toEqual(['office', ...byFile]);
});

it('a field that the platform does not have is undefined to who asks, and an error to who needs it', () => {
  expect(findField('email')).toBe(fieldTraits('email'));
  expect(findField('customField61')).toBeUndefined();
  expect(() => fieldTraits('customField61')).toThrow(new RangeError('no platform field is called customField61'));
});

it('a custom field has its number, and every other field 0', () => {
  expect((['customField7', 'customField60', 'office'] as const).map(customFieldNumber)).toEqual([7, 60, 0]);
});

it('the fields of a record are named in the order of the table, empty ones too', () => {
  expect(fieldNames({ customField2: 'x', area: '', email: 'a@example.com' })).toEqual([
    'email',
    'area',
    'customField2',
  ]);
  expect(fieldNames({})).toEqual([]);
});

it('values that are packed by position are the same when they are unpacked, in whatever order they were named', () => {
  const some = fc.array(fc.tuple(fc.constantFrom(...fieldOrder), fc.option(fc.string())));
  fc.assert(
    fc.property(some, (entries) => {
      const values = Object.fromEntries(entries);
      expect(unpack<string | null>(JSON.parse(JSON.stringify(pack(values))))).toEqual(values);
    }),
  );
  expect(pack({ area: '', email: 'a@example.com', customField2: 'x' })).toEqual([1, 'a@example.com', 2, '', 9, 'x']);
  expect(() => unpack([2, 'a@example.com'])).toThrow('another version of Rollcall');
});

it('the leaders are no fields of an account', () => {
  expect(leaderFields.map(findField)).toEqual([undefined, undefined]);
});
