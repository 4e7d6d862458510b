import { z } from 'zod';
import { type ChangeClass, changeClasses } from '../core/plan/change.ts';
import { heldEnd } from './schemas/held-end.ts';

/* Input and output of the API. Instants are ISO 8601 in UTC; unknown values are null. */

export const instant = z.iso.datetime();
export const count = z.int();

/** Accepts one of these, or the text of a state that a newer version on the same store has written. */
function orNewer<const Known extends readonly string[]>(known: Known) {
  return z.union([z.enum(known), z.string().meta({ description: 'A state of a newer version on the same store' })]);
}

const counts = z.object({
  create: count,
  update: count,
  enable: count,
  disable: count,
  remove: count,
  firstSight: count,
  held: count,
  applied: count,
  failed: count,
  unverified: count,
  unresolved: count,
  repeated: count,
});

export const phaseWord = orNewer(['reading', 'planning', 'delivering', 'proving', 'done']);

export const runSummary = z.object({
  id: z.string(),
  sync: z.string(),
  connection: z.string(),
  trigger: z.enum(['schedule', 'manual', 'resync', 'approval', 'retry', 'webhook']),
  read: z
    .enum(['full', 'delta', 'point'])
    .nullable()
    .meta({ description: 'Which employees were read: all, changed ones, or named ones; null: none yet' }),
  /** Null: all employees. */
  users: count.nullable().meta({ description: 'Number of named employees; null: all employees' }),
  phase: phaseWord,
  startedAt: instant,
  endedAt: instant.nullable(),
  outcome: orNewer(['succeeded', 'nothing-to-do', 'held', 'partial', 'failed', 'cancelled', 'exported'])
    .nullable()
    .meta({ description: 'null until the run has ended' }),
  reason: z.string().nullable(),
  digest: z.string().nullable(),
  isCancelRequested: z.boolean(),
  counts,
});

export const sync = z.object({
  name: z.string(),
  connection: z.string(),
  policy: z.string(),
  schedule: z.string().nullable().meta({ description: 'null: runs on request only' }),
  state: z.enum(['idle', 'waiting', 'running', 'paused']),
  pausedAt: instant.nullable(),
  pausedBy: z.string().nullable(),
  freshAt: instant.nullable().meta({ description: 'When the latest successful run started' }),
  nextSlotAt: instant.nullable(),
  waiting: count.meta({ description: 'Requests that wait for a run' }),
  lastRun: runSummary.nullable(),
});

export const syncList = z.object({ syncs: z.array(sync) });
export const runPage = z.object({
  runs: z.array(runSummary),
  next: z.string().nullable().meta({ description: 'The cursor of the next page; null: this is the last page' }),
});

export const finding = z.object({
  code: z.string(),
  identification: z.string().nullable(),
  at: z.string().nullable().meta({ description: 'Position in the source' }),
  message: z.string(),
});

export const batch = z.object({
  id: z.string(),
  number: count,
  kind: z.enum(['csv', 'direct', 'outbox']),
  size: count,
  state: orNewer(['planned', 'sending', 'sent', 'settled', 'unresolved']),
  fileId: z.string().nullable(),
  fileName: z.string().nullable(),
  status: z.string().nullable(),
  reason: z.string().nullable(),
});

export const hold = z.object({
  id: z.string(),
  class: z.string(),
  reason: z.string(),
  count,
  heldAt: instant,
  expiresAt: instant,
  state: z
    .enum(['open', 'approved', 'rejected', 'decided', 'expired'])
    .meta({ description: 'decided: some changes were approved and the others rejected' }),
});

const amounts = z.record(z.string(), count);

export const budget = z
  .object({ files: count, requests: count, purposes: amounts, perSecond: z.number(), seconds: count })
  .nullable();

export const runDetail = runSummary.extend({
  requests: amounts.meta({ description: 'Requests to the platform so far, by purpose' }),
  budget: budget.meta({ description: 'Estimated requests of the run; null before its plan is made' }),
  budgetWithHeld: budget.meta({
    description: 'The same estimate including the held changes; null without held changes',
  }),
  facts: z.looseObject({}).meta({ description: 'What the run saw: rows, users, gaps' }),
  findings: z.array(finding),
  findingsInAll: count,
  batches: z.array(batch),
  holds: z.array(hold),
  heldEnds: z.array(heldEnd).meta({ description: 'What became of the held changes' }),
  reasonNow: z.string().nullable().meta({ description: 'As reason; for a held run, what still waits' }),
});

const values = z.record(z.string(), z.string());

export const change = z.object({
  identification: z.string(),
  kind: z.enum(['create', 'update', 'enable', 'disable', 'remove']),
  state: z.enum(['planned', 'held', 'sent', 'applied', 'failed', 'unverified', 'unresolved', 'exported', 'dropped']),
  stateReason: z.string().nullable(),
  reason: z.string(),
  classes: z.array(z.string()),
  changed: z.array(z.string()).meta({ description: 'The fields that differ' }),
  before: values.nullable().meta({ description: 'null: the user did not exist' }),
  after: values,
  batch: z.string().nullable(),
  isApproved: z.boolean(),
  hash: z.string(),
});

export const changePage = z.object({
  changes: z.array(change),
  next: z
    .string()
    .nullable()
    .meta({ description: 'Send it as `after` for the next page; null: this is the last page' }),
});

export const rawTextList = z.object({
  texts: z
    .array(z.object({ at: instant, about: z.string(), text: z.string() }))
    .meta({ description: 'In the order in which they came; empty without `encryptionKey`' }),
});

export const pastChanges = z.object({ history: z.array(change.extend({ run: z.string(), at: instant })) });

export const requested = z.object({
  trigger: z.string(),
  sync: z.string(),
  isNew: z.boolean().meta({ description: 'false: the Idempotency-Key was used before' }),
  run: z.string().nullable().meta({ description: 'The run that took the request; null while it waits' }),
});

export const runProgress = z.object({
  run: runSummary,
  batches: z.array(
    z.object({
      state: orNewer(['planned', 'sending', 'sent', 'settled', 'unresolved']),
      batches: count,
      changes: count,
    }),
  ),
});

export const requestState = z.object({
  id: z.string(),
  sync: z.string(),
  kind: z.enum(['schedule', 'manual', 'resync', 'approval', 'retry', 'webhook']),
  requestedAt: instant,
  users: count.nullable().meta({ description: 'Number of named employees; null: all employees' }),
  state: z
    .enum(['waiting', 'running', 'ended', 'canceled'])
    .meta({ description: '`waiting`: no run has taken it; `running`: its run is in progress' }),
  run: runSummary.nullable().meta({ description: 'The run that took the request; null while it waits' }),
  result: z
    .object({
      outcome: z.string(),
      reason: z.string().nullable(),
      changes: z.record(z.string(), count).meta({ description: 'Changes of the named employees, by state' }),
    })
    .nullable()
    .meta({
      description: 'How it ended for the employees of this request; its run may be about more. null: not ended',
    }),
});

export const verdict = z.object({
  run: z.string(),
  sync: z.string(),
  changes: count,
  isDeploymentRunning: z.boolean().meta({ description: 'false: nothing is delivered until a deployment is started' }),
});

export const connection = z.object({
  name: z.string(),
  syncs: z.array(z.string()),
  token: z.object({
    state: z.string(),
    generation: count.nullable(),
    issuedAt: instant.nullable(),
    expiresAt: instant.nullable(),
    attempts: count.meta({ description: 'Refreshes in a row that the token endpoint did not answer correctly' }),
    retryAt: instant.nullable().meta({ description: 'When the refresh token is presented again after such an answer' }),
    reason: z.string().nullable(),
    advice: z.string(),
  }),
  steps: z.array(z.string()).meta({ description: 'What to do to authorize the connection again; empty: nothing' }),
});

export const connectionList = z.object({ connections: z.array(connection) });

export const auditPage = z.object({
  entries: z.array(
    z.object({
      id: z.string(),
      at: instant,
      by: z.string(),
      action: z.string(),
      sync: z.string().nullable().meta({ description: 'null for an entry about a connection' }),
      connection: z.string().nullable().meta({ description: 'The connection of the token; otherwise null' }),
      run: z.string().nullable(),
      detail: z.string().nullable(),
      reason: z.string().nullable().meta({ description: 'The reason that the person gave' }),
      via: z.string().nullable().meta({ description: 'The token or login that was used, when `by` is another name' }),
    }),
  ),
  next: z.string().nullable(),
});

export const named = z.array(z.string().min(1).max(255)).min(1).max(1000);

export const runOrder = z
  .strictObject({
    users: named.optional().meta({ description: 'Identifications; absent: all employees' }),
    full: z.boolean().optional().meta({
      description: 'true: reads all employees, also where the sync reads only changed ones between full reads',
    }),
  })
  .refine(({ users, full }) => users === undefined || full !== true, {
    error: 'full and users exclude each other: use one of them',
    path: ['full'],
  })
  .meta({ description: 'The scope of the run' });

export const signature = {
  reason: z.string().trim().min(1).max(500).optional().meta({ description: 'Reason, for the audit' }),
  as: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: "Who decides, for the audit; by default the token's name. The audit keeps both" }),
};

export const somePeople = z.array(z.string().min(1).max(255)).min(1).max(10_000);

export const verdictOrder = z
  .strictObject({
    only: z
      .array(z.enum(changeClasses as [ChangeClass, ...ChangeClass[]]))
      .min(1)
      .optional()
      .meta({ description: 'Only changes of these classes' }),
    except: somePeople.optional().meta({ description: 'All but these people, by identification' }),
    ids: somePeople.optional().meta({ description: 'Only these people, by identification' }),
    ...signature,
  })
  .meta({ description: 'The held changes to decide, and the reason; an empty body: all that wait' });

export const approvalOrder = verdictOrder
  .extend({
    reopen: z.boolean().optional().meta({
      description: 'true: changes that a person rejected are approved, when no other change of the selection waits',
    }),
  })
  .meta({ description: 'The held changes to decide, and the reason; an empty body: all that wait' });

export const peopleOrder = z
  .strictObject({ ids: somePeople.max(100) })
  .meta({ description: 'The people, by identification' });

export const adoptionOrder = peopleOrder
  .extend(signature)
  .meta({ description: 'The people, and the reason for the audit' });

export const adoptions = z.object({
  sync: z.string(),
  adoptions: z.array(
    z.object({
      identification: z.string(),
      kind: z.enum(['move', 'rename', 'none']),
      account: z.object({ id: z.string(), enabled: z.boolean() }).optional(),
      owner: z.string().optional().meta({ description: 'The sync that owned the user before' }),
      other: z.string().optional().meta({ description: 'The identification that the account had before' }),
      effect: z.string().meta({ description: 'What changes, or why nothing does' }),
      isDone: z.boolean(),
    }),
  ),
});

export const cancelOrder = z.strictObject(signature).meta({ description: 'Reason, for the audit' });

export const holdsPage = z.object({
  holds: z.array(
    hold.extend({
      sync: z.string(),
      run: z.string(),
      count: count.meta({ description: 'How many changes wait; decided ones are not counted' }),
      budget: budget.meta({ description: 'Estimated requests of a run that delivers this and the rest of its plan' }),
      isApprovable: z.boolean().meta({ description: 'false: it has expired, and the next run asks again' }),
      changes: z.array(change).meta({ description: 'The first changes; `list-changes` of the run returns all' }),
    }),
  ),
  reads: z
    .array(z.object({ sync: z.string(), run: z.string(), reason: z.string().nullable(), startedAt: instant }))
    .meta({ description: 'Runs that wait because their source looks wrong' }),
});

export const webhookOrder = z
  .strictObject({ identifications: named })
  .meta({ description: 'Employees that changed in the sending system' });

export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: count,
  code: z.string().meta({ description: 'Stable. Programs must use this code, not the texts' }),
  detail: z.string(),
  requestId: z.string(),
});
