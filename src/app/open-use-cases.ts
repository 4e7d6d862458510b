import type { Sync } from '../engine/engine-io.ts';
import { makePlan } from '../engine/make-plan.ts';
import type { App } from './app.ts';
import type { AppIo } from './app-io.ts';
import { approveDigest, approveRun, rejectRun } from './approve.ts';
import { note } from './audit.ts';
import { check } from './check.ts';
import { findConnection, findRun, findSync } from './find-named.ts';
import { planReport, runReport } from './reports.ts';
import { cancel, inFull, queue, queueOrRun, queueRetry, retry, storeRequest } from './requests.ts';
import { runHere } from './run-here.ts';
import { pauseSync, readSyncStates, resumeSync } from './sync-states.ts';
import { changeTokens } from './tokens.ts';
import { trySource } from './try-source.ts';
import { explainPerson } from './why.ts';

/** What needs alerts, server, queue or the platform's client, which only the composition root knows. */
type Surroundings = 'start' | 'call' | 'contract' | 'alerts' | 'testAlerts' | 'close';

/** Opens the use cases that the command line and the server share. */
export function openUseCases(io: AppIo): Omit<App, Surroundings> {
  const { engine } = io;
  const { store } = engine;
  const syncOf = (name: string): Sync => findSync(name, engine.syncs);
  const judge = async (action: 'approve' | 'reject', id: string, by: string) => {
    const run = await findRun(id, store);
    const changes = await (action === 'approve' ? approveRun : rejectRun)(run, by, engine);
    await note({ action, by, sync: run.sync, run: run.id, detail: `${changes} changes` }, engine);
    return { run: run.id, sync: run.sync, changes, isDeploymentRunning: await io.isDeployed() };
  };
  return {
    syncs: io.syncs,
    connections: [...io.connections.keys()],

    async plan(name, { signal, progress }) {
      const sync = syncOf(name);
      const planId = engine.newId('plan');
      const scope = { kind: 'all', isFull: true } as const;
      const plan = await makePlan({ planId, sync, scope, signal, context: undefined }, { ...engine, progress });
      return planReport(plan, sync, store);
    },
    async apply(sync, { approve, by, scope = { kind: 'all' }, ...options }) {
      syncOf(sync);
      if (approve !== undefined) {
        const changes = await approveDigest(sync, approve, by, engine);
        await note({ action: 'approve', by, sync, detail: `${changes} changes of a plan that was shown` }, engine);
      }
      const { trigger } = await storeRequest({ sync, kind: 'manual', scope: inFull(scope), by }, io);
      return runHere(trigger, options, io);
    },
    resync: (sync, { scope, by, ...options }) => queueOrRun({ sync, kind: 'resync', scope, by }, options, io),
    retry: (id, options) => retry(id, options, io),
    request: (sync, order) => queue(sync, order, io),
    requestRetry: (id, by) => queueRetry(id, { by }, io),

    async runs({ after, ...filter }) {
      const runs = await store.runs.list(
        after === undefined ? filter : { ...filter, after: await findRun(after, store) },
      );
      // A sync that is no longer configured still has runs; a name without runs may be misspelled.
      if (runs.length === 0 && filter.sync !== undefined) syncOf(filter.sync);
      return runs;
    },
    show: async (id) => runReport(await findRun(id, store), store),
    changes: (planId, query) => store.plans.page(planId, query),
    approve: (id, by) => judge('approve', id, by),
    reject: (id, by) => judge('reject', id, by),
    cancel: (id, by) => cancel(id, by, io),

    trySource: (sync, { signal, progress, ...options }) =>
      trySource(syncOf(sync), options, { ...engine, progress }, signal),
    why: (sync, identification, signal) => explainPerson(identification, syncOf(sync), engine, signal),
    check: (connection, signal) => check(connection, signal, io),

    tokenStatus: (name) => findConnection(name, io.connections).tokens.status(),
    tokenRefresh: (connection, caller) => changeTokens('refresh', connection, caller, io),
    tokenRevoke: (connection, caller) => changeTokens('revoke', connection, caller, io),

    syncStates: () => readSyncStates(io),
    pause: (sync, by) => pauseSync(sync, by, io),
    resume: (sync, by) => resumeSync(sync, by, io),
    audit: (query) => store.audit.list(query),
    history: async (sync, identification, limit) =>
      store.plans.history(syncOf(sync).settings.name, identification, limit),
  };
}
