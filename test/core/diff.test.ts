import { describe, expect, it } from 'vitest';
import { diffFields } from '../../src/core/diff.ts';
import { entry, user, wanted } from './cases.ts';

const none = { changed: [], firstSight: [], assumed: {} };

describe('readable fields', () => {
  it('are equal when shown as wanted, whatever the ledger says', () => {
    expect(diffFields(wanted, user(), entry({ hidden: { lastName: 'x' } }), 'write')).toEqual(none);
  });

  it('that are not wanted are not ours', () => {
    expect(
      diffFields({ firstName: 'Ana' }, user({ fields: { ...wanted, area: 'Sales' } }), undefined, 'write'),
    ).toEqual(none);
  });

  it('that differ are changed', () => {
    expect(diffFields({ ...wanted, area: 'Sales' }, user(), undefined, 'write').changed).toEqual(['area']);
  });

  it('are cleared once: an absent field is an empty field', () => {
    expect(diffFields({ area: '' }, user({ fields: { area: 'Sales' } }), undefined, 'write').changed).toEqual(['area']);
    expect(diffFields({ area: '' }, user(), undefined, 'write')).toEqual(none);
  });

  it('that the platform keeps differently are no difference while both stand', () => {
    const known = entry({ quirks: { area: { sent: 'Sales and more', observed: 'Sales and' } } });
    const shown = user({ fields: { area: 'Sales and' } });
    expect(diffFields({ area: 'Sales and more' }, shown, known, 'write')).toEqual(none);
    expect(diffFields({ area: 'Sales and much' }, shown, known, 'write').changed).toEqual(['area']);
    expect(
      diffFields({ area: 'Sales and more' }, user({ fields: { area: 'Changed' } }), known, 'write').changed,
    ).toEqual(['area']);
  });

  it('that the platform ignored are sent again at most twice, and told from then on', () => {
    const ignoredTimes = (ignored: number) => {
      const known = entry({ quirks: { area: { sent: 'Sales', observed: '', ignored } } });
      return diffFields({ area: 'Sales' }, user(), known, 'write');
    };
    expect([1, 2, 3].map((ignored) => ignoredTimes(ignored).changed)).toEqual([['area'], ['area'], []]);
    expect([2, 3].map((ignored) => ignoredTimes(ignored).givenUp)).toEqual([undefined, ['area']]);
  });

  it('that cannot be understood count as unobservable, never as a difference on every run', () => {
    const shown = user({ fields: {}, unreadable: ['orgEntryDate'] });
    const date = { orgEntryDate: '2021-01-05' };
    expect(diffFields(date, shown, undefined, 'write')).toMatchObject({
      changed: ['orgEntryDate'],
      firstSight: ['orgEntryDate'],
    });
    expect(diffFields(date, shown, entry({ hidden: date }), 'write')).toEqual(none);
  });
});

describe('write-only fields', () => {
  const job = { job: 'Baker' };

  it('are written once at first sight', () => {
    expect(diffFields(job, user(), undefined, 'write')).toEqual({ changed: ['job'], firstSight: ['job'], assumed: {} });
  });

  it('are taken as equal at first sight where that is configured', () => {
    expect(diffFields(job, user(), undefined, 'assume')).toEqual({ changed: [], firstSight: [], assumed: job });
  });

  it('are compared with what was written last', () => {
    expect(diffFields(job, user(), entry({ hidden: job }), 'write')).toEqual(none);
    expect(diffFields(job, user(), entry({ hidden: { job: 'Cook' } }), 'write')).toEqual({
      changed: ['job'],
      firstSight: [],
      assumed: {},
    });
  });

  it('that were sent without a sign are sent again at most twice', () => {
    const sentTimes = (unverified: number) =>
      diffFields(job, user(), entry({ hidden: job, unverified }), 'write').changed;
    expect([0, 1, 2, 3].map(sentTimes)).toEqual([[], ['job'], ['job'], []]);
  });
});
