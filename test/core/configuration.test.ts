import { describe, expect, it } from 'vitest';
import { sourceIdentity } from '../../src/config/fingerprint.ts';
import type { ChangeDraft } from '../../src/core/plan/change.ts';
import {
  type Configuration,
  canonicalJson,
  differsByEdit,
  editedKeys,
  editedSentence,
  editSentence,
  elsewhereKeys,
  isGivenBack,
  type LastWrite,
  ownDialect,
} from '../../src/core/plan/configuration.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';

const before = { userId: '9', enabled: true, fields: { firstName: 'Ana', area: 'Sales' } };
const change = (over: Partial<ChangeDraft> = {}): ChangeDraft => ({
  identification: 'eva',
  kind: 'update',
  before,
  after: { firstName: 'Eva', area: 'North' },
  changed: ['firstName', 'area'],
  classes: ['updates'],
  reason: 'differs',
  ...over,
});
const disable = change({ kind: 'disable', after: {}, changed: [] });

describe('what differs by an edit alone', () => {
  it.each<{ what: string; now: ChangeDraft; earlier?: ChangeDraft; parts: readonly string[] }>([
    { what: 'every field of an update that was not made before', now: change(), parts: ['firstName', 'area'] },
    { what: 'nothing of the same update', now: change(), earlier: change(), parts: [] },
    {
      what: 'the fields with other values',
      now: change(),
      earlier: change({ after: { firstName: 'Eva', area: 'South' } }),
      parts: ['area'],
    },
    { what: 'the fields that are new', now: change(), earlier: change({ changed: ['area'] }), parts: ['firstName'] },
    { what: 'nothing of an update that does less', now: change({ changed: ['area'] }), earlier: change(), parts: [] },
    { what: 'a disable as a whole', now: disable, parts: ['disable'] },
    { what: 'nothing of the same disable', now: disable, earlier: disable, parts: [] },
    { what: 'a disable in place of an update', now: disable, earlier: change(), parts: ['disable'] },
  ])('is $what', ({ now, earlier, parts }) => {
    expect(differsByEdit(now, earlier)).toEqual(parts);
  });
});

describe('giving back', () => {
  const back = change({ after: { firstName: 'Ana', area: 'Sales' } });
  const last: LastWrite = { kind: 'update', before, classes: ['updates', 'configuration'], configuration: 'edited' };
  const isBack = (one: ChangeDraft, write: LastWrite | undefined = last, replaced = ['edited']) =>
    isGivenBack(one, one.kind === 'update' ? one.changed : [one.kind], write, replaced);

  it('is an update to the values before the last write, made under a configuration that is replaced', () => {
    expect(isBack(back)).toBe(true);
    expect(isBack(change())).toBe(false);
    expect(isBack(change({ after: { firstName: 'Ana', area: 'North' } }))).toBe(false);
    expect(isBack(back, { ...last, configuration: 'older' })).toBe(false);
    expect(isBack(back, { ...last, configuration: undefined })).toBe(false);
    expect(isGivenBack(back, back.changed, undefined, ['edited'])).toBe(false);
  });

  it('is never a value that the platform does not show, nor what a giving back had taken', () => {
    expect(isBack(change({ after: { job: '' }, changed: ['job'] }))).toBe(false);
    expect(isBack(back, { ...last, classes: [] })).toBe(false);
  });

  it('is an enable of what the last write disabled, and nothing that locks out', () => {
    const enable = change({ kind: 'enable', changed: [] });
    expect(isBack(enable, { ...last, kind: 'disable' })).toBe(true);
    expect(isBack(enable)).toBe(false);
    expect(isBack(enable, { ...last, kind: 'disable', before: { ...before, enabled: false } })).toBe(false);
    expect(isBack(disable)).toBe(false);
    expect(isBack(change({ kind: 'create', before: undefined }))).toBe(false);
  });
});

it('an edit is named by its keys, down to the mapped field', () => {
  const rule = { kind: 'from', path: 'a', transform: [], format: undefined, whenEmpty: 'keep' } as const;
  const of = (area: string, scope: string | undefined, source: string) =>
    ({
      settings: { mapping: { identification: rule, fields: { area: { ...rule, path: area } } }, scope },
      elsewhere: { connection: 'c', source, dialect: 'd' },
    }) as unknown as Configuration;
  expect(editedKeys(of('a', undefined, 's'), of('a', undefined, 's'))).toEqual([]);
  const edit = [of('a', undefined, 's'), of('b', 'x', 't')] as const;
  expect(editedKeys(...edit)).toEqual(['mapping.area', 'scope', 'source']);
  // Only another read tells what these change.
  expect(elsewhereKeys(...edit)).toEqual(['source']);
});

it('only what differs from the defaults is part of a dialect, so a new key of a later version is no edit', () => {
  expect(ownDialect(defaultDialect, defaultDialect)).toEqual({});
  const csv = { ...defaultDialect.csv, delimiter: ';' };
  expect(ownDialect({ ...defaultDialect, csv }, defaultDialect)).toEqual({ csv: { delimiter: ';' } });
});

describe('the identity of a source', () => {
  const source = {
    kind: 'rest',
    url: 'https://hr.example.com/people',
    auth: { kind: 'bearer', token: 'one' },
    limits: { requestsPerSecond: 5 },
    fields: ['a'],
  };

  it.each([
    { what: 'another token', over: { auth: { kind: 'bearer', token: 'two' } }, isSame: true },
    { what: 'another limit', over: { limits: { requestsPerSecond: 9 } }, isSame: true },
    { what: 'another address', over: { url: 'https://other.example.com/people' }, isSame: false },
    { what: 'another list of fields', over: { fields: ['a', 'b'] }, isSame: false },
  ])('with $what is the same: $isSame', ({ over, isSame }) => {
    expect(sourceIdentity({ ...source, ...over }) === sourceIdentity(source)).toBe(isSame);
  });

  it('has no user and no password of an address', () => {
    const of = (url: string) => sourceIdentity({ kind: 'sql', url });
    expect(of('postgres://rollcall:one@db/hr')).toBe(of('postgres://other:two@db/hr'));
    expect(of('postgres://rollcall:one@db/hr')).not.toBe(of('postgres://rollcall:one@db/payroll'));
  });
});

it('the sentence names fields and kinds, the most frequent first, and some people', () => {
  expect(editSentence({ people: 45, parts: { area: 12, firstName: 45, disable: 3 } }, ['E1', 'E2'])).toBe(
    'this edit changes 45 people: firstName 45, area 12, disables 3; for example E1, E2',
  );
  expect(editSentence({ people: 1, parts: { area: 1 } })).toBe('this edit changes 1 person: area 1');
});

it('at most eight edited keys are named, and the others counted', () => {
  const keys = Array.from({ length: 10 }, (_, i) => `mapping.customField${i}`);
  expect(editedSentence(keys.slice(0, 8))).toBe(`Edited: ${keys.slice(0, 8).join(', ')}`);
  expect(editedSentence(keys)).toBe(`Edited: ${keys.slice(0, 8).join(', ')}, 2 more keys`);
});

it('settings are equal whatever the order of their keys', () => {
  expect(canonicalJson({ b: [null, { d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[null,{"d":1}]}');
  expect(canonicalJson({ c: 1, a: 2, b: 3 })).toBe(canonicalJson({ b: 3, c: 1, a: 2 }));
  expect(canonicalJson(undefined)).toBe('');
});
