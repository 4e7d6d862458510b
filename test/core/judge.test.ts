import { describe, expect, it } from 'vitest';
import { type ChangeDraft, sealChange } from '../../src/core/plan/change.ts';
import { judgeChange } from '../../src/core/plan/judge.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { draft, entry, user, wanted } from './cases.ts';

const moved = '2026-11-21T12:00:00';
const update = sealChange(draft());

describe('judging a change by what the platform shows', () => {
  const create = (more: object = {}) => draft({ kind: 'create', before: undefined, after: { ...wanted, ...more } });
  const enable = draft({ kind: 'enable', changed: [] });
  const disable = draft({ kind: 'disable', after: {}, changed: [] });
  const remove = draft({ kind: 'remove', after: {}, changed: [] });
  const job = draft({ after: { job: 'Baker' }, changed: ['job'] });
  const isMoved = user({ lastUpdate: moved });
  const off = user({ enabled: false });

  it.each([
    ['an update that is shown is applied', draft(), user({ fields: { ...wanted, lastName: 'Núñez' } }), 'applied'],
    ['an update of which nothing is seen is not seen', draft(), user(), 'not-seen'],
    ['an update that moved the user but not the field was ignored', draft(), isMoved, 'ignored'],
    ['a create that is shown is applied', create(), user(), 'applied'],
    ['a create without its user is not seen', create(), undefined, 'not-seen'],
    ['a create that lost a field was ignored in part', create({ area: 'Sales' }), user(), 'ignored'],
    ['a disable is applied when the user is disabled', disable, off, 'applied'],
    ['a disable is not seen while the user is enabled', disable, isMoved, 'not-seen'],
    ['an enable is not seen while the user is disabled', enable, off, 'not-seen'],
    ['an enable is applied when the user is enabled', enable, user(), 'applied'],
    ['a remove is applied when the user is gone', remove, undefined, 'applied'],
    ['a remove is not seen while the user is there', remove, user(), 'not-seen'],
    ['write-only fields are applied when the user moved', job, isMoved, 'applied'],
    ['write-only fields are unverified when nothing moved', job, user(), 'unverified'],
  ])('%s', (_, change, shown, kind) => {
    expect(judgeChange(sealChange(change), shown, undefined).kind).toBe(kind);
  });

  const quirk = (observed: string, ignored?: number) => {
    const known = { sent: 'Núñez', observed, ...(ignored === undefined ? {} : { ignored }) };
    return { lastName: known };
  };
  const edited = {
    kind: 'not-seen',
    what: 'lastName was changed by another person or system',
    overwritten: ['lastName'],
  };

  it.each<[what: string, shown: string | undefined, known: LedgerEntry['quirks'] | undefined, verdict: object]>([
    ['that is kept differently as applied', 'NÚÑEZ', undefined, { kind: 'applied', quirks: quirk('NÚÑEZ') }],
    ['that is neither the old nor the new one as edited', 'Paz', undefined, edited],
    ['that was emptied as edited', undefined, undefined, edited],
    ['that is known to be kept so as applied', 'N.', quirk('N.'), { kind: 'applied', quirks: quirk('N.') }],
    ['as edited where another form is known', 'P.', quirk('N.'), edited],
    ['as edited where the form was that of an ignored write', 'P.', quirk('P.', 1), edited],
  ])('takes a value %s', (...[, lastName, quirks, verdict]) => {
    const { lastName: _, ...others } = wanted;
    const shown = user({ fields: { ...others, ...(lastName === undefined ? {} : { lastName }) }, lastUpdate: moved });
    expect(judgeChange(update, shown, quirks && entry({ quirks }))).toEqual(verdict);
  });

  it.each([
    { kind: 'update' as const, before: draft().before, quirks: {} },
    { kind: 'create' as const, before: undefined, quirks: {} },
    { kind: 'enable' as const, before: { userId: '1', enabled: false, fields: wanted }, quirks: {} },
  ])('of a $kind that was taken in part it remembers no edit by someone else', ({ kind, before, quirks }) => {
    const change = draft({
      kind,
      before,
      after: { ...wanted, lastName: 'Núñez', area: 'Sales' },
      changed: ['lastName', 'area'],
    });
    const shown = user({ fields: { ...wanted, lastName: 'Núñez', area: 'Support' }, lastUpdate: moved });
    const verdict = judgeChange(sealChange(change), shown, undefined);
    expect(verdict).toEqual({ kind: 'ignored', fields: [], overwritten: ['area'], quirks });
  });

  it.each(['create', 'enable'] as const)(
    'of a %s whose every field was edited it says that the user is there',
    (kind) => {
      const before = kind === 'create' ? undefined : { userId: '1', enabled: false, fields: { lastName: 'Díaz' } };
      const change = sealChange(draft({ kind, before, after: { lastName: 'Núñez' }, changed: ['lastName'] }));
      const verdict = judgeChange(change, user({ fields: { lastName: 'Paz' } }), undefined);
      expect(verdict).toEqual({ kind: 'ignored', fields: [], overwritten: ['lastName'], quirks: {} });
    },
  );

  it('tells what was ignored apart from what was edited', () => {
    const change = draft({
      after: { ...wanted, lastName: 'Núñez', area: 'Sales', project: 'Alpha' },
      changed: ['lastName', 'area', 'project'],
    });
    const shown = user({ fields: { ...wanted, lastName: 'Núñez', area: 'Support' } });
    expect(judgeChange(sealChange(change), shown, undefined)).toEqual({
      kind: 'ignored',
      fields: ['project'],
      overwritten: ['area'],
      quirks: { project: { sent: 'Alpha', observed: '', ignored: 1 } },
    });
  });

  it('takes write-only fields of a user whom someone else edited for not seen', () => {
    const change = draft({ after: { lastName: 'Núñez', job: 'Baker' }, changed: ['lastName', 'job'] });
    const shown = user({ fields: { ...wanted, lastName: 'Paz' }, lastUpdate: moved });
    expect(judgeChange(sealChange(change), shown, undefined).kind).toBe('not-seen');
  });

  it('compares e-mails without case, in what was sent and in what was before', () => {
    const change = sealChange(draft({ after: { ...wanted, email: 'Ana.Diaz@Example.com' }, changed: ['email'] }));
    const shownAs = (email: string) => judgeChange(change, user({ fields: { ...wanted, email } }), undefined);
    expect(shownAs('ana.diaz@example.com')).toEqual({ kind: 'applied', quirks: {} });
    expect(shownAs('ANA@example.com')).toEqual({ kind: 'not-seen', what: 'the platform still shows the former email' });
  });

  it('learns nothing of a field that was sent along unchanged and that someone else edited', () => {
    const fields = { ...wanted, firstName: 'Eva', lastName: 'Núñez' };
    expect(judgeChange(update, user({ fields }), undefined)).toEqual({ kind: 'applied', quirks: {} });
  });
});

describe('a field that is sent', () => {
  const area = (shown: string, more: Partial<Parameters<typeof user>[0]> = {}) =>
    user({ fields: { ...wanted, area: shown }, ...more });
  const sendArea = (before: string, more: Partial<ChangeDraft> = {}) =>
    sealChange(
      draft({
        before: { userId: '1', enabled: true, fields: { ...wanted, area: before }, lastUpdate: '2026-01-01T00:00:00' },
        after: { ...wanted, area: 'Sales and more' },
        changed: ['area'],
        ...more,
      }),
    );
  const known = (observed: string, ignored?: number) =>
    entry({ quirks: { area: { sent: 'Sales and more', observed, ...(ignored === undefined ? {} : { ignored }) } } });

  it.each([
    ['cut', 'Sales and'],
    ['with other blanks and letters', ' SALES '],
  ])('along, unchanged, and is shown %s, is remembered as kept so', (_, shown) => {
    const change = sendArea('Sales and more', {
      changed: ['lastName'],
      after: { ...wanted, area: ' Sales and more ' },
    });
    expect(judgeChange(change, area(shown, { lastUpdate: moved }), undefined)).toMatchObject({
      quirks: { area: { sent: ' Sales and more ', observed: shown } },
    });
  });

  it.each([
    ['was written by others meanwhile', 'Purchase', undefined],
    ['ends like what was sent, which is no way to keep it', 'and more', undefined],
    ['is known to be kept so', 'Sales', known('Sales')],
    ['is as it was sent', 'Sales and more', undefined],
  ])('along, unchanged, is not remembered when it %s', (_, shown, ledger) => {
    const change = sendArea('Sales and more', { changed: ['job'], after: { area: 'Sales and more', job: 'Baker' } });
    expect(judgeChange(change, area(shown, { lastUpdate: moved }), ledger)).toEqual({ kind: 'applied', quirks: {} });
  });

  it('along in a create counts as meant', () => {
    const create = sendArea('', { kind: 'create', before: undefined, changed: [] });
    expect(judgeChange(create, area(''), undefined)).toMatchObject({ kind: 'ignored', fields: ['area'] });
  });

  it('and shown as it was sent is applied, and there is nothing to remember', () => {
    expect(judgeChange(sendArea('Old'), area('Sales and more'), known('Sales'))).toEqual({
      kind: 'applied',
      quirks: {},
    });
  });

  it('and stays as it was is ignored, and each time is counted while both values stand', () => {
    const ignored = (ledger?: LedgerEntry) => judgeChange(sendArea('Old'), area('Old', { lastUpdate: moved }), ledger);
    const times = (ignoredTimes: number) => ({
      kind: 'ignored',
      fields: ['area'],
      quirks: { area: { sent: 'Sales and more', observed: 'Old', ignored: ignoredTimes } },
    });
    expect(ignored()).toEqual(times(1));
    expect(ignored(known('Old', 2))).toEqual(times(3));
    expect(ignored(known('Other', 2))).toEqual(times(1));
    expect(ignored(entry({ quirks: { area: { sent: 'Other', observed: 'Old', ignored: 2 } } }))).toEqual(times(1));
  });

  it('and stays as it was is taken when the platform is known to keep it so', () => {
    const taken = { kind: 'applied', quirks: { area: { sent: 'Sales and more', observed: 'Sales' } } };
    expect(judgeChange(sendArea('Sales'), area('Sales'), known('Sales'))).toEqual(taken);
    const other = entry({ quirks: { area: { sent: 'Sales and less', observed: 'Sales' } } });
    expect(judgeChange(sendArea('Sales'), area('Sales'), other)).toEqual(taken);
    const strange = entry({ quirks: { area: { sent: 'Sales and more', observed: 'S&M' } } });
    expect(judgeChange(sendArea('S&M'), area('S&M'), strange)).toMatchObject({ kind: 'applied' });
    const unlike = entry({ quirks: { area: { sent: 'Purchase', observed: 'S&M' } } });
    expect(judgeChange(sendArea('S&M'), area('S&M'), unlike)).toMatchObject({ kind: 'not-seen' });
  });

  it('and stays as it was is not seen, unless the user moved or another field was taken', () => {
    const both = sendArea('Old', { changed: ['area', 'lastName'], after: { area: 'New', lastName: 'Núñez' } });
    expect(judgeChange(both, area('Old'), undefined)).toEqual({
      kind: 'not-seen',
      what: 'the platform still shows the former area, lastName',
    });
    const half = user({ fields: { ...wanted, area: 'Old', lastName: 'Núñez' } });
    expect(judgeChange(both, half, undefined)).toMatchObject({ kind: 'ignored', fields: ['area'] });
    const altered = user({ fields: { ...wanted, area: 'Old', lastName: 'NÚÑEZ' } });
    expect(judgeChange(both, altered, undefined)).toMatchObject({ kind: 'ignored', fields: ['area'] });
    const { lastUpdate: _, ...still } = user({ fields: { ...wanted, area: 'Old' } });
    expect(judgeChange(both, still, undefined).kind).toBe('not-seen');
    const enable = sendArea('Old', { kind: 'enable' });
    expect(judgeChange(enable, area('Old'), undefined)).toMatchObject({ kind: 'ignored' });
  });

  it('and is shown in no form that can be read says nothing', () => {
    const change = sealChange(draft({ after: { orgEntryDate: '2021-01-05' }, changed: ['orgEntryDate'] }));
    expect(judgeChange(change, user({ unreadable: ['orgEntryDate'] }), undefined)).toEqual({ kind: 'unverified' });
    const { lastUpdate: _, ...still } = user({ unreadable: ['orgEntryDate'] });
    expect(judgeChange(change, still, undefined)).toEqual({ kind: 'unverified' });
  });

  it('is taken by a user who is disabled and stays so', () => {
    const off = user({ enabled: false, fields: { ...wanted, lastName: 'Núñez' } });
    expect(judgeChange(update, off, undefined).kind).toBe('applied');
  });
});
