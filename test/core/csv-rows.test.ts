import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileGroup, routeOf } from '../../src/core/batch.ts';
import { compareIdentifications, PlanDigest, sealChange } from '../../src/core/change.ts';
import { buildFileRows, formatDate } from '../../src/core/csv-rows.ts';
import { defaultDialect } from '../../src/core/settings.ts';
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

  it('write dates as the dialect wants them', () => {
    expect(formatDate('2021-01-05', 'dd/MM/yyyy')).toBe('05/01/2021');
    expect(formatDate('', 'dd/MM/yyyy')).toBe('');
  });

  it('write every column of the contract where the dialect wants the full header', () => {
    const full = { ...defaultDialect, csv: { ...defaultDialect.csv, header: 'full' } } as const;
    expect(buildFileRows([update], full).header).toHaveLength(74);
  });

  it('never carry a remove', () => {
    const remove = sealChange(draft({ kind: 'remove', after: {}, changed: [] }));
    expect(() => [...buildFileRows([remove], defaultDialect).rows]).toThrow(RangeError);
  });
});

describe('routes', () => {
  const facts = { delivery: 'auto', isSmallAndDirect: false } as const;

  it.each([
    { change: draft({ kind: 'remove' }), facts, route: 'direct' },
    { change: draft(), facts, route: 'csv' },
    { change: draft(), facts: { ...facts, isSmallAndDirect: true }, route: 'direct' },
    { change: draft({ kind: 'disable' }), facts: { ...facts, isSmallAndDirect: true }, route: 'csv' },
    { change: draft({ kind: 'disable' }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ kind: 'enable' }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ after: { office: 'Lima' } }), facts: { ...facts, delivery: 'direct' }, route: 'none' },
    { change: draft({ kind: 'remove' }), facts: { ...facts, delivery: 'outbox' }, route: 'none' },
    { change: draft(), facts: { ...facts, delivery: 'outbox' }, route: 'outbox' },
  ] as const)('$facts.delivery sends $change.kind by $route', ({ change, facts: by, route }) => {
    expect(routeOf(change, by)).toBe(route);
  });

  it('rows that write different write-only fields never share a file, because an empty cell clears', () => {
    const baker = sealChange(draft({ after: { ...wanted, job: 'Baker' } }));
    expect(fileGroup(baker, defaultDialect)).not.toBe(fileGroup(update, defaultDialect));
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

describe('hashes and digests', () => {
  it('do not depend on the order in which fields were named', () => {
    const [a, b] = [
      { firstName: 'Ana', lastName: 'Díaz' },
      { lastName: 'Díaz', firstName: 'Ana' },
    ];
    expect(sealChange(draft({ after: a })).hash).toBe(sealChange(draft({ after: b })).hash);
  });

  it('depend on who, what, before and after', () => {
    const variants = [
      draft(),
      draft({ identification: 'E9' }),
      draft({ kind: 'enable' }),
      draft({ after: { lastName: 'Other' } }),
      draft({ before: { userId: '1', enabled: false, fields: wanted } }),
      draft({ before: { userId: '1', enabled: true, fields: { ...wanted, lastName: 'Before' } } }),
    ];
    expect(new Set(variants.map((one) => sealChange(one).hash)).size).toBe(variants.length);
  });

  it('do not change when an unrelated field of the user moves', () => {
    const before = { userId: '9', enabled: true, fields: { ...wanted, area: 'Elsewhere' }, lastUpdate: 'later' };
    expect(sealChange(draft({ before })).hash).toBe(sealChange(draft()).hash);
  });

  it('identifications are ordered by code point, in every store the same', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (names) => {
        const sorted = [...names].sort(compareIdentifications);
        const byBytes = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(sorted).toEqual(byBytes);
      }),
    );
    expect(['\u{1F600}', '\uFFFD'].sort(compareIdentifications)).toEqual(['\uFFFD', '\u{1F600}']);
  });

  it('a digest of no changes is stable', () => {
    expect(new PlanDigest().end()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
