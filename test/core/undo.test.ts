import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FieldValues, fieldTraits, type User } from '../../src/core/person/fields.ts';
import { type Change, type ChangeDraft, sealChange } from '../../src/core/plan/change.ts';
import { type DecisionRecord, settleDecisions } from '../../src/core/plan/decision.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { afterChange } from '../../src/core/plan/ledger-steps.ts';
import { decide, type PlanRules, type SourceSays } from '../../src/core/plan/plan.ts';
import { rejectionBy, type Undoing, undo } from '../../src/core/plan/undo.ts';
import { drawRuns } from '../support/drawn.ts';
import { draft, entry, now, person, rules, says, user, wanted } from './cases.ts';

const order = { run: 'run_1', by: 'ana' };

function undoingOf(done: Change, patch: Partial<Undoing> = {}): Undoing {
  return { order, done, isComplete: true, emailTakenBy: undefined, keepsEmpty: false, ...patch };
}

const sealed = (patch: Parameters<typeof draft>[0]): Change => sealChange(draft(patch));

interface World {
  readonly source?: SourceSays;
  readonly user?: User | undefined;
  readonly ledger?: LedgerEntry;
  readonly rules?: Partial<PlanRules>;
}

/** Undoes a change, and returns what happens: the kind with its fields, or why nothing does. */
function outcome(done: Change, world: World, patch: Partial<Undoing> = {}): string {
  const account = 'user' in world ? world.user : user();
  const subject = {
    identification: 'E1',
    source: world.source ?? says.active(),
    user: account,
    ledger: world.ledger ?? entry(),
  };
  const { change, held, finding } = undo(subject, undoingOf(done, patch), { ...rules, ...world.rules }, now);
  const made = change === undefined ? [] : [[change.kind, ...change.changed].join(' ')];
  return [...made, ...(held === undefined ? [] : ['held']), ...(finding === undefined ? [] : [finding.message])].join(
    '; ',
  );
}

const off = (patch: Partial<User> = {}) => user({ enabled: false, ...patch });
const created = sealed({
  kind: 'create',
  before: undefined,
  changed: ['lastName'],
  classes: ['creates'],
  rule: 'active-create',
});
const disabled = sealed({ kind: 'disable', after: {}, changed: [], classes: ['disables'], rule: 'leaver-enabled' });
const removed = sealed({ kind: 'remove', after: {}, changed: [], classes: ['removes'], rule: 'leaver-remove' });
const ours = entry({ disabledAt: 1 });
const seen: SourceSays = { says: 'nothing', reason: 'no proof', isSeen: true };

describe('undoing a create', () => {
  it.each<[string, World, string]>([
    ['of a leaver disables', { source: says.leaver() }, 'disable'],
    ['of a person out of scope disables', { source: says.outOfScope() }, 'disable'],
    [
      'of an active person is refused',
      {},
      'not undone: HR says that this person works here: correct scope or HR first',
    ],
    [
      'of a missing person is refused',
      { source: says.missing() },
      'not undone: HR does not say that the person left: correct scope or HR first',
    ],
    [
      'of a disabled account does nothing',
      { source: says.leaver(), user: off() },
      'nothing to undo: the account is already disabled',
    ],
    [
      'of another account is refused',
      { source: says.leaver(), ledger: entry({ owner: 'guests' }) },
      'not undone: belongs to sync guests now',
    ],
    [
      'where policy forbids a disable is refused',
      { source: says.leaver(), rules: { policy: 'create-only' } },
      'not undone: policy create-only does not allow a disable',
    ],
    [
      'of a user who is gone is refused',
      { source: says.leaver(), user: undefined },
      'not undone: the platform no longer has the user',
    ],
    ['of a record that cannot be used is refused', { source: says.unusable() }, 'not undone: line 2: bad'],
  ])('%s', (_, world, expected) => {
    expect(outcome(created, world)).toBe(expected);
  });
});

describe('undoing a disable', () => {
  it.each<[string, World, string]>([
    ['of an active person enables', {}, 'enable'],
    ['of a missing person enables', { source: says.nothing() }, 'enable'],
    ['of a person whom the read has seen is refused', { source: seen }, 'not undone: no proof'],
    ['of a leaver enables after approval', { source: says.leaver() }, 'enable; held'],
    ['of a person out of scope enables after approval', { source: says.outOfScope() }, 'enable; held'],
    ['of a person whom the source does not settle is refused', { source: says.unusable() }, 'not undone: line 2: bad'],
    ['of an enabled account does nothing', { user: user() }, 'nothing to undo: the account is already enabled'],
    [
      'that another writer made is refused',
      { ledger: entry() },
      'not undone: the account was disabled outside Rollcall since',
    ],
    [
      'of a record that forbids it is refused',
      { source: says.active({ refusesEnable: 'no hire date' }) },
      'not undone: no hire date',
    ],
  ])('%s', (_, world, expected) => {
    expect(outcome(disabled, { user: off(), ledger: ours, ...world })).toBe(expected);
  });

  it('says why, and what would disable the account again', () => {
    const of = (source: SourceSays) => {
      const subject = { identification: 'E1', source, user: off(), ledger: ours };
      const { change } = undo(subject, undoingOf(disabled), rules, now);
      return [change?.reason.replace(/^.*?; /, ''), change?.notAgain?.rule];
    };
    expect(of(says.active())).toEqual(['active', undefined]);
    expect(of(says.missing())).toEqual(['the source has no record of the person', 'missing-disable']);
    expect(of(says.leaver())).toEqual([
      'HR still reports a leaver (status "active"): enabling the account needs approval',
      'leaver-enabled',
    ]);
  });

  it('is refused for a person without a record in an incomplete read', () => {
    const world = { source: says.nothing(), user: off(), ledger: ours };
    expect(outcome(disabled, world, { isComplete: false })).toBe('not undone: no proof');
  });
});

describe('undoing an update', () => {
  const written = user({ fields: { ...wanted, lastName: 'Núñez' } });
  const moved = sealed({
    before: { userId: '1', enabled: true, fields: { ...wanted, email: 'old@example.com' } },
    after: { ...wanted, email: 'new@example.com' },
    changed: ['email'],
    classes: ['updates', 'emailChanges'],
  });
  const atNew = user({ fields: { ...wanted, email: 'new@example.com' } });

  it.each<[string, Change, World, Partial<Undoing>, string]>([
    ['puts back what still shows what was written', sealed({}), { user: written }, {}, 'update lastName'],
    ['also of a leaver who is enabled', sealed({}), { user: written, source: says.leaver() }, {}, 'update lastName'],
    [
      'does nothing where the value is back',
      sealed({}),
      {},
      {},
      'nothing to undo: the platform shows the values before the change',
    ],
    [
      'leaves another value',
      sealed({}),
      { user: user({ fields: { ...wanted, lastName: 'Sosa' } }) },
      {},
      'not undone: lastName left: it changed since',
    ],
    [
      'leaves a disabled account',
      sealed({}),
      { user: { ...written, enabled: false } },
      {},
      'not undone: the account was disabled since',
    ],
    [
      'leaves another account',
      sealed({}),
      { user: { ...written, id: '2' }, ledger: entry({ accountId: '2' }) },
      {},
      'not undone: the account was deleted and created again in the meantime',
    ],
    ['puts back an e-mail', moved, { user: atNew }, {}, 'update email'],
    [
      'leaves an e-mail of another user',
      moved,
      { user: atNew },
      { emailTakenBy: 'E7' },
      'not undone: email left: the former address belongs to E7 now',
    ],
    [
      'says what it puts back and what it leaves',
      sealed({
        before: { userId: '1', enabled: true, fields: { ...wanted, lastName: 'Díaz', area: 'North' } },
        after: { ...wanted, lastName: 'Núñez', area: 'South' },
        changed: ['lastName', 'area'],
      }),
      { user: user({ fields: { ...wanted, lastName: 'Núñez', area: 'East' } }) },
      {},
      'update lastName; partly undone: area left: it changed since',
    ],
  ])('%s', (...[, done, world, patch, expected]) => {
    expect(outcome(done, world, patch)).toBe(expected);
  });

  it.each<[string, string, string, string]>([
    ['what the platform made of it', 'South', 'Sur', 'update area'],
    ['what it made of another value', 'West', 'Sur', 'not undone: area left: it changed since'],
    ['another value', 'South', 'East', 'not undone: area left: it changed since'],
  ])('where the platform shows %s: of %s it made %s', (_, sent, observed, expected) => {
    const done = sealed({
      before: { userId: '1', enabled: true, fields: { ...wanted, area: 'North' } },
      after: { ...wanted, area: 'South' },
      changed: ['area'],
    });
    const shown = user({ fields: { ...wanted, area: 'Sur' } });
    const ledger = entry({ quirks: { area: { sent, observed } } });
    expect(outcome(done, { user: shown, ledger })).toBe(expected);
  });

  it.each(['firstName', 'lastName', 'email'] as const)('leaves %s, which was empty and cannot be', (name) => {
    const done = sealed({
      before: { userId: '1', enabled: true, fields: { ...wanted, [name]: '' } },
      after: wanted,
      changed: [name],
    });
    expect(outcome(done, {})).toBe(`not undone: ${name} left: it was empty, and the platform requires it`);
  });

  it('keeps later runs from what the platform took alone', () => {
    const notAgain = {
      rule: 'active-update',
      by: 'ana',
      why: 'x',
      fields: { isWhole: false, digests: { area: 'a', job: 'b' } },
    };
    const change = { ...sealed({}), notAgain };
    expect(rejectionBy(change, ['job'], 7)?.fields).toEqual({ isWhole: false, digests: { area: 'a' } });
    expect(rejectionBy(change, ['job', 'area'], 7)).toBeUndefined();
    const whole = { ...notAgain, fields: { isWhole: true, digests: {} } };
    expect(rejectionBy({ ...change, notAgain: whole }, [], 7)?.fields.isWhole).toBe(true);
  });

  const job = (hidden: FieldValues | undefined) =>
    sealed({
      before: { userId: '1', enabled: true, fields: wanted, ...(hidden === undefined ? {} : { hidden }) },
      after: { ...wanted, job: 'Boss' },
      changed: ['job'],
    });

  it.each<[string, Change, FieldValues, string]>([
    ['is put back from the ledger', job({ job: 'Clerk' }), { job: 'Boss' }, 'update job'],
    [
      'is left where it was not known',
      job(undefined),
      { job: 'Boss' },
      'not undone: job left: its value before the change is not known',
    ],
    [
      'is left where a later run wrote another',
      job({ job: 'Clerk' }),
      { job: 'Cook' },
      'not undone: job left: it changed since',
    ],
  ])('of a write-only field %s', (_, done, hidden, expected) => {
    expect(outcome(done, { ledger: entry({ hidden }) })).toBe(expected);
  });

  it('clears what was empty, unless the platform keeps it', () => {
    const done = sealed({
      before: { userId: '1', enabled: true, fields: wanted },
      after: { ...wanted, area: 'Sales' },
      changed: ['area'],
    });
    const sold = user({ fields: { ...wanted, area: 'Sales' } });
    expect(outcome(done, { user: sold })).toBe('update area');
    const why = 'not undone: area left: it was empty, and the platform cannot clear a field';
    expect(outcome(done, { user: sold }, { keepsEmpty: true })).toBe(why);
  });
});

it('a removal cannot be undone', () => {
  expect(outcome(removed, {})).toBe('not undone: a removal cannot be undone: create the user again');
});

/** What an account really is: an oracle of its own, which knows what a write does and nothing of plans. */
interface Account {
  readonly enabled: boolean;
  readonly values: FieldValues;
}

function write({ enabled, values }: Account, { kind, after }: ChangeDraft): Account {
  return { enabled: kind === 'disable' ? false : kind === 'enable' || enabled, values: { ...values, ...after } };
}

function shownAs({ enabled, values }: Account): User {
  const readable = Object.entries(values).filter(([name]) => fieldTraits(name as keyof FieldValues).isReadable);
  return user({ enabled, fields: Object.fromEntries(readable) });
}

const text = fc.constantFrom('a', 'b', 'c');
const fields = fc.record({ lastName: text, area: text, job: text, phoneNumber: text });
const standing = fc.constantFrom('active', 'leaver', 'out-of-scope', 'missing') as fc.Arbitrary<'active' | 'leaver'>;

const history = fc.record({
  old: fields,
  asked: fields,
  first: standing,
  second: standing,
  isKnown: fc.boolean(),
  isOff: fc.boolean(),
});

function sourceOf(kind: string, values: FieldValues): SourceSays {
  if (kind === 'active') return { says: 'active', person: person({ fields: { ...wanted, ...values } }) };
  return kind === 'leaver' ? says.leaver() : kind === 'missing' ? says.missing() : says.outOfScope();
}

describe('whatever is undone', () => {
  it('is as it was before, is not done again, and disables no active person', () => {
    fc.assert(
      fc.property(history, ({ old, asked, first, second, isKnown, isOff }) => {
        const strict: PlanRules = { ...rules, outOfScope: 'disable', missing: { afterReads: 1, minAgeMs: 0 } };
        const { job, phoneNumber } = old;
        const before: Account = { enabled: !isOff, values: { ...wanted, ...old } };
        const hidden = isKnown ? { job, phoneNumber } : {};
        const ledgerBefore = entry({ hidden, ...(isOff ? { disabledAt: 1 } : {}) });
        const run = (source: SourceSays, account: Account, ledger: LedgerEntry) =>
          decide({ identification: 'E1', source, user: shownAs(account), ledger }, strict, now);
        const send = (draftOf: ChangeDraft, rule: string, [account, ledger]: readonly [Account, LedgerEntry]) => {
          const change = sealChange({ ...draftOf, rule, episode: '0' });
          const facts = { ...rules, owner: 'people', now, blacklist: false, accountId: '1' };
          return {
            change,
            account: write(account, change),
            ledger: afterChange(change, { kind: 'applied', quirks: {} }, ledger, facts),
          };
        };
        const planned = run(sourceOf(first, asked), before, ledgerBefore);
        fc.pre(planned.change !== undefined && planned.change.kind !== 'remove');
        const done = send(planned.change as ChangeDraft, planned.rule, [before, planned.ledger ?? ledgerBefore]);

        const source = sourceOf(second, asked);
        const subject = { identification: 'E1', source, user: shownAs(done.account), ledger: done.ledger };
        const decided = undo(subject, undoingOf(done.change), strict, now);
        if (second === 'active') expect(decided.change?.kind).not.toBe('disable');
        expect(decided.change !== undefined || decided.finding !== undefined).toBe(true);
        if (decided.change === undefined) return;
        const back = send(decided.change, decided.rule, [done.account, done.ledger]);
        const isWhole = decided.finding === undefined;
        if (isWhole) expect(back.account).toEqual(before);
        for (const name of decided.change.changed) expect(back.account.values[name]).toBe(before.values[name]);

        const record = rejectionBy(back.change, [], now);
        const known: DecisionRecord[] = record === undefined ? [] : [{ ...record, episode: '0', run: 'run_undo' }];
        const later = run(source, back.account, back.ledger);
        if (later.change === undefined) return;
        const proposal = { ...later.change, rule: later.rule };
        const settled = settleDecisions(proposal, {
          known,
          carried: [],
          hidden: back.ledger.hidden,
          isSendable: () => true,
        });
        if (settled.verdict?.state === 'dropped') return;
        const after = write(back.account, settled.draft);
        for (const name of decided.change.changed) expect(after.values[name]).toBe(before.values[name]);
        if (decided.change.kind === 'enable') expect(after.enabled).toBe(true);
      }),
      { numRuns: drawRuns(2000) },
    );
  });
});
