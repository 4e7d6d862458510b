import { describe, expect, it } from 'vitest';
import { isDirectlyDeliverable, sealChange } from '../../src/core/plan/change.ts';
import {
  buildFileRows,
  chunk,
  directFields,
  fileColumns,
  fileGroup,
  formatDate,
  routeOf,
} from '../../src/core/run/batch.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import { draft, wanted } from './cases.ts';

const create = sealChange(
  draft({ kind: 'create', before: undefined, after: { ...wanted, customField2: 'CC' }, changed: ['email'] }),
);
const update = sealChange(draft({ identification: 'E2', after: { ...wanted, lastName: 'Núñez' } }));
const disable = sealChange(draft({ identification: 'E3', kind: 'disable', after: {}, changed: [] }));

describe('file rows', () => {
  it('have only the columns in use, in the order of the contract, identification before the custom fields', () => {
    const { header, rows } = buildFileRows([create, update], defaultDialect);
    expect(header).toEqual(['command', 'email', 'firstName', 'lastName', 'identification', 'customField2']);
    expect([...rows]).toEqual([
      ['I', 'ana@example.com', 'Ana', 'Díaz', 'E1', 'CC'],
      ['U', 'ana@example.com', 'Ana', 'Núñez', 'E2', ''],
    ]);
  });

  it('carry what the platform shows where nothing is written, so that no cell clears by accident', () => {
    const before = { userId: '1', enabled: true, fields: { ...wanted, area: 'Sales' } };
    const quiet = sealChange(draft({ identification: 'E4', before }));
    const mover = sealChange(draft({ identification: 'E5', after: { ...wanted, area: 'Finance' } }));
    const { header, rows } = buildFileRows([quiet, mover], defaultDialect);
    expect([...rows][0]?.[header.indexOf('area')]).toBe('Sales');
  });

  it('have an empty cell where neither side has a value', () => {
    const inSales = sealChange(draft({ kind: 'create', before: undefined, after: { ...wanted, area: 'Sales' } }));
    const { header, rows } = buildFileRows([create, inSales], defaultDialect);
    expect([...rows].map((row) => row[header.indexOf('area')])).toEqual(['', 'Sales']);
  });

  it('carry the identification as the platform shows it', () => {
    const before = { userId: '1', enabled: true, fields: wanted, rawIdentification: ' E1 ' };
    const { header, rows } = buildFileRows([sealChange(draft({ before }))], defaultDialect);
    expect([...rows][0]?.[header.indexOf('identification')]).toBe(' E1 ');
  });

  it('write dates as the dialect wants them', () => {
    expect(formatDate('2021-01-05', 'dd/MM/yyyy')).toBe('05/01/2021');
    expect(formatDate('', 'dd/MM/yyyy')).toBe('');
    expect(formatDate('2021-01', 'dd/MM/yyyy')).toBe('2021-01');
  });

  it('write every column of the contract where the dialect wants the full header', () => {
    const full = { ...defaultDialect, csv: { ...defaultDialect.csv, header: 'full' } } as const;
    expect(buildFileRows([update], full).header).toHaveLength(74);
  });

  it('have custom fields up to the limit of the dialect', () => {
    const csv = { ...defaultDialect.csv, header: 'full' } as const;
    const { header } = buildFileRows([update], { ...defaultDialect, csv, customFieldLimit: { direct: 2, csv: 3 } });
    expect(header.slice(-4)).toEqual(['identification', 'customField1', 'customField2', 'customField3']);
  });

  it.each([
    ['create', 'I'],
    ['update', 'U'],
    ['enable', 'I'],
    ['disable', 'D'],
  ] as const)('say %s with %s where the dialect enables by I', (kind, command) => {
    const { rows } = buildFileRows([sealChange(draft({ kind }))], { ...defaultDialect, enableBy: 'I' });
    expect([...rows][0]?.[0]).toBe(command);
  });

  it('enable with U by default', () => {
    expect([...buildFileRows([sealChange(draft({ kind: 'enable' }))], defaultDialect).rows][0]?.[0]).toBe('U');
  });

  it('always have the names, which the platform requires', () => {
    expect(fileColumns([disable], defaultDialect)).toEqual(['firstName', 'lastName']);
  });

  it('never carry a remove', () => {
    const remove = sealChange(draft({ kind: 'remove', after: {}, changed: [] }));
    expect(() => [...buildFileRows([remove], defaultDialect).rows]).toThrow(RangeError);
  });
});

describe('a direct write', () => {
  const shown = { ...wanted, area: 'Sales', account: '', office: 'Lima', customField31: 'x', customField2: 'y' };
  const before = { userId: '1', enabled: true, fields: shown };

  it('has what is written and what the platform shows besides, as far as the platform takes it directly', () => {
    const change = sealChange(draft({ before, after: { lastName: 'Núñez', birthDate: '', office: 'Cusco' } }));
    expect(directFields(change, defaultDialect)).toEqual({
      ...wanted,
      lastName: 'Núñez',
      birthDate: '',
      area: 'Sales',
      account: '',
      customField2: 'y',
    });
    const two = { ...defaultDialect, customFieldLimit: { direct: 2, csv: 60 } };
    expect(directFields(change, two)).toHaveProperty('customField2', 'y');
    const one = { ...defaultDialect, customFieldLimit: { direct: 1, csv: 60 } };
    expect(directFields(change, one)).not.toHaveProperty('customField2');
  });

  it('of a create has no blank fields', () => {
    const change = sealChange(
      draft({ kind: 'create', before: undefined, after: { ...wanted, area: '', job: 'Baker' } }),
    );
    expect(directFields(change, defaultDialect)).toStrictEqual({ ...wanted, job: 'Baker' });
  });

  it.each([
    ['update', wanted, 30, true],
    ['create', wanted, 30, true],
    ['update', { ...wanted, office: 'Lima' }, 30, false],
    ['update', { ...wanted, customField5: 'x' }, 5, true],
    ['update', { ...wanted, customField6: 'x' }, 5, false],
    ['update', { customField31: 'x' }, 60, false],
    ['remove', { office: 'Lima' }, 30, true],
    ['enable', {}, 30, false],
    ['disable', {}, 30, false],
  ] as const)('can carry %s of %j with at most %i custom fields: %s', (kind, after, highest, isDirect) => {
    expect(isDirectlyDeliverable({ kind, after }, highest)).toBe(isDirect);
  });

  it('takes thirty custom fields unless the dialect says else', () => {
    expect(isDirectlyDeliverable({ kind: 'update', after: { customField30: 'x' } })).toBe(true);
  });
});

describe('pieces of a list', () => {
  it.each([
    [[], 2, []],
    [[1, 2], 2, [[1, 2]]],
    [[1, 2, 3], 2, [[1, 2], [3]]],
    [
      [1, 2, 3, 4],
      2,
      [
        [1, 2],
        [3, 4],
      ],
    ],
  ])('%j by %i is %j', (items, size, pieces) => {
    expect(chunk(items, size)).toEqual(pieces);
  });
});

describe('routes', () => {
  const off = { userId: '1', enabled: false, fields: {} };
  const facts = { delivery: 'auto', isSmallAndDirect: false } as const;

  it.each([
    { change: draft({ kind: 'remove' }), facts, route: 'direct' },
    { change: draft(), facts, route: 'csv' },
    { change: draft(), facts: { ...facts, isSmallAndDirect: true }, route: 'direct' },
    { change: draft(), facts: { delivery: 'csv', isSmallAndDirect: true }, route: 'csv' },
    { change: draft(), facts: { delivery: 'direct', isSmallAndDirect: false }, route: 'direct' },
    { change: draft({ after: { office: 'Lima' } }), facts: { ...facts, isSmallAndDirect: true }, route: 'csv' },
    { change: draft({ kind: 'disable' }), facts: { ...facts, isSmallAndDirect: true }, route: 'csv' },
    { change: draft({ kind: 'disable' }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ kind: 'enable' }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ after: { office: 'Lima' } }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ kind: 'remove' }), facts: { ...facts, delivery: 'outbox' }, route: 'none' },
    { change: draft(), facts: { ...facts, delivery: 'outbox' }, route: 'outbox' },
    { change: draft({ before: off }), facts: { ...facts, delivery: 'csv' }, route: 'direct' },
    { change: draft({ before: off }), facts: { ...facts, delivery: 'outbox' }, route: 'none' },
  ] as const)('$facts.delivery sends $change.kind by $route', ({ change, facts: by, route }) => {
    expect(routeOf(change, { ...by, dialect: defaultDialect })).toBe(route);
  });

  it('rows that write different write-only fields never share a file, because an empty cell clears', () => {
    const baker = sealChange(draft({ after: { ...wanted, job: 'Baker' } }));
    expect([update, baker].map((change) => fileGroup(change, defaultDialect))).toEqual(['IU:', 'IU:job']);
    const keeps = { ...defaultDialect, csv: { ...defaultDialect.csv, emptyCell: 'keeps' } } as const;
    expect(fileGroup(baker, keeps)).toBe(fileGroup(update, keeps));
    expect(fileGroup(disable, keeps)).not.toBe(fileGroup(update, keeps));
  });
});

describe('a date that the platform shows in no form that can be read', () => {
  const mapped = ['email', 'birthDate'] as const;
  const keeper = sealChange(draft());
  const shown = { userId: '1', enabled: true, fields: { ...wanted, birthDate: '1990-02-03' } };

  it('is not cleared by the empty cell of a file in which another row writes one', () => {
    const writer = sealChange(draft({ after: { ...wanted, birthDate: '1990-02-03' } }));
    const carrier = sealChange(draft({ before: shown }));
    const cleared = sealChange(draft({ after: { ...wanted, birthDate: '' } }));
    for (const other of [writer, carrier, cleared]) {
      expect(fileGroup(keeper, defaultDialect, mapped)).not.toBe(fileGroup(other, defaultDialect, mapped));
      expect(fileGroup(writer, defaultDialect, mapped)).toBe(fileGroup(other, defaultDialect, mapped));
    }
  });

  it('keeps nobody apart whose mapping has no such date, nor a new user', () => {
    expect(fileGroup(keeper, defaultDialect, ['email'])).toBe(fileGroup(update, defaultDialect, ['email']));
    expect(fileGroup(create, defaultDialect, mapped)).toBe(
      fileGroup(sealChange(draft({ before: shown })), defaultDialect, mapped),
    );
  });
});
