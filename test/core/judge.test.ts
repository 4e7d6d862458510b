import { describe, expect, it } from 'vitest';
import { sealChange } from '../../src/core/change.ts';
import { judgeChange } from '../../src/core/judge.ts';
import { draft, user, wanted } from './cases.ts';

const moved = '2026-11-21T12:00:00';
const update = sealChange(draft());

describe('judging a change by what the platform shows', () => {
  it.each([
    {
      name: 'an update that is shown is applied',
      change: draft(),
      shown: user({ fields: { ...wanted, lastName: 'Núñez' } }),
      kind: 'applied',
    },
    { name: 'an update of which nothing is seen is not seen', change: draft(), shown: user(), kind: 'not-seen' },
    {
      name: 'an update that moved the user but not the field was ignored',
      change: draft(),
      shown: user({ lastUpdate: moved }),
      kind: 'ignored',
    },
    {
      name: 'a create that is shown is applied',
      change: draft({ kind: 'create', before: undefined, after: wanted }),
      shown: user(),
      kind: 'applied',
    },
    {
      name: 'a create without its user is not seen',
      change: draft({ kind: 'create', before: undefined, after: wanted }),
      shown: undefined,
      kind: 'not-seen',
    },
    {
      name: 'a create that lost a field was ignored in part',
      change: draft({ kind: 'create', before: undefined, after: { ...wanted, area: 'Sales' } }),
      shown: user(),
      kind: 'ignored',
    },
    {
      name: 'a disable is applied when the user is disabled',
      change: draft({ kind: 'disable', after: {}, changed: [] }),
      shown: user({ enabled: false }),
      kind: 'applied',
    },
    {
      name: 'a disable is not seen while the user is enabled',
      change: draft({ kind: 'disable', after: {}, changed: [] }),
      shown: user({ lastUpdate: moved }),
      kind: 'not-seen',
    },
    {
      name: 'an enable is not seen while the user is disabled',
      change: draft({ kind: 'enable', changed: [] }),
      shown: user({ enabled: false }),
      kind: 'not-seen',
    },
    {
      name: 'an enable is applied when the user is enabled',
      change: draft({ kind: 'enable', changed: [] }),
      shown: user(),
      kind: 'applied',
    },
    {
      name: 'a remove is applied when the user is gone',
      change: draft({ kind: 'remove', after: {}, changed: [] }),
      shown: undefined,
      kind: 'applied',
    },
    {
      name: 'a remove is not seen while the user is there',
      change: draft({ kind: 'remove', after: {}, changed: [] }),
      shown: user(),
      kind: 'not-seen',
    },
    {
      name: 'write-only fields are applied when the user moved',
      change: draft({ after: { job: 'Baker' }, changed: ['job'] }),
      shown: user({ lastUpdate: moved }),
      kind: 'applied',
    },
    {
      name: 'write-only fields are unverified when nothing moved',
      change: draft({ after: { job: 'Baker' }, changed: ['job'] }),
      shown: user(),
      kind: 'unverified',
    },
  ])('$name', ({ change, shown, kind }) => {
    expect(judgeChange(sealChange(change), shown, undefined).kind).toBe(kind);
  });

  it('takes a value that is kept differently as applied, and remembers both', () => {
    const verdict = judgeChange(update, user({ fields: { ...wanted, lastName: 'NÚÑEZ' } }), undefined);
    expect(verdict).toEqual({ kind: 'applied', quirks: { lastName: { sent: 'Núñez', observed: 'NÚÑEZ' } } });
  });
});
