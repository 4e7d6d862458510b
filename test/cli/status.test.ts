import { expect, test } from 'vitest';
import type { AppIo } from '../../src/app/app-io.ts';
import { syncState } from '../../src/app/syncs.ts';
import { renderStatus } from '../../src/cli/render/status.ts';
import type { Overview, SyncOverview } from '../../src/views/overview.ts';
import { stateWords } from '../../src/views/overview.ts';
import type { SyncView } from '../../src/views/syncs.ts';
import en from '../../src/web/texts/en/words.json' with { type: 'json' };
import { plain } from './samples.ts';
import { useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const eight = Array.from({ length: 8 }, (_, i) => `${200 + i},Person,Support,active`);

test('status says how runs go, what waits, and the commands that show it', async () => {
  const shell = await openConnectedShell(eight);
  expect((await shell.run(['status'])).stdout).toMatch(/people +Never ran +Idle +– +never +On request/);
  await shell.run(['apply', 'people']);
  await writePeople(
    shell,
    eight.map((person) => person.replace('active', 'terminated')),
  );
  await shell.run(['apply', 'people']);
  const { stdout, code } = await shell.run(['status']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/people +Healthy +Needs approval +8 changes/);
  expect(stdout).toContain('\npeople: 8 people in HR → 8 accounts\n');
  expect(stdout).toContain('rollcall holds --sync people');
  const { syncs } = (await shell.run(['status', '--json'])).json<{ syncs: object[] }>();
  expect(syncs).toMatchObject([
    {
      name: 'people',
      health: { state: 'succeeding' },
      activity: { kind: 'needs-approval' },
      holds: { changes: 8, reads: 0 },
    },
  ]);

  await writePeople(shell, ['200,Person', 'x']);
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  const failing = await shell.run(['status']);
  expect(failing.stdout).toMatch(/people +Failing \(1×, since /);
  expect(failing.stdout).toContain(`rollcall show ${run}`);
});

test('status and page have the same words for a state', () => {
  const { health, activity } = en;
  expect({ ...activity, ...health }).toEqual(stateWords);
});

test('people who are missing and not disabled yet are counted everywhere, with the time of the disable', async () => {
  const twenty = Array.from({ length: 20 }, (_, i) => `${200 + i},Person,Support,active`);
  const shell = await openConnectedShell(twenty);
  await shell.run(['apply', 'people']);
  await writePeople(shell, twenty.slice(0, 18));
  const told = /2 missing \(disabled from 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC at the earliest, after 2 reads\)/;
  expect((await shell.run(['plan', 'people'])).stdout).toMatch(told);
  const applied = await shell.run(['apply', 'people']);
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(told) });
  expect((await shell.run(['status'])).stdout).toMatch(told);
  const planned = (await shell.run(['plan', 'people', '--json'])).json<{ facts: object }>();
  expect(planned.facts).toMatchObject({ missing: 2, missingWait: { afterReads: 2, from: expect.any(Number) } });

  const why = await shell.run(['why', 'people', '219']);
  expect(why.stdout).toMatch(
    /missing from the source, and the absence is counted: disabled from .* UTC at the earliest, after 2 reads \(missing-counted\)/,
  );
  expect(why.stdout).toMatch(
    /Next run\n {2}the next run counts the absence and changes nothing: the person is disabled/,
  );
});

test('without a scheduler, status says which process to start', () => {
  const sync = {
    name: 'people',
    health: { state: 'never-ran', failures: 0 },
    activity: { kind: 'idle', run: undefined },
    holds: { changes: 0, reads: 0, approvals: [], expired: { changes: 0 } },
    nextSlotAt: 1,
  };
  const textOf = (workers: string): string => {
    const work = { isDeploymentRunning: false, workers, requests: 0, runs: 0 };
    return renderStatus({ at: 0, syncs: [sync], work } as unknown as Overview, plain);
  };
  expect(textOf('none')).toMatch(/No deployment is running, .*: {1,2}rollcall start$/);
  expect(textOf('alive')).toMatch(/Workers are alive, but no scheduler is, .*: {1,2}rollcall start --role scheduler$/);
});

test('a deployment that does not show itself is no promise of the next run', () => {
  const at = Date.UTC(2026, 10, 25, 3);
  const sync = {
    name: 'people',
    health: { state: 'succeeding', failures: 0 },
    activity: { kind: 'idle', run: undefined },
    holds: { changes: 0, reads: 0, approvals: [], expired: { changes: 0 } },
    nextSlotAt: at + 60_000,
  } as unknown as SyncOverview;
  const told = (isDeploymentRunning: boolean, deploymentSeenAt: number | undefined): string => {
    const work = { isDeploymentRunning, deploymentSeenAt, workers: 'in-process', requests: 0, runs: 0 } as const;
    return renderStatus({ at, plainText: [], syncs: [sync], work }, plain);
  };

  expect(told(true, at - 5000)).not.toContain('deployment');
  expect(told(true, at - 9000)).toContain(
    'The deployment may have ended (last seen 2026-11-25 02:59:51 UTC). If it has, no schedule starts a run: rollcall start',
  );
  expect(told(false, at - 60_000)).toContain(
    'No deployment is running (last seen 2026-11-25 02:59:00 UTC), so no schedule starts a run: rollcall start',
  );
  expect(told(false, undefined)).toContain('No deployment is running, so no schedule starts a run: rollcall start');
});

test('after refused credentials, status says until when the schedule waits, and how to try now', () => {
  const now = Date.UTC(2026, 10, 25, 11);
  const until = now + 3_600_000;
  const engine = { clock: { now: () => now }, syncs: new Map() };
  const stateAt = (refusedUntil: number) => {
    const standings = new Map([['people', { newest: { endedAt: now - 1, end: { reasons: [], refusedUntil } } }]]);
    const io = { engine, nextSlot: () => now + 60_000 } as unknown as AppIo;
    return syncState({ name: 'people' } as SyncView, standings as never, io);
  };
  expect(stateAt(now)).toMatchObject({ nextSlotAt: now + 60_000, refusedUntil: undefined });
  const sync = {
    ...{ ...stateAt(until), health: { state: 'failing', failures: 0 }, activity: { kind: 'idle' } },
    holds: { changes: 0, reads: 0, approvals: [], expired: { changes: 0 } },
  } as unknown as SyncOverview;
  const work = {
    isDeploymentRunning: true,
    deploymentSeenAt: now,
    workers: 'in-process',
    requests: 0,
    runs: 0,
  } as const;
  const told = renderStatus({ at: now, plainText: [], syncs: [sync], work }, plain);
  expect(told).toContain(
    'people: the schedule waits until 2026-11-25 12:00:00 UTC, because the HR system refused the credentials. To try now:  rollcall resync people',
  );
  expect(told).not.toContain('11:01');
});
