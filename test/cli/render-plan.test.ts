import { expect, test } from 'vitest';
import { planJson } from '../../src/cli/commands/sync.ts';
import { planEnd, renderPlan } from '../../src/cli/render/plan.ts';
import { openStyle } from '../../src/cli/terminal.ts';
import { noPlan } from '../../src/core/run/facts.ts';
import { noCounts } from '../../src/core/run/run.ts';
import type { PlanReport } from '../../src/ports/previews.ts';
import type { PlannedChange } from '../../src/ports/store.ts';
import { plain, sampleChange, samplePlan } from './samples.ts';

const render = (report: PlanReport, changes: readonly PlannedChange[] = []) =>
  renderPlan(report, planEnd(report), { changes, differing: [] }, plain);

test('a plan shows numbers, then every change field by field, then how to deliver it', () => {
  const changes = [
    sampleChange(),
    sampleChange({
      identification: '1004',
      before: { userId: '8', enabled: true, fields: { project: '' } },
      after: { job: 'Clerk', phoneNumber: '', project: 'Apollo', area: '' },
      changed: ['job', 'phoneNumber', 'project'],
      reason: 'differs in job, phoneNumber, project',
    }),
    sampleChange({
      identification: '1005',
      kind: 'create',
      before: undefined,
      after: { firstName: 'Ana', lastName: 'Sato', email: '' },
      changed: ['firstName', 'lastName'],
      reason: 'new employee',
    }),
    sampleChange({ identification: '1006', kind: 'disable', after: {}, changed: [], reason: 'left on 2026-11-20' }),
  ];
  const counts = { ...noCounts, create: 1, update: 2, disable: 1, firstSight: 1 };

  expect(render(samplePlan({ counts }), changes)).toMatchInlineSnapshot(`
    "people: 4 changes
      1,520 source rows, 1,512 platform users, 1,500 managed, 1,499 unchanged, 12 on the platform only
      1 to create, 2 to update (1 first write), 1 to disable

    changes:
      update 1003  differs in area
        area: "Sales" → "Finance"
      update 1004  differs in job, phoneNumber, project
        job: (not shown) → "Clerk"
        phoneNumber: (not shown) → (cleared)
        project: (empty) → "Apollo"
      create 1005 Ana Sato  new employee
        firstName: "Ana"
        lastName: "Sato"
      disable 1006  left on 2026-11-20

    digest 3f2a9c1b4d5e
    to deliver it:  rollcall apply people"
  `);
});

test('changes of leaders are counted apart, and show whom the person gets', () => {
  const leaders = (kind: 'lead' | 'unlead', before: string, after: string, reason: string) =>
    sampleChange({
      kind,
      before: { userId: '', enabled: true, fields: { mainLeader: before, secondaryLeaders: '' } },
      after: { mainLeader: after },
      changed: ['mainLeader'],
      reason,
    });
  const text = render(samplePlan({ counts: { ...noCounts, lead: 1, unlead: 1 } }), [
    leaders('lead', '', 'E7', 'the source names a main leader'),
    leaders('unlead', 'E7', '', 'the source no longer names a main leader'),
  ]);

  expect(text).toContain('people: 2 changes\n');
  expect(text).toContain('  1 to lead, 1 to unlead\n');
  expect(text).toContain('  lead 1003  the source names a main leader\n    mainLeader: (empty) → "E7"\n');
  expect(text).toContain('  unlead 1003  the source no longer names a main leader\n    mainLeader: "E7" → (cleared)\n');
});

test('a plan that is held says who must decide, and how to deliver the rest', () => {
  const reason = '7 disables: up to 5 in 24 hours need no approval (100 enabled managed users)';
  const report = samplePlan({
    counts: { ...noCounts, update: 30, disable: 7, held: 7 },
    holds: [{ sync: 'people', class: 'disables', reason, count: 7 }],
    findings: [
      { code: 'held', message: reason },
      { code: 'row-rejected', identification: '1010', at: 'line 12', message: 'last_name is blank' },
    ],
  });
  const held = sampleChange({
    kind: 'disable',
    after: {},
    changed: [],
    reason: 'left',
    state: 'held',
    stateReason: reason,
  });

  expect(render(report, [held])).toMatchInlineSnapshot(`
    "people: 37 changes, 7 of them held
      1,520 source rows, 1,512 platform users, 1,500 managed, 1,499 unchanged, 12 on the platform only
      30 to update, 7 to disable

    needs approval:
      7 disables: up to 5 in 24 hours need no approval (100 enabled managed users)

    1 finding:
      1010 line 12: last_name is blank (row-rejected)

    1 of 37 changes, some of every class:
      disable 1003  left  [held]

    … and 36 more: --limit 37, or rollcall plan people --out plan.csv

    digest 3f2a9c1b4d5e
    to deliver what is not held:  rollcall apply people
    to approve and deliver all:   rollcall apply people --approve 3f2a9c1b4d5e"
  `);
});

test('findings are listed up to twenty, and the rest is counted', () => {
  const findings = Array.from({ length: 23 }, (_, i) => ({ code: 'row-rejected' as const, message: `line ${i}: bad` }));
  const text = render(samplePlan({ findings }));

  expect(text).toContain('23 findings:');
  expect(text).toContain('line 19: bad');
  expect(text).not.toContain('line 20: bad');
  expect(text).toContain('… and 3 more');
});

test('a conflict of two people is one finding, and names each of them once', () => {
  const message = 'E2 (line 2) has the e-mail of platform user E1, which may be a rename';
  const text = render(
    samplePlan({
      findings: [
        { code: 'rename-conflict', identification: 'E2', at: 'line 2', message },
        { code: 'rename-conflict', identification: 'E1', message },
        { code: 'foreign-disable', identification: 'E3', message: 'is active in the source' },
        { code: 'foreign-disable', identification: 'E4', message: 'is active in the source' },
      ],
    }),
  );

  expect(text).toContain(
    `3 findings:\n  ${message} (rename-conflict)\n  E3 is active in the source (foreign-disable)\n  E4 is active`,
  );
});

test('people of one cause are one finding, and other people of its code are shown', () => {
  const of = (name: string, message: string) => ({ code: 'email-conflict' as const, identification: name, message });
  const shared = {
    code: 'email-conflict' as const,
    people: 3,
    message: '3 people: the e-mail of … is taken (E1; E2; E3)',
  };
  const people = ['E1', 'E2', 'E3'].map((name) => of(name, `the e-mail of ${name} is taken`));
  const text = render(samplePlan({ findings: [shared, ...people, of('E4', 'E4 and E5 have the same e-mail')] }));
  expect(text).toContain(
    `2 findings:\n  ${shared.message} (email-conflict)\n  E4 and E5 have the same e-mail (email-conflict)`,
  );
});

test('an unknown status names the command that shows the values', () => {
  const finding = {
    code: 'status-unknown',
    identification: 'E8',
    at: 'line 9',
    message: 'line 9: status has',
  } as const;
  expect(render(samplePlan({ findings: [finding] }))).toContain(
    'to see the values of the status:  rollcall source try people',
  );
});

test('what comes from outside cannot act on the terminal', () => {
  const report = samplePlan({
    failure: 'bad \u001b[2J',
    findings: [{ code: 'row-unreadable', message: '\u001b]0;x\u0007' }],
  });
  const change = sampleChange({ identification: 'a\u001b[1m', after: { area: '\u001b[31m' }, reason: 'b\u001bc' });

  expect(render(report, [change])).not.toContain('\u001b');
});

test('the commands that it suggests name the configuration that was used', () => {
  const style = openStyle({ isTerminal: false, env: {}, config: 'my files/acme.yaml' });

  expect(renderPlan(samplePlan(), planEnd(samplePlan()), { changes: [], differing: [] }, style)).toContain(
    "rollcall apply people --config 'my files/acme.yaml'",
  );
});

test.each([
  ['planned', {}],
  ['nothing-to-do', { counts: noCounts }],
  ['held', { counts: { ...noCounts, disable: 7, held: 7 } }],
  ['held', { counts: noCounts, facts: { ...noPlan, isReadDoubted: true } }],
  ['partial', { counts: { ...noCounts, update: 9 }, facts: { ...noPlan, sourceGaps: ['no end'] } }],
  ['partial', { counts: noCounts, facts: { ...noPlan, access: { keep: 1, lack: 0 } } }],
  ['held', { counts: { ...noCounts, update: 9, held: 9 }, facts: { ...noPlan, sourceGaps: ['no end'] } }],
  ['failed', { failure: 'no employee', facts: { ...noPlan, sourceGaps: ['no end'], isReadDoubted: true } }],
] satisfies [string, Partial<PlanReport>][])('the outcome is %s for %j', (outcome, patch) => {
  const report = samplePlan(patch);

  expect(planEnd(report).outcome).toBe(outcome);
  expect(planJson(report, []).outcome).toBe(outcome);
});
