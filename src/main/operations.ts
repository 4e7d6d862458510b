import type { Config } from '../config/config.ts';
import { RollcallError } from '../core/errors.ts';
import type { Outcome } from '../core/run.ts';
import type { EngineIo } from '../engine/engine-io.ts';
import { inFull } from '../engine/request-run.ts';
import type { App, RequestReport, SyncState, SyncView } from '../ports/app.ts';
import type { AuditAction, KeyedTrigger, Run, RunScope, Trigger } from '../ports/store.ts';
import { openSchedule } from '../runtime/schedule.ts';
import { findRun } from './reports.ts';

export type Operations = Pick<
  App,
  'syncStates' | 'pause' | 'resume' | 'request' | 'requestRetry' | 'audit' | 'history'
> & {
  /** Writes down who did what. */
  note(act: Act): Promise<void>;
};

export interface Act {
  readonly action: AuditAction;
  readonly by: string;
  readonly sync?: string;
  readonly connection?: string;
  readonly run?: string;
  readonly detail?: string;
}

/** Of so many runs the newest good one is looked for. */
const searchedRuns = 50;
const goodOutcomes: ReadonlySet<string | undefined> = new Set<Outcome>([
  'succeeded',
  'nothing-to-do',
  'held',
  'exported',
]);

/** What people do to a running deployment: rows of the store, so that it does not matter which process they reach. */
export function openOperations(config: Config, views: readonly SyncView[], io: EngineIo): Operations {
  const { store, clock } = io;
  const nextSlots = openNextSlots(config);

  const note = async ({ action, by, sync, connection, run, detail }: Act): Promise<void> => {
    const [id, at] = [io.newId('audit'), clock.now()];
    await store.audit.add({ id, at, by, action, sync, connection, run, detail });
  };
  const known = (sync: string): void => {
    if (io.syncs.has(sync)) return;
    const names = [...io.syncs.keys()].join(', ');
    throw new RollcallError(`no sync is called ${sync}; the configuration has: ${names}`, { code: 'NOT_FOUND' });
  };
  const place = async (trigger: Trigger): Promise<RequestReport> => {
    const isNew = await store.triggers.add(trigger);
    if (isNew) return reportOf({ trigger, state: { kind: 'waiting' } }, true);
    const seen = await store.triggers.find(trigger.key);
    if (seen !== undefined) return reportOf(seen, false);
    throw new RollcallError('the request was taken before and is forgotten by now: give it a new key', {
      code: 'CONFLICT',
    });
  };

  return {
    note,
    async syncStates() {
      const waiting = await store.triggers.waiting();
      return Promise.all(
        views.map(async (view): Promise<SyncState> => {
          const [runs, pause] = await Promise.all([
            store.runs.list({ sync: view.name, limit: searchedRuns }),
            store.pauses.get(view.name),
          ]);
          return {
            ...view,
            pause,
            lastRun: runs[0],
            freshAt: runs.find(isGood)?.startedAt,
            nextSlotAt: pause === undefined ? nextSlots(view.name, clock.now()) : undefined,
            waiting: waiting.filter(({ sync }) => sync === view.name).length,
          };
        }),
      );
    },
    async pause(sync, by) {
      known(sync);
      if (!(await store.pauses.add({ sync, pausedAt: clock.now(), by }))) {
        throw new RollcallError(`${sync} is paused already`, { code: 'CONFLICT' });
      }
      await note({ action: 'pause', by, sync });
    },
    async resume(sync, by) {
      known(sync);
      if (!(await store.pauses.remove(sync))) throw new RollcallError(`${sync} is not paused`, { code: 'CONFLICT' });
      await note({ action: 'resume', by, sync });
    },
    async request(sync, { scope, kind, by, key }) {
      known(sync);
      const id = io.newId('trigger');
      const report = await place({ id, sync, kind, scope, key: key ?? id, requestedAt: clock.now() });
      const action = kind === 'webhook' ? 'webhook' : 'request-run';
      if (report.isNew) await note({ action, by, sync, detail: describeScope(scope) });
      return report;
    },
    async requestRetry(run, by) {
      const { id: old, sync, scope, phase } = await findRun(run, store);
      if (phase !== 'done') throw new RollcallError(`run ${old} has not ended yet`, { code: 'CONFLICT' });
      known(sync);
      const id = io.newId('trigger');
      const requestedAt = clock.now();
      const report = await place({ id, sync, kind: 'retry', scope: inFull(scope), key: id, requestedAt });
      await note({ action: 'retry', by, sync, run: old });
      return report;
    },
    audit: (query) => store.audit.list(query),
    async history(sync, identification, limit) {
      known(sync);
      return store.plans.history(sync, identification, limit);
    },
  };
}

/** Whom a run is about, for the audit: nobody is named there. */
export function describeScope(scope: RunScope): string {
  return scope.kind === 'all' ? 'everybody' : `${scope.identifications.length} named people`;
}

const isGood = ({ outcome }: Run): boolean => goodOutcomes.has(outcome);

function reportOf({ trigger, state }: KeyedTrigger, isNew: boolean): RequestReport {
  const { id, sync, scope } = trigger;
  return { trigger: id, sync, scope, isNew, run: state.kind === 'taken' ? state.run : undefined };
}

/** The next slot by sync. Looking for it takes a while for rare slots, so the last answer is kept until it has come. */
function openNextSlots(config: Config): (sync: string, now: number) => number | undefined {
  const schedules = new Map(
    Object.values(config.syncs).flatMap(({ name, schedule }) =>
      schedule === undefined ? [] : [[name, openSchedule(schedule.cron, schedule.timezone)] as const],
    ),
  );
  const kept = new Map<string, { readonly from: number; readonly slot: number | undefined }>();
  return (sync, now) => {
    const known = kept.get(sync);
    const lookAgainAt = known?.slot ?? (known?.from ?? Number.NEGATIVE_INFINITY) + 86_400_000;
    if (known !== undefined && now >= known.from && now < lookAgainAt) return known.slot;
    const slot = schedules.get(sync)?.nextSlot(now);
    kept.set(sync, { from: now, slot });
    return slot;
  };
}
