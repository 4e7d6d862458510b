import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FieldValues } from '../../src/core/person/fields.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import { judgeChange } from '../../src/core/plan/judge.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { afterChange } from '../../src/core/plan/ledger-steps.ts';
import { decide } from '../../src/core/plan/plan.ts';
import { now, person, rules, user, wanted } from './cases.ts';

const assuming = { ...rules, firstSight: 'assume' } as const;

/** A platform that takes every write and shows no job. */
interface Account {
  fields: FieldValues;
  enabled: boolean;
  job: string;
  writes: number;
}

/** One run: decides, writes unless the change is held, reads back. Returns the ledger afterwards. */
function run(says: FieldValues, account: Account, ledger: LedgerEntry | undefined, isHeld = false) {
  const shown = () => user({ fields: account.fields, enabled: account.enabled, lastUpdate: `write ${account.writes}` });
  const source = { says: 'active', person: person({ fields: says }) } as const;
  const decision = decide({ identification: 'E1', source, user: shown(), ledger }, assuming, now);
  const known = decision.ledger ?? ledger;
  if (decision.change === undefined || isHeld) return known;
  const change = sealChange({ ...decision.change, rule: decision.rule, episode: '0' });
  const { job, ...readable } = change.after;
  account.fields = { ...account.fields, ...readable };
  account.enabled ||= change.kind === 'enable';
  account.job = job ?? account.job;
  account.writes += 1;
  const verdict = judgeChange(change, shown(), known);
  if (verdict.kind === 'not-seen') return known;
  return afterChange(change, verdict, known, {
    ...assuming,
    owner: 'people',
    now,
    blacklist: false,
    accountId: undefined,
  });
}

it('a held change of a user who is ours does not forget what was assumed', () => {
  const account: Account = { fields: wanted, enabled: true, job: 'set by hand', writes: 0 };

  const ours = run(wanted, account, undefined);
  const held = run({ ...wanted, area: 'Sales', job: 'Baker' }, account, ours, true);
  run({ ...wanted, area: 'Sales', job: 'Cook' }, account, held);

  expect(account.job).toBe('Cook');
});

it('over many days, a write-only field is written when the source changes it, and only then', () => {
  const values = { area: fc.constantFrom('x', 'y', 'z'), job: fc.constantFrom('Baker', 'Cook') };
  fc.assert(
    fc.property(fc.array(fc.record(values), { minLength: 1, maxLength: 8 }), fc.boolean(), (days, enabled) => {
      const account: Account = { fields: wanted, enabled, job: 'set by hand', writes: 0 };
      let ledger: LedgerEntry | undefined;
      let expected = account.job;
      for (const [i, day] of days.entries()) {
        if (i > 0 && days[i - 1]?.job !== day.job) expected = day.job;
        ledger = run({ ...wanted, ...day }, account, ledger);
        expect(account.job).toBe(expected);
        expect(account.fields.area).toBe(day.area);
      }
    }),
  );
});
