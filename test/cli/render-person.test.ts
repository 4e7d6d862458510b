import { expect, test } from 'vitest';
import { renderPerson } from '../../src/cli/commands/people.ts';
import type { PersonTrace } from '../../src/views/people.ts';
import { at, plain, sampleChange } from './samples.ts';

const snapshot = { kind: 'full', rows: 520, leavers: undefined, missing: undefined, gaps: [] } as const;
const person = {
  kind: 'person',
  at: 'line 4',
  identification: '1003',
  fields: { area: 'Finance' },
  standing: 'active',
  standingReason: 'status is "active"',
  isInScope: true,
  unreadable: [],
  troubles: [],
  notes: [],
} as const;

const known: PersonTrace = {
  leaders: undefined,
  identification: '1003',
  answer: 'To be updated: differs in area',
  values: [
    {
      field: 'area',
      columns: ['department'],
      origin: 'from department',
      source: 'Finance ',
      sent: 'Finance',
      note: undefined,
      platform: 'Sales',
      written: undefined,
    },
    {
      field: 'job',
      columns: ['title'],
      origin: 'from title',
      source: '',
      sent: undefined,
      note: 'blank or not visible: the value on the platform is kept',
      platform: undefined,
      written: 'Clerk',
    },
  ],
  records: [
    {
      record: { at: 'line 4', fields: { employee_id: '1003', department: 'Finance ', level: 6, tags: ['a'] } },
      trace: {
        mapped: person,
        steps: [
          { target: 'identification', origin: 'from employee_id', effect: 'set', detail: '1003' },
          { target: 'area', origin: 'from department', effect: 'set', detail: 'Finance' },
          {
            target: 'job',
            origin: 'from title',
            effect: 'kept',
            detail: 'blank or not visible: the value on the platform is kept',
          },
          { target: 'status', origin: 'lifecycle', effect: 'set', detail: 'active: status is "active"' },
        ],
      },
    },
  ],
  reads: ['employee_id', 'department', 'level'],
  snapshot,
  says: { says: 'active', person },
  lookup: {
    found: true,
    user: {
      id: '7',
      identification: '1003',
      enabled: true,
      fields: { area: 'Sales' },
      unreadable: ['birthDate'],
      lastUpdate: '2026-11-20T10:00:00',
    },
  },
  ledger: {
    identification: '1003',
    owner: 'people',
    hidden: { job: 'Clerk' },
    quirks: { area: { sent: 'Sales and more', observed: 'Sales' } },
    unverified: 1,
    writtenAt: at,
    misses: { count: 1, since: at, stamp: 's' },
  },
  decision: { rule: 'active-update', change: sampleChange() },
  change: sampleChange(),
  steps: [{ step: 'mapping', state: 'partly', summary: 'title is blank', details: [], run: undefined }],
  findings: [],
  failure: undefined,
  next: 'the next run sends the update, unless a guard holds it',
  renames: [],
  pair: null,
  history: [{ ...sampleChange({ state: 'failed', stateReason: 'refused' }), run: 'run_01', at }],
};

test('a person is followed from the source to the decision', () => {
  expect(renderPerson(known, 'people', plain)).toMatchInlineSnapshot(`
    "1003 in sync people
    To be updated: differs in area

    FIELD  HR VALUE    SENT                              PLATFORM VALUE          FROM
    area   "Finance "  "Finance"                         "Sales"                 department
    job    ""          (not sent: blank or not visible)  (last written "Clerk")  title

    Steps
      mapping  in part  title is blank

    Source
      line 4; 520 rows read
        employee_id: "1003"
        level: 6
        tags: ["a"]

    Status and scope
      status: active: status is "active"
      result: the source says active

    Platform
      user 7, enabled, last update 2026-11-20T10:00:00
        area: "Sales"
        returned in a form that cannot be read: birthDate

    Ledger
      owned by sync people, last written 2026-11-21 19:30:00 UTC
      missing in 1 read since 2026-11-21 19:30:00 UTC
      job was last written as "Clerk"
      area was sent as "Sales and more" and is returned as "Sales"
      sent 1 time without a sign that it was applied

    Decision
      the employee is active, and the user differs (active-update)
      update: differs in area
        area: "Sales" → "Finance"

    Next run
      the next run sends the update, unless a guard holds it

    History
      2026-11-21 19:30:00 UTC  run_01  update  failed: refused"
  `);
});

test('of somebody whom nobody knows, every section says so', () => {
  const unknown: PersonTrace = {
    ...known,
    answer: 'Not changed: no record has this identification',
    values: [],
    records: [],
    snapshot: { ...snapshot, gaps: ['the file does not end in a line end'] },
    says: { says: 'nothing', reason: 'not in this read, which cannot prove that a person is missing' },
    lookup: { found: false },
    ledger: undefined,
    decision: { rule: 'nothing' },
    history: [],
  };

  expect(renderPerson(unknown, 'people', plain)).toMatchInlineSnapshot(`
    "1003 in sync people
    Not changed: no record has this identification

    Steps
      mapping  in part  title is blank

    Source
      no record has this identification; 520 rows read
      not fully proven: the file does not end in a line end

    Status and scope
      result: the source says nothing: not in this read, which cannot prove that a person is missing

    Platform
      no user has this identification

    Ledger
      not ours: no sync of this configuration owns the user

    Decision
      the read shows too little of the person for a decision (nothing)
      nothing to do

    Next run
      the next run sends the update, unless a guard holds it

    History
      no run has changed this user"
  `);
});

test('a change that may not be made is named', () => {
  const text = renderPerson({ ...known, decision: { rule: 'leaver-enabled', forbidden: 'disable' } }, 'people', plain);

  expect(text).toContain('forbids the disable');
});

test('a renamed person is told under both identifications, with the history of the former one', () => {
  const renames = [{ from: '1003', to: '2003', at, by: 'root', reason: 'new numbers' }];
  const before = renderPerson({ ...known, renames, ledger: undefined, lookup: { found: false } }, 'people', plain);
  expect(before).toContain('Ledger\n  renamed to 2003 by root at 2026-11-21 19:30:00 UTC (new numbers)\n\nDecision');

  const after = renderPerson({ ...known, identification: '2003', renames }, 'people', plain);
  expect(after).toContain('Ledger\n  renamed from 1003 by root at 2026-11-21 19:30:00 UTC (new numbers)\n  owned by');
  expect(after).toMatch(/run_01 {2}update of 1003 {2}failed: refused/);
});

test('only a removal of ours is called one, and a removed user has no owner', () => {
  const ledger = { identification: '1003', owner: 'people', hidden: {}, quirks: {}, unverified: 0 };
  const told = (removedAt: number) =>
    renderPerson(
      { ...known, ledger: { ...ledger, writtenAt: at, removed: { at: removedAt, blacklist: false } } },
      'people',
      plain,
    );
  expect(told(at)).toContain('removed by us 2026-11-21 19:30:00 UTC');
  expect(told(at + 1000)).toContain(
    '  no longer ours: sync people owned the user, last written 2026-11-21 19:30:00 UTC\n  no longer on the platform since 2026-11-21 19:30:01 UTC',
  );
});

test('a person who waits for an outcome is told so, and not that the record is unusable', () => {
  const reason = 'the outcome of an earlier change is not known: nothing is sent until 2026-11-21 20:00:00 UTC';
  const finding = { code: 'unresolved', identification: '1003', message: reason } as const;
  const trace: PersonTrace = {
    ...known,
    says: { says: 'unusable', code: 'unresolved', reason },
    decision: { rule: 'unusable', finding },
  };
  const told = renderPerson(trace, 'people', plain);
  expect(told).toContain(`result: not judged: ${reason}`);
  expect(told).toContain(
    'Decision\n  a change of the user waits for its outcome, so nothing else is decided (unusable)\n  nothing to do\n  reported as unresolved',
  );
  expect(told).not.toContain('cannot be used');
});

test('a read that no plan can be made from says that nothing is judged', () => {
  const told = renderPerson({ ...known, records: [], says: undefined, decision: undefined }, 'people', plain);
  expect(told).toContain('Status and scope\n  result: this read decides nothing\n');
});

test('a user counts as gone, also while the leaver is in the file', () => {
  const ledger = { identification: '1003', owner: 'people', hidden: {}, quirks: {}, unverified: 0, goneSince: at };
  expect(renderPerson({ ...known, ledger }, 'people', plain)).toContain(
    'counted as gone since 2026-11-21 19:30:00 UTC',
  );
});
