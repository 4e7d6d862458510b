import { describe, expect, it } from 'vitest';
import type { FieldName, FieldValues } from '../../src/core/person/fields.ts';
import { type ChangeClass, type ChangeKind, type Proposal, sealChange } from '../../src/core/plan/change.ts';
import {
  type DecisionRecord,
  decisionAbout,
  digestsOf,
  fieldsDecided,
  leftOutBy,
  leftOutOf,
  rejectionsAgainst,
  settleDecisions,
  whatStays,
} from '../../src/core/plan/decision.ts';
import { draft } from './cases.ts';

const nothingKnown = { carried: [], hidden: {}, isSendable: () => true };

function proposal(kind: ChangeKind, after: FieldValues, over: Partial<Proposal> = {}): Proposal {
  const changed = kind === 'disable' || kind === 'remove' ? [] : (Object.keys(after) as FieldName[]);
  const classes: ChangeClass[] = kind === 'update' ? ['updates'] : kind === 'enable' ? ['enables'] : ['creates'];
  if (kind !== 'create' && changed.includes('email')) classes.push('emailChanges');
  return { ...draft({ kind, after, changed, classes, rule: `active-${kind}` }), ...over };
}

/** The decision of an operator about the change as it was shown. */
function decision(
  shown: Proposal,
  state: DecisionRecord['state'],
  over: Partial<DecisionRecord> & { readonly only?: readonly ChangeClass[] } = {},
): DecisionRecord {
  const { hash, identification, rule, episode } = sealChange({ ...shown, episode: '0' });
  const { only, ...rest } = over;
  const facts = { by: 'ana', why: 'ask first', at: 0, expiresAt: undefined, run: undefined, endedAt: undefined };
  return { hash, identification, rule, episode, state, ...facts, fields: fieldsDecided(shown, only), ...rest };
}

const settle = (proposed: Proposal, ...known: readonly DecisionRecord[]) =>
  settleDecisions(proposed, { known, ...nothingKnown });

describe('a standing rejection', () => {
  it('of a create, an enable, a disable or a remove counts whatever the values are', () => {
    for (const kind of ['create', 'enable', 'disable', 'remove'] as const) {
      const rejected = decision(proposal(kind, { area: 'Sales' }), 'rejected');
      const { verdict } = settle(proposal(kind, { area: 'Legal', job: 'Clerk' }), rejected);
      expect([kind, verdict?.state]).toEqual([kind, 'dropped']);
    }
  });

  it('of an update counts for each field and value, and the rest goes on', () => {
    const rejected = decision(proposal('update', { email: 'new@x.org', area: 'Sales' }), 'rejected');
    const cases: readonly (readonly [FieldValues, readonly FieldName[] | 'dropped'])[] = [
      [{ email: 'new@x.org' }, 'dropped'],
      [{ email: 'new@x.org', area: 'Sales' }, 'dropped'],
      [{ email: 'new@x.org', job: 'Clerk' }, ['job']],
      [{ email: 'other@x.org', area: 'Sales' }, ['email']],
      [{ area: 'Legal' }, ['area']],
    ];
    for (const [after, left] of cases) {
      const { draft: sent, verdict } = settle(proposal('update', after), rejected);
      expect(verdict === undefined ? sent.changed : verdict.state, JSON.stringify(after)).toEqual(left);
      if (verdict === undefined) expect(Object.keys(sent.after)).toEqual(left);
    }
  });

  it('of the update inside an enable leaves the fields out, and holds a create that carries them', () => {
    const rejected = decision(proposal('update', { email: 'new@x.org' }), 'rejected');
    const enabled = settle(proposal('enable', { email: 'new@x.org', area: 'Sales' }), rejected);
    expect(enabled).toMatchObject({ draft: { changed: ['area'], classes: ['enables'] }, without: ['email'] });
    expect(enabled.verdict).toBeUndefined();
    const created = settle(proposal('create', { email: 'new@x.org', area: 'Sales' }), rejected);
    expect(created.verdict).toEqual({
      state: 'held',
      reason: expect.stringMatching(/^has email: rejected by ana at .* UTC: ask first$/),
    });
  });

  it('of an enable also withholds the update that it carried', () => {
    const rejected = decision(proposal('enable', { area: 'Legal' }), 'rejected');
    expect(settle(proposal('update', { area: 'Legal', job: 'Clerk' }), rejected).draft.changed).toEqual(['job']);
  });

  it('covers the fields of the classes that were rejected', () => {
    const shown = proposal('update', { email: 'new@x.org', area: 'Legal' });
    const fields = (only: readonly ChangeClass[]) => settle(shown, decision(shown, 'rejected', { only })).draft.changed;
    expect(fields(['emailChanges'])).toEqual(['area']);
    const enable = proposal('enable', { email: 'new@x.org' });
    const kept = settle(enable, decision(enable, 'rejected', { only: ['emailChanges'] }));
    expect([kept.verdict, kept.draft.changed]).toEqual([undefined, []]);
  });

  it('takes the e-mail out with its place in a chain', () => {
    const rejected = decision(proposal('update', { email: 'new@x.org' }), 'rejected');
    const chained = { waitsFor: 'E9' };
    const { draft: sent } = settle(proposal('update', { email: 'new@x.org', area: 'A' }, chained), rejected);
    expect(sent.waitsFor).toBeUndefined();
    expect(settle(proposal('update', { email: 'z@x.org', area: 'A' }, chained), rejected).draft).toMatchObject(chained);
  });

  it('never clears a field that a write has to carry: the known value goes, and without one nothing', () => {
    const rejected = decision(proposal('update', { phoneNumber: '1' }), 'rejected');
    const both = proposal('update', { phoneNumber: '1', area: 'Legal' });
    const known = { known: [rejected], carried: ['phoneNumber'] as const };
    const isSendable = ({ after }: Proposal) => after.phoneNumber !== undefined;
    expect(settleDecisions(both, { ...known, isSendable, hidden: { phoneNumber: '7' } }).draft.after).toEqual({
      phoneNumber: '7',
      area: 'Legal',
    });
    expect(settleDecisions(both, { ...known, isSendable, hidden: {} }).verdict?.state).toBe('dropped');
  });

  it('that has ended, an approval and an open hold take nothing out', () => {
    const shown = proposal('update', { email: 'new@x.org' });
    for (const one of [
      decision(shown, 'rejected', { endedAt: 1 }),
      decision(shown, 'approved'),
      decision(shown, 'open', { by: undefined }),
    ]) {
      expect(settle(shown, one)).toMatchObject({ draft: shown });
      expect(settle(shown, one).verdict).toBeUndefined();
    }
  });
});

describe('what was left out of a decision', () => {
  it('stays held while a value that it was about is requested', () => {
    const left = decision(proposal('update', { email: 'new@x.org' }), 'open');
    const held = { state: 'held', reason: leftOutBy({ by: 'ana', at: 0 }), isLeftOut: true };
    expect(settle(proposal('update', { email: 'new@x.org', area: 'Legal' }), left).verdict).toEqual(held);
    expect(settle(proposal('update', { email: 'z@x.org' }), left).verdict).toBeUndefined();
    const disable = decision(proposal('disable', {}), 'open');
    expect(settle(proposal('disable', {}), disable).verdict).toEqual(held);
    expect(settle(proposal('disable', {}, { rule: 'missing-disable' }), disable).verdict).toBeUndefined();
  });
});

describe('an approval', () => {
  it('brings back nothing that was rejected, unless it lifts the rejection', () => {
    const shown = proposal('update', { email: 'new@x.org', area: 'Legal' });
    const rejected = decision(proposal('update', { email: 'new@x.org' }), 'rejected');
    expect(rejectionsAgainst({ rule: shown.rule, fields: fieldsDecided(shown, undefined) }, [rejected])).toEqual([
      rejected,
    ]);
    const other = proposal('update', { area: 'Legal' });
    expect(rejectionsAgainst({ rule: other.rule, fields: fieldsDecided(other, undefined) }, [rejected])).toEqual([]);
    const undone = { ...shown, rule: 'undo-update', hash: 'other' };
    expect(rejectionsAgainst({ rule: undone.rule, fields: fieldsDecided(undone, undefined) }, [rejected])).toEqual([]);
    expect(decisionAbout(undone, [decision(shown, 'rejected')])).toBeUndefined();
    expect(settle(undone, rejected).draft).toBe(undone);
  });

  it('is found by the change that was shown, and a rejection by what it covers', () => {
    const shown = proposal('create', { area: 'A' });
    const approved = decision(shown, 'approved');
    const now = { ...shown, hash: approved.hash };
    expect(decisionAbout(now, [approved])).toBe(approved);
    expect(decisionAbout({ ...now, hash: 'other' }, [approved])).toBeUndefined();
    const rejected = decision(proposal('create', { area: 'B' }), 'rejected');
    expect(decisionAbout({ ...now, hash: 'other' }, [approved, rejected])).toBe(rejected);
    expect(decisionAbout({ ...now, hash: 'other', rule: 'active-enable' }, [approved, rejected])).toBeUndefined();
  });
});

describe('a decision about some classes', () => {
  const names = (change: Proposal, ...only: readonly ChangeClass[]) => {
    const { isWhole, digests } = fieldsDecided(change, only.length === 0 ? undefined : only);
    return isWhole ? ['whole', ...Object.keys(digests)] : Object.keys(digests);
  };
  const mixed = proposal(
    'update',
    { email: 'new@x.org', area: 'Sales', job: 'Clerk' },
    {
      classes: ['updates', 'emailChanges', 'firstSight', 'configuration'],
    },
  );
  const known = { ...mixed, classes: ['updates'] } as const;
  const lead = proposal('lead', { mainLeader: 'E2' }, { classes: ['leads'] });
  const enable = proposal('enable', { area: 'Sales' }, { classes: ['enables', 'configuration'] });

  it.each<[string, Proposal, ChangeClass, readonly string[]]>([
    ['of an update', mixed, 'updates', ['email', 'area']],
    ['of e-mail changes', mixed, 'emailChanges', ['email']],
    ['of first writes', mixed, 'firstSight', ['job']],
    ['of first writes, where nothing is one', known, 'firstSight', []],
    ['of updates, where nothing is a first write', known, 'updates', ['email', 'area', 'job']],
    ['of an edit', mixed, 'configuration', ['email', 'area', 'job']],
    ['of an edit, which made none of it', known, 'configuration', []],
    ['of an edit, which enables', enable, 'configuration', ['whole', 'area']],
    ['of an enable', enable, 'enables', ['whole', 'area']],
    ['of updates, of an enable', enable, 'updates', ['area']],
    ['of a removal', proposal('remove', { area: 'x' }, { changed: ['area'] }), 'removes', ['whole']],
    ['of leaders', lead, 'leads', ['mainLeader']],
    ['of other leaders', lead, 'unleads', []],
  ])('%s', (_, change, only, expected) => {
    expect(names(change, only)).toEqual(expected);
  });

  it('or about all of them is about everything', () => {
    expect([mixed, enable, lead].map((change) => names(change))).toEqual([
      ['email', 'area', 'job'],
      ['whole', 'area'],
      ['mainLeader'],
    ]);
    for (const kind of ['disable', 'remove'] as const) {
      expect(digestsOf({ kind, changed: ['area'], after: { area: 'x' } })).toEqual({});
    }
  });
});

describe('after a read, what stays of a rejection', () => {
  const update = proposal('update', { email: 'new@x.org', area: 'Sales' });
  const fields = { isWhole: false, digests: digestsOf(update) };
  const rule = 'active-update';
  const asked = digestsOf(proposal('update', { email: 'new@x.org', area: 'Legal' }));

  it('is the values that are still requested', () => {
    expect(whatStays({ rule, fields }, [{ rule, asked }])).toEqual({
      isWhole: false,
      digests: { email: fields.digests.email },
    });
    expect(whatStays({ rule, fields }, [{ rule, asked: undefined }])).toEqual(fields);
    expect(whatStays({ rule, fields }, [{ rule, asked: {} }])).toBeUndefined();
    expect(whatStays({ rule, fields }, [])).toBeUndefined();
  });

  it('of a whole change is all of it while its rule applies', () => {
    const whole = { rule: 'missing-disable', fields: { isWhole: true, digests: {} } };
    expect(whatStays(whole, [{ rule: 'missing-disable', asked: {} }])).toEqual(whole.fields);
    expect(whatStays(whole, [{ rule: 'leaver-enabled', asked: {} }])).toBeUndefined();
  });
});

it('what was left out of a decision keeps the reason of its hold', () => {
  expect(leftOutOf('7 disables in 24 h')).toBe(`${leftOutOf('')} (held before: 7 disables in 24 h)`);
});
