import type { Overview, SyncOverview } from '../app/page.ts';
import type { AddCommand } from './command.ts';
import { instant } from './json-reports.ts';
import { renderStatus } from './render-status.ts';
import type { Shell } from './shell.ts';

export const addStatus: AddCommand = (program, host) => {
  program
    .command('status')
    .description('show the health, the state and the waiting changes of every sync')
    .action(host.action(status));
};

async function status(shell: Shell): Promise<number> {
  return shell.withApp({}, async (app) => {
    const overview = await app.overview();
    shell.printJson(statusJson(overview));
    shell.print(renderStatus(overview, shell.style));
    return 0;
  });
}

/** The object of `status --json`. */
function statusJson({ at, work, syncs }: Overview) {
  return {
    at: instant(at),
    work: { ...work, deploymentSeenAt: instant(work.deploymentSeenAt) },
    syncs: syncs.map(syncJson),
  };
}

function syncJson({ name, connection, health, activity, holds, requests, freshAt, nextSlotAt }: SyncOverview) {
  const { since, failure, by, ...state } = health;
  const problem = activity.run?.problem;
  return {
    sync: name,
    connection,
    health: {
      ...state,
      since: instant(since),
      run: failure?.run ?? null,
      reason: failure?.reason ?? null,
      by: by ?? null,
    },
    state: activity.kind,
    run: activity.run?.run ?? null,
    phase: activity.run?.phase ?? null,
    isInterrupted: activity.run?.interrupted !== undefined,
    interruptedAt: instant(activity.run?.interrupted?.at),
    problem: problem === undefined ? null : { at: instant(problem.at), reason: problem.reason },
    holds: { ...holds, heldAt: instant(holds.heldAt), expiresAt: instant(holds.expiresAt) },
    requests,
    freshAt: instant(freshAt),
    nextSlotAt: instant(nextSlotAt),
  };
}
