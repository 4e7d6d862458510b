import { describe, expect, it } from 'vitest';
import type { FieldValues } from '../../src/core/person/fields.ts';
import { type Change, isDirectlyDeliverable, sealChange } from '../../src/core/plan/change.ts';
import {
  autoDirectLimit,
  buildFileRows,
  chunk,
  clearingWrites,
  directFields,
  fileColumns,
  fileGroup,
  formatDate,
  type Route,
  type RouteFacts,
  routeOf,
} from '../../src/core/run/batch.ts';
import { type Dialect, defaultDialect } from '../../src/core/run/settings.ts';
import { draft, wanted } from './cases.ts';

const change = (patch: Parameters<typeof draft>[0] = {}): Change => sealChange(draft(patch));
const csv = (patch: Partial<Dialect['csv']>): Dialect => ({
  ...defaultDialect,
  csv: { ...defaultDialect.csv, ...patch },
});

describe('the route of a change', () => {
  const facts = (delivery: RouteFacts['delivery'], isSmallAndDirect = false): RouteFacts => ({
    delivery,
    isSmallAndDirect,
    dialect: defaultDialect,
  });
  const create = change({ kind: 'create', before: undefined, after: wanted });
  const ofDisabled = change({ before: { userId: '1', enabled: false, fields: wanted } });
  const withOffice = change({ after: { office: '3B' } });

  it.each<[string, Change, RouteFacts, Route]>([
    ['create by auto', create, facts('auto'), 'csv'],
    ['create by auto, with few others', create, facts('auto', true), 'direct'],
    ['create by csv', create, facts('csv', true), 'csv'],
    ['create by direct', create, facts('direct'), 'direct'],
    ['create by outbox', create, facts('outbox', true), 'outbox'],
    ['update by auto, with few others', change(), facts('auto', true), 'direct'],
    ['update by csv', change(), facts('csv'), 'csv'],
    ['update of a field that calls do not carry, by auto', withOffice, facts('auto', true), 'csv'],
    ['update of a field that calls do not carry, by direct', withOffice, facts('direct'), 'none'],
    ['update of a disabled account by csv', ofDisabled, facts('csv'), 'direct'],
    ['update of a disabled account by outbox', ofDisabled, facts('outbox'), 'none'],
    ['enable by auto, with few others', change({ kind: 'enable' }), facts('auto', true), 'csv'],
    ['enable by direct', change({ kind: 'enable' }), facts('direct'), 'none'],
    ['disable by direct', change({ kind: 'disable' }), facts('direct'), 'none'],
    ['disable by csv', change({ kind: 'disable' }), facts('csv'), 'csv'],
    ['disable of a disabled account', { ...ofDisabled, kind: 'disable' }, facts('csv'), 'csv'],
    ['disable by outbox', change({ kind: 'disable' }), facts('outbox'), 'outbox'],
    ['remove by csv', change({ kind: 'remove' }), facts('csv'), 'direct'],
    ['remove by auto', change({ kind: 'remove' }), facts('auto'), 'direct'],
    ['remove by outbox', change({ kind: 'remove' }), facts('outbox'), 'none'],
  ])('of %s', (_, one, given, route) => {
    expect(routeOf(one, given)).toBe(route);
  });

  it('regards the highest custom field that calls carry here', () => {
    const one = change({ after: { customField7: 'x' } });
    const upTo = (direct: number) => ({ dialect: { ...defaultDialect, customFieldLimit: { direct, csv: 60 } } });
    expect(routeOf(one, { ...facts('direct'), ...upTo(7) })).toBe('direct');
    expect(routeOf(one, { ...facts('direct'), ...upTo(6) })).toBe('none');
    expect(routeOf(one, { ...facts('auto', true), ...upTo(6) })).toBe('csv');
  });

  const replaces = { ...defaultDialect, put: 'replaces' as const };
  const full = { ...defaultDialect, csv: { ...defaultDialect.csv, header: 'full' as const } };
  const known = { job: '', phoneNumber: '1', seniority: 'x' };

  it.each<[string, FieldValues, RouteFacts, Route]>([
    ['a replacing call, by auto', {}, { ...facts('auto', true), dialect: replaces }, 'csv'],
    ['a replacing call, by direct', {}, { ...facts('direct'), dialect: replaces }, 'none'],
    ['a replacing call, all known', known, { ...facts('direct'), dialect: replaces }, 'direct'],
    ['a full row, by csv', {}, { ...facts('csv'), dialect: full }, 'none'],
    ['a full row, by outbox', {}, { ...facts('outbox'), dialect: full }, 'none'],
    ['a full row, by auto', {}, { ...facts('auto'), dialect: full }, 'direct'],
    ['a full row, all known', known, { ...facts('csv'), dialect: full }, 'csv'],
    ['both', {}, { ...facts('auto', true), dialect: { ...full, put: 'replaces' } }, 'none'],
    [
      'what may be cleared',
      {},
      { ...facts('csv'), dialect: { ...full, mayClear: ['job', 'phoneNumber', 'seniority'] } },
      'csv',
    ],
  ])('never takes a way that clears an unknown value: %s', (_, after, given, route) => {
    expect(routeOf(change({ after: { ...wanted, ...after } }), given)).toBe(route);
  });

  it('regards a date that the platform shows in an unknown format, and no disable, create or remove', () => {
    const before = { userId: '1', enabled: true, fields: {}, unreadable: ['birthDate'] };
    const direct = { ...facts('direct'), dialect: replaces };
    expect(routeOf(change({ before, after: { ...wanted, ...known } }), direct)).toBe('none');
    expect(routeOf(change({ before, after: { ...wanted, ...known, birthDate: '2001-02-03' } }), direct)).toBe('direct');
    expect(routeOf(change({ kind: 'disable', before, after: {} }), { ...facts('csv'), dialect: full })).toBe('csv');
    expect(routeOf(change({ kind: 'remove', before, after: {} }), direct)).toBe('direct');
    expect(routeOf(create, direct)).toBe('direct');
  });
});

describe('changes that share a file', () => {
  it('are disables apart from all others', () => {
    expect(fileGroup(change({ kind: 'disable' }), defaultDialect)).toBe('D');
    expect(fileGroup(change({ kind: 'enable' }), defaultDialect)).toBe('IU:');
  });

  it('write the same fields that the platform does not show', () => {
    expect(fileGroup(change({ after: { ...wanted, job: '', seniority: 'x' } }), defaultDialect)).toBe(
      'IU:job+seniority',
    );
    expect(fileGroup(change({ after: { ...wanted, area: 'x' } }), defaultDialect)).toBe('IU:');
  });

  it('keep the same dates that cannot be read', () => {
    const before = { userId: '1', enabled: true, fields: { ...wanted, orgEntryDate: '2020-01-02' } };
    const group = (one: Change) => fileGroup(one, defaultDialect, ['orgEntryDate', 'birthDate', 'area']);
    expect(group(change({ before }))).toBe('IU:-birthDate');
    expect(group(change({ before, after: { birthDate: '1990-01-02', job: 'x' } }))).toBe('IU:job');
    expect(group(change({ before, after: { birthDate: '' } }))).toBe('IU:');
    expect(group(change({ kind: 'create', before: undefined, after: wanted }))).toBe('IU:');
    expect(fileGroup(change({ before }), defaultDialect)).toBe('IU:');
  });

  it('are all of them where empty cells keep what is there', () => {
    expect(fileGroup(change({ after: { job: 'x' } }), csv({ emptyCell: 'keeps' }))).toBe('IU');
    expect(fileGroup(change({ kind: 'disable' }), csv({ emptyCell: 'keeps' }))).toBe('D');
  });
});

describe('the columns of a file', () => {
  it('are all fields up to the highest custom field where the full header is required', () => {
    const columns = fileColumns([], { ...csv({ header: 'full' }), customFieldLimit: { direct: 1, csv: 2 } });
    expect(columns.slice(-3)).toEqual(['office', 'customField1', 'customField2']);
    expect(columns).toHaveLength(14);
  });
});

describe('writes that clear what they do not carry', () => {
  const replacing = { ...defaultDialect, put: 'replaces' } as const;
  const full = csv({ header: 'full' });
  it.each([
    ['files with the used columns', 'csv', defaultDialect, { byFile: false, byCall: false }],
    ['files with all columns', 'csv', full, { byFile: true, byCall: false }],
    [
      'files whose empty cells keep',
      'auto',
      csv({ header: 'full', emptyCell: 'keeps' }),
      { byFile: false, byCall: false },
    ],
    ['no files', 'direct', full, { byFile: false, byCall: false }],
    ['an outbox with all columns', 'outbox', full, { byFile: true, byCall: false }],
    ['calls that replace', 'direct', replacing, { byFile: false, byCall: true }],
    ['calls that replace, among files', 'auto', replacing, { byFile: false, byCall: true }],
    ['calls that replace, with files only', 'csv', replacing, { byFile: false, byCall: false }],
    ['calls that replace, with an outbox', 'outbox', replacing, { byFile: false, byCall: false }],
  ] as const)('%s', (_, delivery, dialect, expected) => {
    expect(clearingWrites({ delivery, parkEmail: undefined } as never, dialect)).toEqual(expected);
  });

  it('calls that free the e-mail of leavers, where files do the rest', () => {
    const parkEmail = '{identification}@parked.example.com';
    const by = (delivery: RouteFacts['delivery']) => clearingWrites({ delivery, parkEmail } as never, replacing).byCall;
    expect([by('csv'), by('outbox')]).toEqual([true, false]);
  });
});

describe('the fields of a call', () => {
  const before = {
    userId: '1',
    enabled: true,
    fields: { ...wanted, area: 'Sales', office: '3B', customField2: 'kept' },
  };

  it('are the written ones, and the others that the platform shows', () => {
    expect(directFields(change({ before, after: { lastName: 'Núñez', job: '' } }), defaultDialect)).toEqual({
      ...wanted,
      lastName: 'Núñez',
      job: '',
      area: 'Sales',
      customField2: 'kept',
    });
  });

  it('leave out the empty ones of a create', () => {
    const create = change({ kind: 'create', before: undefined, after: { ...wanted, area: '', job: 'x' } });
    expect(directFields(create, defaultDialect)).toEqual({ ...wanted, job: 'x' });
  });

  it.each([
    ['update', wanted, 30, true],
    ['create', wanted, 30, true],
    ['update', { ...wanted, office: 'Lima' }, 30, false],
    ['update', { ...wanted, customField5: 'x' }, 5, true],
    ['update', { ...wanted, customField6: 'x' }, 5, false],
    ['update', { customField31: 'x' }, 60, false],
    ['update', { customField30: 'x' }, undefined, true],
    ['remove', { office: 'Lima' }, 30, true],
    ['enable', {}, 30, false],
    ['disable', {}, 30, false],
  ] as const)('carry %s of %j with at most %s custom fields: %s', (kind, after, highest, isDirect) => {
    expect(isDirectlyDeliverable({ kind, after }, highest)).toBe(isDirect);
  });

  it('end at the highest custom field of calls', () => {
    const limited = { ...defaultDialect, customFieldLimit: { direct: 2, csv: 60 } };
    const after = { customField2: 'two', customField3: 'three' };
    expect(directFields(change({ kind: 'create', before: undefined, after }), limited)).toEqual({
      customField2: 'two',
    });
  });
});

it('a list is split into pieces of at most a size', () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunk([1, 2], 2)).toEqual([[1, 2]]);
  expect(chunk([], 2)).toEqual([]);
  expect(autoDirectLimit).toBe(20);
});

describe('the rows of a file', () => {
  const create = change({ kind: 'create', before: undefined, after: { ...wanted, customField2: 'CC' } });
  const rowsOf = (changes: readonly Change[], dialect = defaultDialect) => {
    const { header, rows } = buildFileRows(changes, dialect);
    return { header, rows: [...rows] };
  };

  it('have only the columns in use, in the order of the contract, identification before the custom fields', () => {
    const update = change({ identification: 'E2', after: { ...wanted, lastName: 'Núñez' } });
    const { header, rows } = rowsOf([create, update]);
    expect(header).toEqual(['command', 'email', 'firstName', 'lastName', 'identification', 'customField2']);
    expect(rows).toEqual([
      ['I', 'ana@example.com', 'Ana', 'Díaz', 'E1', 'CC'],
      ['U', 'ana@example.com', 'Ana', 'Núñez', 'E2', ''],
    ]);
  });

  it('carry what the platform shows where nothing is written, and nothing where neither side has a value', () => {
    const quiet = change({ before: { userId: '1', enabled: true, fields: { ...wanted, area: 'Sales' } } });
    const mover = change({ after: { ...wanted, area: 'Finance' } });
    const { header, rows } = rowsOf([quiet, mover, create]);
    expect(rows.map((row) => row[header.indexOf('area')])).toEqual(['Sales', 'Finance', '']);
  });

  it('have the identification as the platform shows it, and dates as the dialect wants them', () => {
    const before = { userId: '1', enabled: true, fields: wanted, rawIdentification: ' E1 ' };
    expect(rowsOf([change({ before })]).rows[0]?.at(-1)).toBe(' E1 ');
    expect(formatDate('2021-01-05', 'dd/MM/yyyy')).toBe('05/01/2021');
    expect(formatDate('', 'dd/MM/yyyy')).toBe('');
    expect(formatDate('2021-01', 'dd/MM/yyyy')).toBe('2021-01');
  });

  it.each([
    ['create', 'I', 'I'],
    ['update', 'I', 'U'],
    ['enable', 'I', 'I'],
    ['enable', 'U', 'U'],
    ['disable', 'I', 'D'],
  ] as const)('say %s, where the dialect enables by %s, with %s', (kind, enableBy, command) => {
    expect(rowsOf([change({ kind })], { ...defaultDialect, enableBy }).rows[0]?.[0]).toBe(command);
  });

  it('never carry a remove', () => {
    expect(() => rowsOf([change({ kind: 'remove', after: {}, changed: [] })])).toThrow(RangeError);
  });
});
