import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createExpressions } from '../../src/config/expressions.ts';
import type { FieldName } from '../../src/core/person/fields.ts';
import { compileMapping } from '../../src/core/person/mapping.ts';
import { decide } from '../../src/core/plan/plan.ts';
import { certifySnapshot } from '../../src/core/plan/snapshot.ts';
import { type FieldOrigin, type FieldRule, leavesBy } from '../../src/core/run/settings.ts';
import { sayOf } from '../../src/run/read/source-says.ts';
import { drawRuns } from '../support/drawn.ts';
import { entry, now, rules, user } from './cases.ts';

/** What a cell holds, and what its reader must make of it. */
interface Cell {
  readonly raw: unknown;
  readonly is: 'value' | 'blank' | 'absent' | 'trouble';
}

const value = (raw: unknown): Cell => ({ raw, is: 'value' });
const trouble = (raw: unknown): Cell => ({ raw, is: 'trouble' });
const blanks: readonly Cell[] = [
  { raw: '', is: 'blank' },
  { raw: ' \t', is: 'blank' },
  { raw: null, is: 'blank' },
  { raw: undefined, is: 'absent' },
];
const badTexts = [
  'bell\u0007',
  'x'.repeat(256),
  'cut\uD800',
  '#REF!',
  'Jos\uFFFD',
  'JosÃ©',
  '5.99E+10',
  ['a'],
  { a: 1 },
  2 ** 60,
].map(trouble);
const badDates = ['soon', '2026-02-30', '45000', '31/12/2020', ['2020-01-01'], {}].map(trouble);

const cell = (...kinds: readonly (readonly Cell[])[]): fc.Arbitrary<Cell> => {
  return fc.oneof(...kinds.map((cells) => fc.constantFrom(...cells)));
};
const text = cell([value('Ana'), value('two\nlines'), value('x\t y')], blanks, badTexts);
const past = value('2020-01-01');
const toCome = value('2030-01-01');

const row = fc.record({
  first: cell([value('Ana')], [value('Ana\nMaría')], blanks, badTexts),
  last: cell([value('Díaz')], [value('Díaz')], blanks, badTexts),
  mail: cell([value('ana@example.com')], blanks, [trouble('nobody'), trouble('a@b.example, c@d.example')], badTexts),
  dept: text,
  born: cell([value('1990-01-02')], blanks, badDates),
  level: cell([value('7'), value(3)], [trouble('high'), trouble({})]),
  title: text,
  status: fc.constantFrom(value('active'), value('active'), value(' LEFT '), value('asleep')),
  hired: cell([past], [past, toCome], blanks, badDates),
  left: cell([past, toCome], blanks, badDates),
  type: fc.constantFrom(value('staff'), value('staff'), value('staff'), value('guest')),
});

const columns: Readonly<Partial<Record<FieldName, string>>> = {
  firstName: 'first',
  lastName: 'last',
  email: 'mail',
  area: 'dept',
  birthDate: 'born',
  seniority: 'level',
  job: 'title',
};

const rule = (origin: FieldOrigin, whenEmpty: FieldRule['whenEmpty'] = 'keep'): FieldRule => {
  return { ...origin, transform: [], format: undefined, whenEmpty };
};
const from = (path: string) => ({ kind: 'from', path }) as const;
const computed = (expression: string) => ({ kind: 'expression', expression }) as const;

const mappings = [undefined, ...leavesBy].map((chosen) => {
  const fields = {
    firstName: rule(from('first')),
    lastName: rule(from('last')),
    email: rule(from('mail')),
    area: rule(from('dept'), 'clear'),
    birthDate: rule(from('born'), 'clear'),
    seniority: rule(computed("$number(level) > 5 ? 'Senior' : 'Junior'"), 'clear'),
    job: rule(from('title')),
  };
  const lifecycle = {
    status: 'status',
    active: ['active'],
    leaver: ['left'],
    hireDate: 'hired',
    leaveDate: 'left',
    leavesBy: chosen,
    dateFormat: undefined,
    timezone: undefined,
  };
  const settings = { identification: rule(from('id')), fields };
  return {
    leavesBy: chosen,
    mapping: compileMapping(settings, lifecycle, { scope: "type != 'guest'" }, { expressions: createExpressions() }),
  };
});

const snapshot = certifySnapshot({
  kind: 'full',
  end: { complete: true, rows: 1, evidence: 'test', stamp: 's' },
  unreadable: 0,
  readAt: now,
  runAt: undefined,
});
const shown = { firstName: 'Other', lastName: 'Name', area: 'Sales' };

it('trouble with a cell is trouble of that cell', async () => {
  await fc.assert(
    fc.asyncProperty(
      row,
      fc.constantFrom(...mappings),
      fc.record({
        enabled: fc.constantFrom(undefined, true, false),
        ledger: fc.constantFrom(undefined, entry(), entry({ disabledAt: now - 1000 })),
      }),
      fc.constantFrom<'write' | 'assume'>('write', 'assume'),
      async (cells, { mapping, leavesBy: chosen }, { enabled, ledger }, firstSight) => {
        const fields = Object.fromEntries(Object.entries(cells).map(([name, { raw }]) => [name, raw]));
        const mapped = await mapping.map({ at: 'line 2', fields: { id: 'E1', ...fields } }, now);
        if (mapped.kind !== 'person') return expect.unreachable(`${mapped.kind}: ${mapped.reason}`);
        const account = enabled === undefined ? undefined : user({ enabled, fields: shown });
        const { change } = decide(
          { identification: 'E1', source: sayOf(mapped, snapshot), user: account, ledger },
          { ...rules, firstSight, foreignDisable: 'enable' },
          now,
        );

        const isInScope = cells.type.raw === 'staff';
        const saysLeft = cells.status.raw === ' LEFT ';
        const isKeptByDate = cells.left === toCome && chosen !== 'status' && chosen !== 'first';
        const isUnnamed = cells.first.is !== 'value' || cells.last.is !== 'value' || cells.mail.is === 'trouble';
        const isUndated = cells.hired.is === 'trouble' || cells.left.is === 'trouble';
        if (isInScope && saysLeft && enabled === true && !isKeptByDate) expect(change?.kind).toBe('disable');
        if (change?.kind === 'create') expect({ isUnnamed, isUndated }).toEqual({ isUnnamed: false, isUndated: false });
        if (change?.kind === 'enable') expect(isUndated).toBe(false);
        if (saysLeft && chosen === undefined) expect(['create', 'enable']).not.toContain(change?.kind);
        for (const [name, column] of Object.entries(columns) as [FieldName, keyof typeof cells][]) {
          const { is } = cells[column];
          expect(mapped.unreadable.includes(name), name).toBe(is === 'trouble' || (isNeeded(name) && is !== 'value'));
          if (is === 'trouble' || is === 'absent') expect(Object.keys(change?.after ?? {})).not.toContain(name);
          if (change?.after[name] === '') expect(is).toBe('blank');
        }
      },
    ),
    { numRuns: drawRuns(3000) },
  );
});

function isNeeded(name: FieldName): boolean {
  return name === 'firstName' || name === 'lastName';
}
