import { z } from 'zod';
import type { ChangeState } from '../core/run/run.ts';
import type { Pause, Run, RunScope, Trigger } from '../ports/store.ts';
import { runSummary, runView } from './runs.ts';
import { amounts, count, type Inner, instant, personal, toWire, viewOf } from './wire.ts';

export const refusedUntilWords =
  'Until when the schedule waits, because the HR system refused the credentials; null: it does not';

export const sync = z
  .object({
    name: z.string(),
    connection: z.string(),
    policy: z.string(),
    schedule: z.string().nullable().describe('null: runs on request only'),
    state: z.enum(['idle', 'waiting', 'running', 'paused']),
    pausedAt: instant.nullable(),
    pausedBy: z.string().nullable(),
    pausedUntil: instant.nullable().describe('When the pause ends automatically; null: when the sync is resumed'),
    frozenUntil: instant
      .nullable()
      .describe('End of the freeze, in which no account is disabled or removed; null: none'),
    freshAt: instant.nullable().describe('When the latest successful run about all people started'),
    /** Null without a schedule and while paused. */
    nextSlotAt: instant.nullable(),
    refusedUntil: instant.nullable().describe(refusedUntilWords),
    waiting: count.describe('Requests that wait for a run'),
    lastRun: runSummary.nullable(),
  })
  .meta({ id: 'Sync' });

export const syncList = z.object({ syncs: z.array(sync) }).meta({ id: 'SyncList' });

type SyncFacts = Inner<z.output<typeof sync>>;

export type SyncView = Pick<SyncFacts, 'name' | 'connection' | 'schedule' | 'policy'>;

export interface SyncState
  extends SyncView,
    Pick<SyncFacts, 'freshAt' | 'frozenUntil' | 'nextSlotAt' | 'refusedUntil' | 'waiting'> {
  readonly pause: Pause | undefined;
  /** The newest run, in progress or ended. */
  readonly lastRun: Run | undefined;
}

export const syncView = viewOf(sync, (state: SyncState) => ({
  ...state,
  state: stateWord(state),
  pausedAt: state.pause?.pausedAt,
  pausedBy: state.pause?.by,
  pausedUntil: state.pause?.until,
  lastRun: state.lastRun && runView(state.lastRun),
}));

function stateWord({ pause, lastRun, waiting }: SyncState): z.output<typeof sync>['state'] {
  if (lastRun !== undefined && lastRun.endedAt === undefined) return 'running';
  if (pause !== undefined) return 'paused';
  return waiting > 0 ? 'waiting' : 'idle';
}

export const requested = z
  .object({
    trigger: z.string(),
    sync: z.string(),
    isNew: z.boolean().describe('false: the Idempotency-Key was used before'),
    run: z.string().nullable().describe('The run that took the request; null while it waits'),
  })
  .meta({ id: 'Requested' });

export interface RequestReport extends Inner<z.output<typeof requested>> {
  readonly scope: RunScope;
}

export const requestedView = toWire(requested);

const requestResult = z.object({
  outcome: z.string(),
  reason: personal(z.string().nullable()),
  changes: amounts.describe('Changes of the named employees, by state'),
});

export const requestState = z
  .object({
    id: z.string(),
    sync: z.string(),
    kind: z.enum(['schedule', 'manual', 'resync', 'approval', 'retry', 'undo', 'webhook', 'leavers']),
    requestedAt: instant,
    users: count.nullable().describe('Number of named employees; null: all employees'),
    state: z
      .enum(['waiting', 'running', 'ended', 'canceled'])
      .describe('`waiting`: no run has taken it; `running`: its run is in progress'),
    run: runSummary.nullable().describe('The run that took the request; null while it waits'),
    result: requestResult
      .nullable()
      .describe('Outcome for the employees of this request, whose run may include others; null: not ended'),
  })
  .meta({ id: 'RequestState' });

export interface RequestState extends Pick<Inner<z.output<typeof requestState>>, 'state'> {
  readonly trigger: Trigger;
  readonly run: Run | undefined;
  readonly result: RequestResult | undefined;
}

export interface RequestResult extends Pick<Inner<z.output<typeof requestResult>>, 'reason'> {
  readonly outcome: NonNullable<Run['outcome']>;
  readonly changes: Readonly<Record<ChangeState, number>>;
}

export const requestResultView = viewOf(requestResult, (result: RequestResult) => result);

export const requestStateView = viewOf(requestState, ({ trigger, state, run, result }: RequestState) => ({
  ...trigger,
  users: trigger.scope.kind === 'users' ? trigger.scope.identifications.length : null,
  state,
  run: run && runView(run),
  result,
}));

export const syncMapping = z
  .object({
    sync: z.string(),
    source: z.string().describe('Kind of the source'),
    yaml: personal(z.string()).describe('The section `mapping` of the configuration, without its comments'),
    scope: personal(z.string().nullable()).describe('The expression that selects the employees of the sync; null: all'),
    readAt: instant.nullable().describe('The read that the fill-rates are of; null: none was accepted yet'),
    rows: count.nullable(),
    fields: z.array(
      z.object({
        field: z.string(),
        kind: z.enum(['from', 'value', 'expression']),
        origin: personal(z.string()).describe('The source field, the fixed value, or the expression'),
        transforms: z.array(z.string()),
        format: z.string().nullable().describe('Format of a date in the source'),
        whenEmpty: z.enum(['keep', 'clear']),
        write: z
          .enum(['always', 'onCreate', 'ifEmpty', 'keepLocalEdits'])
          .describe('Who decides about the field of an account that exists: the source, or the platform'),
        reads: z.array(z.string()).describe('Source fields that the rule reads'),
        unseen: z.array(z.string()).describe('The source fields that no record of the read showed'),
        fillRate: z.number().min(0).max(1).nullable().describe('Share of people with a value; null: not known'),
      }),
    ),
    managed: count.describe('Users that the sync owns'),
    enabled: count.describe('Owned users, without those that Rollcall disabled'),
    guards: z.array(
      z.object({
        class: z.string(),
        absolute: count,
        percent: z.number(),
        cap: count.nullable(),
        allowed: count.describe('How many changes pass in 24 hours without approval'),
        used: count.describe('Changes of the last 24 hours without approval'),
      }),
    ),
  })
  .meta({ id: 'SyncMapping' });

/** The mapping of a sync, with what the last accepted complete read showed. */
export type SyncMapping = Inner<z.output<typeof syncMapping>>;

export const syncMappingView = toWire(syncMapping);

export const setUp = z
  .object({
    sync: z.string(),
    rows: count,
    users: count.nullable().describe('null: the platform was not asked'),
    people: z.string().nullable().describe('Who is on which side'),
    cards: z.array(
      z.object({
        about: personal(z.string()).describe('What an answer names: a field, `status`, `status VALUE` or `leaveDate`'),
        chosen: personal(z.string()).describe('The key of the choice that is in the configuration; `-`: left out'),
        state: z.enum(['proven', 'said', 'open', 'unfilled']),
        evidence: personal(z.string()),
        choices: z.array(z.object({ key: personal(z.string()), effect: z.string() })),
        samples: z.array(z.object({ ours: personal(z.string()), theirs: personal(z.string()) })),
      }),
    ),
    notes: z.array(personal(z.string())).describe('What the present rules of the sync do not fit; none for a new sync'),
    yaml: personal(z.string()).describe('The sections of the sync that the answers give'),
    canWrite: z.boolean().describe('Whether this server writes a configuration'),
    written: z.string().nullable().describe('The file that was written'),
  })
  .meta({ id: 'SetUp' });

export type SetUp = Inner<Omit<z.output<typeof setUp>, 'canWrite' | 'written'>>;

export const setUpView = toWire(setUp);
