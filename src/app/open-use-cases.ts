import { countOf } from '../core/run/count-of.ts';
import type { Sync } from '../run/engine-io.ts';
import { adopt, previewAdoption } from './adopt.ts';
import type { App } from './app.ts';
import type { AppIo } from './app-io.ts';
import { approveDigest, approveRun, previewVerdict, rejectRun, type VerdictOrder } from './approve.ts';
import { note, type SignedOrder, signature } from './audit.ts';
import { check } from './check.ts';
import { findConnection, findRun, findSync } from './find-named.ts';
import { listHolds } from './holds.ts';
import { dropUnreadable } from './keys.ts';
import { openPageUseCases } from './open-page-use-cases.ts';
import { openRunReport } from './open-run-report.ts';
import { exportPerson, forgetPerson } from './person-records.ts';
import { planToShare, showPlan } from './previews.ts';
import { cancel, inFull, queue, queueOrRun, queueRetry, requestState, retry, storeRequest } from './requests.ts';
import { runHere } from './run-here.ts';
import { pauseSync, readSyncStates, refusePaused, resumeSync } from './sync-states.ts';
import { changeTokens } from './tokens.ts';
import { trySource } from './try-source.ts';
import { explainPerson } from './why.ts';

/** Use cases that need alerts, the server, the queue or the platform client. Only the composition root knows these. */
type Surroundings =
  | 'pageUrl'
  | 'start'
  | 'call'
  | 'callTarget'
  | 'contract'
  | 'alerts'
  | 'quietAlerts'
  | 'testAlerts'
  | 'close';

/** Opens the use cases that the command line and the server share. */
export function openUseCases(io: AppIo): Omit<App, Surroundings> {
  const { engine } = io;
  const { store } = engine;
  const syncOf = (name: string): Sync => findSync(name, engine.syncs);
  const judge = async (action: 'approve' | 'reject', id: string, by: string, order: SignedOrder<VerdictOrder> = {}) => {
    const run = await findRun(id, store);
    const { changes, reopened, acceptsRead } = await (action === 'approve' ? approveRun : rejectRun)(
      run,
      by,
      engine,
      order,
    );
    const read = acceptsRead ? ', and the read' : '';
    const detail = `${countOf(changes, 'change')}${reopened === 0 ? '' : `, ${reopened} of them rejected before`}${read}`;
    await note({ action, by, sync: run.sync, run: run.id, detail, ...signature(order) }, engine);
    return { run: run.id, sync: run.sync, changes, isDeploymentRunning: await io.isDeployed() };
  };
  const verdicts: Pick<App, 'approve' | 'reject'> = {
    approve: (id, by, order) => judge('approve', id, by, order),
    reject: (id, by, order) => judge('reject', id, by, order),
  };
  return {
    ...verdicts,
    ...openPageUseCases(io, verdicts),
    syncs: io.syncs,
    connections: [...io.connections.keys()],

    plan: (name, options) => showPlan(syncOf(name), options, engine),
    planToShare: (name, options) => planToShare(syncOf(name), options, io),
    async apply(sync, order) {
      const { approve, by, scope = { kind: 'all' } } = order;
      syncOf(sync);
      await refusePaused(sync, io);
      if (approve !== undefined) {
        const signed = signature(order);
        const { changes, rejected } = await approveDigest(sync, approve, { by, ...signed }, engine);
        const kept = rejected === 0 ? '' : `, ${rejected} left out: rejected or ended since`;
        const detail = `${countOf(changes, 'change')} of a plan that was shown${kept}`;
        await note({ action: 'approve', by, sync, detail, ...signed }, engine);
      }
      const { trigger } = await storeRequest({ sync, kind: 'manual', scope: inFull(scope), by }, io);
      return runHere(trigger, order, io);
    },
    resync: (sync, { signal, progress, isWaiting = false, ...order }) =>
      queueOrRun({ sync, kind: 'resync', ...order }, { signal, progress, isWaiting }, io),
    retry: (id, options) => retry(id, options, io),
    request: (sync, order) => queue(sync, order, io),
    requestState: (id) => requestState(id, io),
    requestRetry: (id, by) => queueRetry(id, { by }, io),

    async runs({ after, ...filter }) {
      const runs = await store.runs.list(
        after === undefined ? filter : { ...filter, after: await findRun(after, store) },
      );
      // A sync that is no longer configured still has runs; a name without runs may be misspelled.
      if (runs.length === 0 && filter.sync !== undefined) syncOf(filter.sync);
      return runs;
    },
    show: async (id) => openRunReport(await findRun(id, store), io),
    runProgress: async (id) => {
      const run = await findRun(id, store);
      return { run, batches: await store.batches.ofRun(run.id) };
    },
    rawTexts: async (id) => store.rawTexts.ofRun((await findRun(id, store)).id),
    changes: (planId, query) => store.plans.page(planId, query),
    previewVerdict: async (action, id, order) => previewVerdict(action, await findRun(id, store), order, engine),
    previewAdoption: async (sync, ids, signal) => previewAdoption(syncOf(sync), ids, engine, signal),
    adopt: async (sync, ids, order) => adopt(syncOf(sync), ids, order, engine),
    holds: (query) => listHolds(query, engine),
    cancel: (id, by, order) => cancel(id, { by, ...signature(order ?? {}) }, io),

    trySource: (sync, { signal, progress, ...options }) =>
      trySource(syncOf(sync), options, { ...engine, progress }, signal),
    why: (sync, identification, signal) => explainPerson(identification, syncOf(sync), engine, signal),
    check: (connection, signal) => check(connection, signal, io),

    tokenStatus: (name) => findConnection(name, io.connections).tokens.status(),
    tokenRefresh: (connection, caller) => changeTokens('refresh', connection, caller, io),
    tokenRevoke: (connection, caller) => changeTokens('revoke', connection, caller, io),

    syncStates: () => readSyncStates(io),
    pause: (sync, by, order) => pauseSync(sync, { by, ...order }, io),
    resume: (sync, by, order) => resumeSync(sync, { by, ...order }, io),
    audit: async ({ run, ...query }) =>
      store.audit.list(run === undefined ? query : { ...query, run: (await findRun(run, store)).id }),
    exportPerson: (identification, signed) => exportPerson(identification, signed, engine),
    previewForget: (identification) => store.people.read(identification),
    forgetPerson: (identification, signed) => forgetPerson(identification, signed, engine),
    unreadable: () => store.sealing.unreadable(),
    dropUnreadable: (signed) => dropUnreadable(signed, engine),
    history: async (sync, identification, limit) =>
      store.plans.history(syncOf(sync).settings.name, identification, limit),
  };
}
