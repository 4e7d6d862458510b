import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldOrder } from '../../src/core/person/fields.ts';
import {
  beforeOf,
  changeKinds,
  compareIdentifications,
  differencesOf,
  episodeOf,
  isFreezable,
  type KnownEpisode,
  PlanDigest,
  partOf,
  platformKey,
  sealChange,
} from '../../src/core/plan/change.ts';
import { draft, user, wanted } from './cases.ts';

describe('hashes and digests', () => {
  it('are over the values in order of the names of their fields, however they were given', () => {
    const values = fc.dictionary(fc.constantFrom(...fieldOrder), fc.string());
    const naive = (fields: object, only: readonly string[] = fieldOrder): unknown =>
      Object.entries(fields)
        .filter(([name]) => only.includes(name))
        .sort(([a], [b]) => (a < b ? -1 : 1));
    fc.assert(
      fc.property(values, values, fc.subarray([...fieldOrder]), (after, fields, changed) => {
        const one = draft({ after, changed, before: { userId: '1', enabled: true, fields } });
        const before = { enabled: true, fields: naive(fields, changed) };
        const text = JSON.stringify([one.identification, one.rule, one.episode, before, naive(after)]);
        expect(sealChange(one).hash).toBe(hash('sha256', text, 'hex'));
      }),
    );
  });

  it('of two changes are equal only if rule, episode and values are', () => {
    const part = fc.record({
      identification: fc.constantFrom('E1', 'E2', 'E1"'),
      rule: fc.constantFrom('leaver-enabled', 'missing-disable', 'out-of-scope'),
      episode: fc.constantFrom('0', '1', '10'),
      after: fc.constantFrom({}, { lastName: 'Díaz' }, { lastName: '', firstName: 'Díaz' }),
      enabled: fc.boolean(),
      was: fc.constantFrom('Díaz', 'Before'),
    });
    const sealed = ({ enabled, was, ...rest }: typeof part extends fc.Arbitrary<infer Part> ? Part : never) =>
      sealChange(draft({ ...rest, before: { userId: '1', enabled, fields: { ...wanted, lastName: was } } }));
    fc.assert(
      fc.property(part, part, (a, b) => {
        const isEqual = JSON.stringify(a) === JSON.stringify(b);
        expect(sealed(a).hash === sealed(b).hash).toBe(isEqual);
      }),
    );
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

  it('a digest depends on every change and on their order', () => {
    const digestOf = (...hashes: readonly string[]) => {
      const digest = new PlanDigest();
      for (const hash of hashes) digest.add(hash);
      return digest.end();
    };
    const digests = [digestOf(), digestOf('a'), digestOf('a', 'b'), digestOf('b', 'a')];
    expect(new Set(digests).size).toBe(4);
  });
});

describe('episodes', () => {
  const ended = (rule: string, episode: number): KnownEpisode => ({ rule, episode: `${episode}`, endedAt: 1 });
  const open = (rule: string, episode: number): KnownEpisode => ({ rule, episode: `${episode}`, endedAt: undefined });

  it.each<[string, readonly KnownEpisode[], string]>([
    ['nothing is known', [], '0'],
    ['another rule has ended', [ended('missing-disable', 3)], '0'],
    ['it goes on', [open('leaver-enabled', 2), ended('leaver-enabled', 1)], '2'],
    ['it has ended', [ended('leaver-enabled', 0)], '1'],
    ['it has ended ten times', [9, 10, 2].map((episode) => ended('leaver-enabled', episode)), '11'],
  ])('are numbered when %s', (_, known, episode) => {
    expect(episodeOf('leaver-enabled', known)).toBe(episode);
  });

  it('never repeat, in whatever order a store gives them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 30 }), { maxLength: 20 }), (numbers) => {
        const known = numbers.map((number) => ended('leaver-enabled', number));
        expect(numbers.map(String)).not.toContain(episodeOf('leaver-enabled', known));
      }),
    );
  });
});

describe('the user before a change', () => {
  it('is stored without what is not known', () => {
    const { lastUpdate: _, ...plain } = user();
    expect(beforeOf(plain)).toEqual({ userId: '1', enabled: true, fields: wanted });
  });

  it('is stored with what is known', () => {
    expect(beforeOf(user({ rawIdentification: ' e1' }), { job: 'Pilot' })).toEqual({
      userId: '1',
      enabled: true,
      fields: wanted,
      lastUpdate: '2026-01-01T00:00:00',
      rawIdentification: ' e1',
      assumed: { job: 'Pilot' },
    });
  });

  it('has the identification as the platform writes it', () => {
    expect(platformKey({ identification: 'E1', before: undefined })).toBe('E1');
    expect(platformKey({ identification: 'E1', before: beforeOf(user({ rawIdentification: ' e1' })) })).toBe(' e1');
  });
});

it('changes of leaders are a part of their own, and a freeze stops what takes an account away', () => {
  expect(changeKinds.filter((kind) => partOf({ kind }) === 'leaders')).toEqual(['lead', 'unlead']);
  expect(changeKinds.filter(isFreezable)).toEqual(['disable', 'remove']);
});

const shownBefore = { userId: '1', enabled: true, fields: { firstName: 'Ana', lastName: 'Díaz', area: 'Sales' } };

it('shows each changed field with both values, and empty ones as empty', () => {
  expect(
    differencesOf({
      kind: 'update',
      before: shownBefore,
      after: { firstName: 'Anna', lastName: 'Díaz', area: '', office: '3B' },
      changed: ['firstName', 'area', 'office'],
    }),
  ).toEqual([
    { field: 'firstName', before: 'Ana', after: 'Anna' },
    { field: 'area', before: 'Sales', after: '' },
    { field: 'office', before: '', after: '3B' },
  ]);
});

it('does not call a field empty that the platform does not return', () => {
  expect(differencesOf({ kind: 'update', before: shownBefore, after: { job: 'Pilot' }, changed: ['job'] })).toEqual([
    { field: 'job', before: undefined, after: 'Pilot' },
  ]);
});

it('shows every field with a value of a create, and a field without a new value as empty', () => {
  const create = { kind: 'create', before: undefined, after: { firstName: 'Ana', area: '' }, changed: [] } as const;
  expect(differencesOf(create)).toEqual([{ field: 'firstName', before: '', after: 'Ana' }]);
  expect(differencesOf({ ...create, kind: 'disable', changed: ['area', 'office'] })).toEqual([
    { field: 'area', before: '', after: '' },
    { field: 'office', before: '', after: '' },
  ]);
});
