import { describe, expect, it } from 'vitest';
import { diffFields, withKnown } from '../../src/core/plan/diff.ts';
import { entry, user, wanted } from './cases.ts';

const writing = { firstSight: 'write', mapping: { fields: {} } } as const;
const assuming = { ...writing, firstSight: 'assume' } as const;
const none = { changed: [], firstSight: [], assumed: {} };

/** What is compared, without what a write carries. */
function differencesOf(...given: Parameters<typeof diffFields>) {
  const { written: _, ...difference } = diffFields(...given);
  return difference;
}

describe('readable fields', () => {
  it('are equal when shown as wanted, whatever the ledger says', () => {
    expect(differencesOf(wanted, user(), entry({ hidden: { lastName: 'x' } }), writing)).toEqual(none);
  });

  it('that are not wanted are not ours', () => {
    expect(
      differencesOf({ firstName: 'Ana' }, user({ fields: { ...wanted, area: 'Sales' } }), undefined, writing),
    ).toEqual(none);
  });

  it('that differ are changed', () => {
    expect(differencesOf({ ...wanted, area: 'Sales' }, user(), undefined, writing).changed).toEqual(['area']);
  });

  it('are cleared once: an absent field is an empty field', () => {
    expect(differencesOf({ area: '' }, user({ fields: { area: 'Sales' } }), undefined, writing).changed).toEqual([
      'area',
    ]);
    expect(differencesOf({ area: '' }, user(), undefined, writing)).toEqual(none);
  });

  it('that the platform keeps differently are no difference while both stand', () => {
    const known = entry({ quirks: { area: { sent: 'Sales and more', observed: 'Sales and' } } });
    const shown = user({ fields: { area: 'Sales and' } });
    expect(differencesOf({ area: 'Sales and more' }, shown, known, writing)).toEqual(none);
    expect(differencesOf({ area: 'Sales and much' }, shown, known, writing).changed).toEqual(['area']);
    expect(
      differencesOf({ area: 'Sales and more' }, user({ fields: { area: 'Changed' } }), known, writing).changed,
    ).toEqual(['area']);
  });

  it('that the platform ignored are sent again at most twice, and told from then on', () => {
    const ignoredTimes = (ignored: number) => {
      const known = entry({ quirks: { area: { sent: 'Sales', observed: '', ignored } } });
      return diffFields({ area: 'Sales' }, user(), known, writing);
    };
    expect([1, 2, 3].map((ignored) => ignoredTimes(ignored).changed)).toEqual([['area'], ['area'], []]);
    expect([2, 3].map((ignored) => ignoredTimes(ignored).givenUp)).toEqual([undefined, ['area']]);
  });

  it('that cannot be understood count as unobservable, never as a difference on every run', () => {
    const shown = user({ fields: {}, unreadable: ['orgEntryDate'] });
    const date = { orgEntryDate: '2021-01-05' };
    expect(differencesOf(date, shown, undefined, writing)).toMatchObject({
      changed: ['orgEntryDate'],
      firstSight: ['orgEntryDate'],
    });
    expect(differencesOf(date, shown, entry({ hidden: date }), writing)).toEqual(none);
  });
});

describe('write-only fields', () => {
  const job = { job: 'Baker' };

  it('are written once at first sight', () => {
    expect(differencesOf(job, user(), undefined, writing)).toEqual({
      changed: ['job'],
      firstSight: ['job'],
      assumed: {},
    });
  });

  it('are taken as equal at first sight where that is configured', () => {
    expect(differencesOf(job, user(), undefined, assuming)).toEqual({ changed: [], firstSight: [], assumed: job });
  });

  it('are compared with what was written last', () => {
    expect(differencesOf(job, user(), entry({ hidden: job }), writing)).toEqual(none);
    expect(differencesOf(job, user(), entry({ hidden: { job: 'Cook' } }), writing)).toEqual({
      changed: ['job'],
      firstSight: [],
      assumed: {},
      known: { job: 'Cook' },
    });
  });

  it('that were sent without a sign are sent again at most twice', () => {
    const sentTimes = (unverified: number) =>
      differencesOf(job, user(), entry({ hidden: job, unverified }), writing).changed;
    expect([0, 1, 2, 3].map(sentTimes)).toEqual([[], ['job'], ['job'], []]);
  });
});

describe('a write', () => {
  const both = { ...wanted, area: 'Sales', job: 'Baker', orgEntryDate: '2021-01-05' };
  const unseen = user({ unreadable: ['orgEntryDate'] });
  const writtenOf = (...[known, firstSight]: [ReturnType<typeof entry> | undefined, 'write' | 'assume']) =>
    diffFields(both, unseen, known, { ...writing, firstSight }).written;

  it('carries everything that is wanted', () => {
    expect(writtenOf(undefined, 'write')).toBe(both);
    expect(writtenOf(entry({ hidden: { job: 'Baker' } }), 'write')).toBe(both);
  });

  it('carries nothing that is only assumed', () => {
    expect(writtenOf(undefined, 'assume')).toEqual({ ...wanted, area: 'Sales' });
    expect(writtenOf(entry({ hidden: { job: 'Baker', orgEntryDate: '2021-01-05' } }), 'assume')).toEqual({
      ...wanted,
      area: 'Sales',
    });
  });

  it('carries what really changed against what was assumed', () => {
    expect(writtenOf(entry({ hidden: { job: 'Cook', orgEntryDate: '2021-01-05' } }), 'assume')).toEqual({
      ...wanted,
      area: 'Sales',
      job: 'Baker',
    });
  });
});

describe('a write that clears what it does not carry', () => {
  const known = entry({ hidden: { job: 'Pilot', seniority: 'x', birthDate: '1990-01-02', area: 'Sales' } });
  const carried = ['job', 'birthDate', 'area', 'phoneNumber'] as const;

  it('carries what the ledger knows of mapped fields that the platform does not show', () => {
    expect(withKnown(wanted, user(), known, carried)).toEqual({ ...wanted, job: 'Pilot' });
  });

  it('carries also what the platform shows in a form that is not understood', () => {
    expect(withKnown(wanted, user({ unreadable: ['birthDate'] }), known, carried)).toEqual({
      ...wanted,
      job: 'Pilot',
      birthDate: '1990-01-02',
    });
  });

  it('keeps the wanted value', () => {
    expect(withKnown({ ...wanted, job: '' }, user(), known, carried)).toEqual({ ...wanted, job: '' });
  });

  it('carries nothing more without a ledger', () => {
    expect(withKnown(wanted, user(), undefined, carried)).toEqual(wanted);
  });
});
