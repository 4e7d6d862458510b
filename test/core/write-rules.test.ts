import { describe, expect, it } from 'vitest';
import type { FieldName } from '../../src/core/person/fields.ts';
import { sealChange } from '../../src/core/plan/change.ts';
import { create, diffFields, keptDetails, update, withKnown } from '../../src/core/plan/diff.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import { afterChange } from '../../src/core/plan/ledger-steps.ts';
import { decide } from '../../src/core/plan/plan.ts';
import type { FieldRule, WriteRule } from '../../src/core/run/settings.ts';
import { entry, now, rules, says, user, wanted } from './cases.ts';

const applied = { kind: 'applied', quirks: {} } as const;

function ruled(name: FieldName, write: WriteRule | undefined) {
  const rule = { kind: 'from', path: name, transform: [], format: undefined, whenEmpty: 'keep' } as const;
  const fields = { [name]: (write === undefined ? rule : { ...rule, write }) satisfies FieldRule };
  return { ...rules, mapping: { fields } };
}

/** What Rollcall knows of an account that it created with this value. */
function created(name: FieldName, value: string, write: WriteRule | undefined): LedgerEntry {
  const change = sealChange({ ...create('E1', { ...wanted, [name]: value }), rule: 'active-create', episode: '0' });
  return afterChange(change, applied, undefined, {
    ...ruled(name, write),
    owner: 'people',
    now,
    blacklist: false,
    accountId: '1',
  });
}

/** The value that the platform has after the next plan, from one that HR and the platform had in common. */
function endOf(
  name: 'area' | 'job',
  write: WriteRule | undefined,
  now: { readonly hr: string; readonly shown: string },
) {
  const shown = name === 'area' ? { fields: { ...wanted, area: now.shown } } : {};
  const given = { ...wanted, [name]: now.hr };
  const known = created(name, 'Sales', write);
  const difference = diffFields(given, user(shown), known, ruled(name, write));
  const { after } = update(user(shown), 'E1', difference);
  return difference.changed.includes(name) ? after[name] : now.shown;
}

const sourceStays = 'Sales';
const sourceChanges = 'Finance';
const localEdit = 'Local';

// The platform's edit of a write-only field cannot be seen.
describe.each([
  ['always', undefined, ['Sales', 'Finance', 'Sales', 'Finance', 'Local', 'Finance']],
  ['onCreate', 'onCreate', ['Sales', 'Sales', 'Local', 'Local', 'Local', 'Local']],
  ['ifEmpty', 'ifEmpty', ['Sales', 'Sales', 'Local', 'Local', 'Local', 'Local']],
  ['keepLocalEdits', 'keepLocalEdits', ['Sales', 'Finance', 'Local', 'Finance', 'Local', 'Finance']],
] as const)('write: %s', (_, write, [none, source, platform, both, unseen, unseenBoth]) => {
  it.each([
    ['neither side changed', sourceStays, 'Sales', none, none],
    ['HR changed', sourceChanges, 'Sales', source, source],
    ['the platform changed', sourceStays, localEdit, platform, unseen],
    ['both changed', sourceChanges, localEdit, both, unseenBoth],
  ])('%s', (_change, ...[hr = '', shown = '', readable, writeOnly]) => {
    expect({ area: endOf('area', write, { hr, shown }), job: endOf('job', write, { hr, shown }) }).toEqual({
      area: readable,
      job: writeOnly,
    });
  });
});

describe('first sight', () => {
  const seen = (name: 'area' | 'job', write: WriteRule, shown?: string) => {
    const fields = shown === undefined ? wanted : { ...wanted, area: shown };
    return diffFields({ ...wanted, [name]: 'Sales' }, user({ fields }), undefined, ruled(name, write));
  };

  it('lets a value stand, and remembers what HR said', () => {
    expect(seen('area', 'keepLocalEdits', 'Local')).toMatchObject({
      changed: [],
      assumed: { area: 'Sales' },
      kept: { area: 'keepLocalEdits' },
    });
    expect(seen('job', 'keepLocalEdits')).toMatchObject({ changed: [], assumed: { job: 'Sales' } });
  });

  it('fills an empty field, and leaves a field of the platform empty', () => {
    expect(seen('area', 'keepLocalEdits').changed).toEqual(['area']);
    expect(seen('area', 'ifEmpty').changed).toEqual(['area']);
    expect(seen('job', 'ifEmpty')).toMatchObject({ changed: ['job'], firstSight: ['job'] });
    expect(seen('area', 'onCreate')).toMatchObject({ changed: [], kept: { area: 'onCreate' } });
    expect(seen('job', 'onCreate').changed).toEqual([]);
  });

  it('fills no field whose value is not understood', () => {
    const shown = user({ unreadable: ['birthDate'] });
    const born = { ...wanted, birthDate: '1990-01-02' };
    for (const write of ['onCreate', 'ifEmpty', 'keepLocalEdits'] as const) {
      expect(diffFields(born, shown, undefined, ruled('birthDate', write)).changed).toEqual([]);
    }
  });
});

it('an edit made before the ledger knew the field stands until HR changes the value', () => {
  const rule = ruled('area', 'keepLocalEdits');
  const shown = user({ fields: { ...wanted, area: 'Local' } });
  const decideNow = (area: string, ledger: LedgerEntry | undefined) =>
    decide(
      { identification: 'E1', source: says.active({ fields: { ...wanted, area } }), user: shown, ledger },
      rule,
      now,
    );
  const first = decideNow('Sales', undefined);
  expect(first).toMatchObject({ rule: 'active-equal', kept: { area: 'keepLocalEdits' } });
  expect(decideNow('Sales', first.ledger).kept).toEqual({ area: 'keepLocalEdits' });
  expect(decideNow('Sales', first.ledger).ledger).toBeUndefined();
  expect(decideNow('Finance', first.ledger).change?.changed).toEqual(['area']);
});

it('a value that the platform keeps in its own form is no edit', () => {
  const known = entry({ hidden: { area: 'Große' }, quirks: { area: { sent: 'Große', observed: 'Grosse' } } });
  const shown = user({ fields: { ...wanted, area: 'Grosse' } });
  const difference = diffFields({ ...wanted, area: 'Große' }, shown, known, ruled('area', 'keepLocalEdits'));
  expect(difference).toMatchObject({ changed: [] });
  expect(difference.kept).toBeUndefined();
});

it('no write of another field carries a field whose value stays', () => {
  for (const write of ['onCreate', 'ifEmpty', 'keepLocalEdits'] as const) {
    for (const name of ['area', 'job'] as const) {
      const known = created(name, 'Sales', write);
      const shown = user({ fields: { ...wanted, area: 'Local' } });
      const given = { ...wanted, [name]: 'Sales', lastName: 'Núñez' };
      const { changed, written } = diffFields(given, shown, known, ruled(name, write));
      expect({ changed, value: written[name] }).toEqual({ changed: ['lastName'], value: undefined });
    }
  }
});

it('a write that clears what it leaves out carries the last known value, where the source has another one', () => {
  const known = created('job', 'Sales', 'onCreate');
  const { written } = diffFields({ ...wanted, job: 'Finance' }, user(), known, ruled('job', 'onCreate'));
  expect(withKnown(written, user(), known, ['job']).job).toBe('Sales');
});

it('an enable is no create, so the field stays', () => {
  const source = says.active({ fields: { ...wanted, area: 'Sales' } });
  const disabled = user({ enabled: false, fields: { ...wanted, area: 'Local' } });
  const decision = decide(
    { identification: 'E1', source, user: disabled, ledger: entry({ disabledAt: now }) },
    ruled('area', 'onCreate'),
    now,
  );
  expect(decision.change).toMatchObject({ kind: 'enable', changed: [] });
  expect(decision.change?.after.area).toBeUndefined();
  expect(keptDetails(decision.kept)).toMatchObject([{ name: 'area', value: expect.stringContaining('only a create') }]);
});
