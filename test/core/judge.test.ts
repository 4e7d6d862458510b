import { describe, expect, it } from 'vitest';
import { sealChange } from '../../src/core/change.ts';
import { judgeChange } from '../../src/core/judge.ts';
import { afterChange } from '../../src/core/ledger-steps.ts';
import { draft, entry, now, user, wanted } from './cases.ts';

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

describe('the ledger after a change', () => {
  const facts = { owner: 'people', now, blacklist: false };
  const applied = { kind: 'applied', quirks: {} } as const;

  it('an applied update makes the user ours and remembers what cannot be seen', () => {
    const change = sealChange(
      draft({ after: { ...wanted, job: 'Baker', orgEntryDate: '2021-01-05' }, changed: ['job'] }),
    );
    expect(afterChange(change, applied, undefined, facts)).toEqual(
      entry({ hidden: { job: 'Baker', orgEntryDate: '2021-01-05' }, writtenAt: now }),
    );
  });

  it('a disable is remembered as ours, and an enable forgets it', () => {
    const disabled = afterChange(
      sealChange(draft({ kind: 'disable', after: {}, changed: [] })),
      applied,
      entry(),
      facts,
    );
    expect(disabled.disabledAt).toBe(now);
    const enabled = afterChange(sealChange(draft({ kind: 'enable', changed: [] })), applied, disabled, facts);
    expect(enabled).not.toHaveProperty('disabledAt');
  });

  it('unverified sends are counted while the values stay, and from anew when they change', () => {
    const send = (job: string) => sealChange(draft({ after: { job }, changed: ['job'] }));
    const once = afterChange(send('Baker'), { kind: 'unverified' }, entry(), facts);
    const twice = afterChange(send('Baker'), { kind: 'unverified' }, once, facts);
    const other = afterChange(send('Cook'), { kind: 'unverified' }, twice, facts);
    expect([once.unverified, twice.unverified, other.unverified]).toEqual([1, 2, 1]);
  });

  it('a new write of a field forgets how the platform kept the old value', () => {
    const known = entry({ quirks: { lastName: { sent: 'A', observed: 'a' }, area: { sent: 'B', observed: 'b' } } });
    expect(afterChange(update, applied, known, facts).quirks).toEqual({ area: { sent: 'B', observed: 'b' } });
  });

  it('a removed user starts from nothing when created again', () => {
    const removed = entry({ hidden: { job: 'Baker' }, removed: { at: now, blacklist: false } });
    const change = sealChange(draft({ kind: 'create', before: undefined, after: wanted }));
    expect(afterChange(change, applied, removed, facts)).toEqual(entry({ writtenAt: now }));
  });
});
