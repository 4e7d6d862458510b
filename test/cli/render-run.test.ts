import { expect, test } from 'vitest';
import { renderRun, renderRuns } from '../../src/cli/render/run.ts';
import { noPlan } from '../../src/core/run/facts.ts';
import { noCounts } from '../../src/core/run/run.ts';
import type { Run } from '../../src/ports/store.ts';
import { runReportView } from '../../src/views/runs.ts';
import { at, plain, sampleBatch, sampleHold, sampleReport, sampleRun } from './samples.ts';

test('a run that went well is told in a few lines and asks for nothing', () => {
  const counts = { ...noCounts, create: 3, update: 5, applied: 8 };
  const report = sampleReport({ counts }, { batches: [sampleBatch({})] });

  expect(renderRun(report, plain)).toMatchInlineSnapshot(`
    "people: done
      run run_01 (manual), started 2026-11-21 19:30:00 UTC, took 1 min 5 s
      520 source rows, 512 platform users, 500 managed, 488 unchanged
      3 to create, 5 to update
      8 applied

    1 batch:
      1  csv  8 changes  rollcall-people-1.csv  ended  Processed"
  `);
});

test('what a person rejected is counted where nothing was done about it', () => {
  const counts = { ...noCounts, create: 60 };
  const found = { ...noPlan, sourceRows: 64, platformUsers: 24, rejected: 60, undone: 1 };

  const text = renderRun(sampleReport({ counts, plan: found, outcome: 'nothing-to-do' }, {}), plain);

  expect(text).toContain('64 source rows, 24 platform users, 59 skipped: you rejected them, 1 skipped: you undid it');
});

test('a run with trouble says what failed, what is held, and the next commands', () => {
  const counts = { ...noCounts, update: 9, disable: 7, applied: 7, failed: 2, held: 7 };
  const report = sampleReport(
    { counts, outcome: 'partial', reason: '2 changes failed' },
    {
      batches: [
        sampleBatch({}),
        sampleBatch({
          number: 2,
          kind: 'direct',
          fileName: undefined,
          status: undefined,
          state: 'unresolved',
          reason: 'the answer was lost',
        }),
      ],
      holds: [sampleHold],
      findings: [
        { code: 'held', message: sampleHold.reason },
        { code: 'batch-failed', message: 'batch 2: refused' },
      ],
      findingsInAll: 2,
      resumed: [sampleRun({ id: 'run_00' })],
    },
  );

  expect(renderRun(report, plain)).toMatchInlineSnapshot(`
    "interrupted run, continued and ended:
    people: done
      run run_00 (manual), started 2026-11-21 19:30:00 UTC, took 1 min 5 s
      520 source rows, 512 platform users, 500 managed, 488 unchanged

    people: partial: 2 changes failed
      run run_01 (manual), started 2026-11-21 19:30:00 UTC, took 1 min 5 s
      520 source rows, 512 platform users, 500 managed, 488 unchanged
      9 to update, 7 to disable
      7 applied, 7 held, 2 failed

    needs approval:
      7 disables: up to 5 in 24 hours need no approval (100 enabled managed users) (7 changes, open until 2026-11-22 19:30:00 UTC)

    2 batches:
      1  csv     8 changes  rollcall-people-1.csv  ended       Processed
      2  direct  8 changes                         unresolved  the answer was lost

    1 finding:
      batch 2: refused (batch-failed)

    to list the held changes:  rollcall show run_01 --held
    to approve it:             rollcall approve run_01
    to reject it:              rollcall reject run_01
    who failed, and why:       rollcall show run_01 --failed
    to retry:                  rollcall retry run_01"
  `);
});

test('a run that waits only because its read is doubted can be approved too', () => {
  const text = renderRun(
    sampleReport(
      { outcome: 'held', plan: { ...noPlan, isReadDoubted: true }, reason: 'the source looks wrong' },
      { isReadWaiting: true },
    ),
    plain,
  );

  expect(text).toContain('rollcall approve run_01');
});

test('a hold that was decided is not asked about again', () => {
  const report = sampleReport(
    { outcome: 'held', counts: { ...noCounts, held: 7 } },
    {
      holds: [{ ...sampleHold, state: 'rejected' }],
      heldEnds: [
        {
          classes: ['disables'],
          state: 'rejected',
          by: 'ana',
          why: 'they work here',
          run: undefined,
          end: undefined,
          count: 7,
        },
      ],
    },
  );

  expect(renderRun(report, plain)).toContain('people: 7 rejected\n');
  expect(renderRun(report, plain)).toContain('(7 changes, rejected by ana (they work here))');
  expect(renderRun(report, plain)).not.toContain('rollcall approve');
});

test('runs are a table, newest first, with what goes on now', () => {
  const runs = [
    sampleRun({ id: 'run_02', phase: 'proving', outcome: undefined, endedAt: undefined, startedAt: at - 5000 }),
    sampleRun({
      counts: { ...noCounts, update: 1200, applied: 1199, failed: 1 },
      outcome: 'partial',
      reason: 'told by show',
      read: { kind: 'delta', at, since: at - 600_000, fingerprint: 'f1' },
    }),
  ];

  expect(renderRuns(runs, at, plain)).toMatchInlineSnapshot(`
    "RUN     SYNC    TRIGGER  READ   STARTED                  TOOK       OUTCOME       CHANGES
    run_02  people  manual   –      2026-11-21 19:29:55 UTC  5 s        reading back  –
    run_01  people  manual   delta  2026-11-21 19:30:00 UTC  1 min 5 s  partial       1,199 applied, 1 failed"
  `);
});

test('a run says which read it made, and why everybody was read where a delta was to be expected', () => {
  const read = { at, fingerprint: 'f1' };
  const told = (run: Partial<Run>): string => renderRun(sampleReport(run), plain);
  expect(told({ read: { ...read, kind: 'delta', since: at - 600_000 } })).toContain(
    '  read: only employees changed since 2026-11-21 19:20:00 UTC',
  );
  expect(told({ read: { ...read, kind: 'full', reason: 'the next full read is due' } })).toContain(
    '  read: all employees, because the next full read is due',
  );
  expect(told({ read: { ...read, kind: 'point' } })).toContain('  read: only the named employees');
  expect(told({ read: { ...read, kind: 'full' } })).not.toContain('read:');
  expect(told({})).not.toContain('read:');
});

test('the JSON of a run has every key, with null for what is not known', () => {
  const json = runReportView(sampleReport({ outcome: undefined, endedAt: undefined, digest: undefined }));

  expect(json).toMatchObject({ id: 'run_01', outcome: null, endedAt: null, digest: null, reason: null, resumed: [] });
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});

test('a run in progress says what it waits for until when, whether a process works on it, and its last problem', () => {
  const at = Date.UTC(2026, 10, 25, 3);
  const open = { outcome: undefined, endedAt: undefined, phase: 'proving' as const };
  const files = { count: 1, untilMs: at + 1_800_000 };
  const told = (run: Partial<Run>, interrupted?: { at: number | undefined; isQueued: boolean }): string =>
    renderRun(sampleReport({ ...open, ...run }, { work: { interrupted, files } }), plain);
  const wait = 'waits for the outcome of 1 file, until 2026-11-25 03:30:00 UTC at the latest';

  expect(told({})).toContain(`\n${wait}`);
  expect(told({})).not.toContain('interrupted');
  expect(told({ isCancelRequested: true })).toContain(`it sends nothing more, and ${wait}`);
  const since = 'interrupted: no process has worked on the run since 2026-11-25 03:00:00 UTC.';
  expect(told({}, { at, isQueued: false })).toContain(
    `${since} To continue it:  rollcall apply people  or  rollcall start`,
  );
  const queued = told({}, { at, isQueued: true });
  expect(queued).toContain(`${since} It waits in the queue for a worker:  rollcall start --role worker`);
  expect(queued).not.toContain('apply');
  expect(told({ problem: { at, reason: 'connect ECONNREFUSED' } })).toContain(
    'last problem, at 2026-11-25 03:00:00 UTC: connect ECONNREFUSED',
  );
});
