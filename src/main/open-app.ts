import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { runJob } from '../../jobs/index.ts';
import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import { approveDigest, approveRun, rejectRun } from '../engine/approve.ts';
import type { EngineIo, Sync } from '../engine/engine-io.ts';
import { makePlan } from '../engine/make-plan.ts';
import { cancelRun, inFull, requestRun, retryRun } from '../engine/request-run.ts';
import { explainPerson } from '../engine/why.ts';
import type { App, ResyncReport, SyncView, TokenReport, WatchOptions } from '../ports/app.ts';
import type { LogFields } from '../ports/runtime.ts';
import type { Trigger } from '../ports/store.ts';
import type { DriveIo } from '../runtime/in-process/drive-run.ts';
import { type LogScope, openLogScope } from '../telemetry/log-scope.ts';
import { callApi } from './call-api.ts';
import { checkConfig } from './check.ts';
import { deploymentLease } from './deployment.ts';
import type { Connection } from './open-connection.ts';
import type { Engine } from './open-engine.ts';
import { type Act, describeScope, openOperations } from './operations.ts';
import { findRun, planReport, runReport } from './reports.ts';
import { runHere } from './run-here.ts';
import { startDeployment } from './start-deployment.ts';
import { trySource } from './try-source.ts';
import { lookOnce, openConfigAlerts } from './watch-alerts.ts';

/** What the command line asks for, over an opened engine. Closing it closes the engine. */
export function openApp(config: Config, engine: Engine, scope: LogScope = openLogScope()): App {
  const { io } = engine;
  const { store } = io;
  const owner = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const us = nameOf(owner);
  const watched = (options: WatchOptions): EngineIo => ({ ...io, progress: options.progress });
  const keepToken = async (connection: string): Promise<void> => {
    await engine.connections.get(connection)?.custody.current(AbortSignal.timeout(60_000));
  };
  const driveIo = (options: WatchOptions): DriveIo => ({
    engine: watched(options),
    owner,
    signal: options.signal,
    keepToken,
    runJob: (name, payload, context) => scope.during(runOf(payload), () => runJob(name, payload, context)),
  });

  const alerts = openConfigAlerts(config, engine);
  const here = async (trigger: Trigger, options: WatchOptions) => {
    const { run, resumed } = await runHere(trigger, driveIo(options));
    await lookOnce(alerts, engine, options.signal);
    return { ...(await runReport(run.id, store)), resumed };
  };
  const isDeployed = async () => (await store.leases.holder(deploymentLease, io.clock.now())) !== undefined;
  const queuedOrHere = async (trigger: Trigger, options: WatchOptions): Promise<ResyncReport> => {
    if (await isDeployed()) {
      return { kind: 'queued', trigger: trigger.id, pause: await store.pauses.get(trigger.sync) };
    }
    return { kind: 'ran', report: await here(trigger, options) };
  };

  const syncs: readonly SyncView[] = Object.values(config.syncs).map(({ name, connection, schedule, policy }) => ({
    name,
    connection,
    policy,
    schedule: schedule === undefined ? undefined : `${schedule.cron} (${schedule.timezone})`,
  }));
  const { note, ...operations } = openOperations(config, syncs, io);

  /** What failed is written down as well: the platform, or the store, may have changed all the same. */
  const noted = async (act: Act, work: () => Promise<TokenStatus>): Promise<TokenReport> => {
    try {
      const report = tokenReport(await work());
      await note({ ...act, detail: `now ${report.state}` });
      return report;
    } catch (error) {
      const code = error instanceof RollcallError ? error.code : 'UNEXPECTED';
      await note({ ...act, detail: `failed: ${code}` }).catch(() => {});
      throw error;
    }
  };

  const app: App = {
    ...operations,
    syncs,
    connections: Object.keys(config.connections),

    async plan(name, options) {
      const sync = syncOf(name, io);
      const job = {
        planId: io.newId('plan'),
        sync,
        scope: { kind: 'all', isFull: true },
        signal: options.signal,
        context: undefined,
      } as const;
      return planReport(await makePlan(job, watched(options)), sync, store);
    },
    async apply(name, { approve, by = us, scope = { kind: 'all' }, ...options }) {
      syncOf(name, io);
      if (approve !== undefined) {
        const changes = await approveDigest(name, approve, by, io);
        await note({ action: 'approve', by, sync: name, detail: `${changes} changes of a plan that was shown` });
      }
      const trigger = await requestRun({ sync: name, kind: 'manual', scope: inFull(scope) }, io);
      await note({ action: 'request-run', by, sync: name, detail: describeScope(scope) });
      return here(trigger, options);
    },
    async resync(name, { scope, by = us, ...options }) {
      const trigger = await requestRun({ sync: name, kind: 'resync', scope }, io);
      await note({ action: 'request-run', by, sync: name, detail: describeScope(scope) });
      return queuedOrHere(trigger, options);
    },
    start: (options) => startDeployment(config, engine, app, driveIo, options),

    async runs({ after, ...filter }) {
      return store.runs.list(after === undefined ? filter : { ...filter, after: await findRun(after, store) });
    },
    show: async (id) => runReport((await findRun(id, store)).id, store),
    changes: (planId, query) => store.plans.page(planId, query),
    async approve(id, by) {
      const { run, changes } = await approveRun((await findRun(id, store)).id, by, io);
      await note({ action: 'approve', by, sync: run.sync, run: run.id, detail: `${changes} changes` });
      return { run: run.id, sync: run.sync, changes, isDeploymentRunning: await isDeployed() };
    },
    async reject(id, by) {
      const { run, changes } = await rejectRun((await findRun(id, store)).id, by, io);
      await note({ action: 'reject', by, sync: run.sync, run: run.id, detail: `${changes} changes` });
      return { run: run.id, sync: run.sync, changes, isDeploymentRunning: await isDeployed() };
    },
    async cancel(id, by = us) {
      const run = await findRun(id, store);
      await cancelRun(run.id, io);
      await note({ action: 'cancel', by, sync: run.sync, run: run.id });
      return run;
    },
    async retry(id, { by = us, ...options }) {
      const run = await findRun(id, store);
      const trigger = await retryRun(run.id, io);
      await note({ action: 'retry', by, sync: run.sync, run: run.id });
      return queuedOrHere(trigger, options);
    },
    trySource: (name, { signal, progress, ...options }) =>
      trySource(syncOf(name, io), options, watched({ signal, progress }), signal),
    why: (name, identification, signal) => explainPerson(identification, syncOf(name, io), io, signal),

    tokenStatus: async (name) => tokenReport(await connectionOf(name, engine).custody.status()),
    tokenRefresh(name, signal, by = us) {
      const { custody } = connectionOf(name, engine);
      return noted({ action: 'token-refresh', by, connection: name }, () => custody.refresh(signal));
    },
    tokenRevoke(name, signal, by = us) {
      const { custody, revoke } = connectionOf(name, engine);
      return noted({ action: 'token-revoke', by, connection: name }, () => custody.revoke(revoke, signal));
    },
    check: (connection, signal) => checkConfig(config, engine, connection, signal),
    call: async (request, signal) => callApi(soleConnection(request.connection, engine), request, signal),
    async *contract(name, mode, signal) {
      const { clientOptions: connection } = soleConnection(name, engine);
      // Loaded only when it is wanted: no other command needs it.
      const { runContractSuite } = await import('../platform/contract-suite/index.ts');
      yield* runContractSuite({ connection, mode, signal });
    },
    alerts: (limit) => alerts.report(limit),
    testAlerts: (channel, signal) => alerts.test(channel, signal),
    close: () => engine.close(),
  };
  return app;
}

function syncOf(name: string, io: EngineIo): Sync {
  const sync = io.syncs.get(name);
  if (sync !== undefined) return sync;
  const known = [...io.syncs.keys()].join(', ');
  throw new RollcallError(`no sync is called ${name}; the configuration has: ${known}`, { code: 'USAGE' });
}

/** The named connection, or the only one. */
function soleConnection(name: string | undefined, engine: Engine): Connection {
  const [first, ...others] = [...engine.connections.keys()];
  if (name !== undefined || first === undefined) return connectionOf(name ?? '', engine);
  if (others.length === 0) return connectionOf(first, engine);
  const known = [first, ...others].join(', ');
  throw new RollcallError(`say which connection is meant; the configuration has: ${known}`, { code: 'USAGE' });
}

function connectionOf(name: string, engine: Engine): Connection {
  const connection = engine.connections.get(name);
  if (connection !== undefined) return connection;
  const known = [...engine.connections.keys()].join(', ');
  throw new RollcallError(`no connection is called ${name}; the configuration has: ${known}`, { code: 'USAGE' });
}

type TokenStatus = Awaited<ReturnType<Connection['custody']['status']>>;

function tokenReport(status: TokenStatus): TokenReport {
  const { connection, state, generation, issuedAt, expiresAt, advice } = status;
  return { connection, state, generation, issuedAt, expiresAt, advice };
}

/** Who acts when nobody says who: the process, as a short name that does not change while it lives. */
function nameOf(owner: string): string {
  return `cli-${createHash('sha256').update(owner).digest('hex').slice(0, 8)}`;
}

/** What the lines of a job say: its run, if it is a job of one. */
function runOf(payload: unknown): LogFields {
  const run = typeof payload === 'object' && payload !== null && 'run' in payload ? payload.run : undefined;
  return typeof run === 'string' ? { run } : {};
}
