import { type Job, Queue } from 'bullmq';
import { answerWithin, closeRedis, keyPrefix, openRedis, type RedisClient } from '../../drivers/redis/open-redis.ts';
import type { QueueDepth } from '../../ports/metrics.ts';
import type { RedisSettings } from '../../ports/redis.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import type { Run } from '../../ports/store.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { RunlessJob } from '../../run/work.ts';
import type { Dispatch } from '../scheduler.ts';
import { openErrorGate } from './error-gate.ts';
import { firstPiece, type JobData, jobIdOf, readJobData, runlessJob, runOfJobId } from './job.ts';

/** The part of the queue that a process needs to add jobs. */
export interface RunQueue {
  /** Adds the job unless a job with its id exists. */
  add(data: JobData, priority: number): Promise<void>;
  /** Returns the runs that have a job in the queue, in any state. */
  runs(): Promise<ReadonlySet<string>>;
  /** Removes the jobs of these runs that count as taken although no worker holds their lock. Returns their runs. */
  dropForsaken(runs: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** Wakes jobs of these runs whose wait ended before `now`. The queue does it late when the workers' clocks are behind. */
  wakeOverdue(runs: ReadonlySet<string>, now: number): Promise<void>;
  /** Returns the number of jobs that are ready and not taken. */
  waiting(): Promise<number>;
  /** Returns the same, and when the oldest of them was added; checks 1000 of each kind. */
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

/**
 * Queues of BullMQ; each job names its own kind. Plans have a queue and workers of their own: a plan takes minutes and
 * memory at a large company, and deliveries of other runs must not wait until it ends.
 */
export const queueNames = ['runs', 'plans'] as const;
export type QueueName = (typeof queueNames)[number];

const eventsKept = 1000;
const mostBytes = 2048;
const mostLookedAt = 1000;
/** A worker whose clock is right has taken a job long before (ms). */
const lateMs = 2000;
/** Workers find the job of a dead one earlier, unless their check fails (ms). */
const forsakenMs = 60_000;
const unended = ['wait', 'active', 'delayed', 'prioritized'] as const;

export interface RunQueueParts {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly onError: (error: unknown) => void;
  /** Time limit for an answer (ms). Absent: waits for Redis. */
  readonly answers?: { readonly clock: Clock; readonly withinMs: number };
}

export function openRunQueue({ connection, prefix, onError, answers }: RunQueueParts): RunQueue {
  const open = (name: QueueName) => openQueue(name, { connection, prefix, onError });
  const queues: Readonly<Record<QueueName, Queue>> = { runs: open('runs'), plans: open('plans') };
  const answered = <T>(answer: Promise<T>): Promise<T> =>
    answers === undefined ? answer : answerWithin(answer, answers.withinMs, answers.clock);
  const ofAll = async <T>(ask: (queue: Queue) => Promise<readonly T[]>): Promise<T[]> =>
    (await Promise.all(queueNames.map((name) => answered(ask(queues[name]))))).flat();
  const waiting = async (): Promise<number> => {
    const counts = await ofAll(async (queue) => Object.values(await queue.getJobCounts('wait', 'prioritized')));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const oldestAt = async (): Promise<number | undefined> => {
    const jobs = await ofAll((queue) => queue.getJobs(['wait', 'prioritized'], 0, mostLookedAt - 1, true));
    // A job that was taken a moment ago is undefined here.
    const times = jobs.flatMap((job: { timestamp: number } | undefined) => (job === undefined ? [] : [job.timestamp]));
    return times.length === 0 ? undefined : Math.min(...times);
  };
  return {
    waiting,
    async depth() {
      const [count, oldest] = await Promise.all([waiting(), oldestAt()]);
      return { waiting: count, oldestAt: oldest };
    },
    async add(data, priority) {
      const queue = queues[priority > plansPriority ? 'plans' : 'runs'];
      await answered(queue.add(data.job, data, { jobId: jobIdOf(data), priority }));
    },
    async runs() {
      const ids = await ofAll<string>((queue) => queue.getRanges([...unended], 0, -1));
      return new Set(ids.map(runOfJobId));
    },
    async dropForsaken(runs) {
      const dropped = await ofAll(async (queue) => {
        const active = (await queue.getRanges(['active'], 0, -1)).filter((id) => runs.has(runOfJobId(id)));
        const results = await Promise.all(active.map((id) => queue.remove(id)));
        return active.filter((_, i) => results[i] === 1);
      });
      return new Set(dropped.map(runOfJobId));
    },
    async wakeOverdue(runs, now) {
      const delayed = await ofAll<Job | undefined>((queue) => queue.getJobs(['delayed'], 0, mostLookedAt - 1, true));
      for (const job of delayed) {
        if (job?.id === undefined || !runs.has(runOfJobId(job.id))) continue;
        const notBefore = readJobData(job.data)?.notBefore;
        // Another worker may have taken it since.
        if (notBefore !== undefined && notBefore + lateMs < now) await answered(job.promote()).catch(() => {});
      }
    },
    async close() {
      await Promise.all(queueNames.map((name) => queues[name].close()));
    },
  };
}

function openQueue(name: QueueName, { connection, prefix, onError }: RunQueueParts): Queue {
  const queue = new Queue(name, {
    connection,
    prefix,
    // A queue that fails to become ready at its start would stay unusable.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    streams: { events: { maxLen: eventsKept } },
    defaultJobOptions: {
      // The store keeps the history. A job that stays in the queue would block its id.
      removeOnComplete: true,
      removeOnFail: true,
      // Stack traces may contain data of the error.
      stackTraceLimit: 0,
      sizeLimit: mostBytes,
      attempts: 1,
    },
  });
  queue.on('error', onError);
  return queue;
}

/**
 * Returns the priority of a job; lower runs first. A run with a plan goes before those that have none, so that the plans
 * of many runs do not keep the first ones from their end. Then the order is: requests by people, requests by programs,
 * the schedule.
 */
export function priorityOf({ trigger, phase }: Pick<Run, 'trigger' | 'phase'>): number {
  const isPlanned = phase !== 'reading' && phase !== 'planning';
  const rank = trigger === 'schedule' ? 3 : trigger === 'webhook' ? 2 : 1;
  return isPlanned ? housekeepingPriority + rank : plansPriority + rank;
}

/** Priority of jobs that belong to no run. They are short, and runs need the tokens. */
export const housekeepingPriority = 1;
const plansPriority = 10;

/** A preview takes as long as a plan, and a user waits for it. */
export function runlessPriority(job: RunlessJob): number {
  return job === 'make-preview' ? plansPriority + 1 : housekeepingPriority;
}

/** Puts jobs into the queue for any worker. `close` does not close the queue: its owner does. */
export function openQueueDispatch(
  queue: RunQueue,
  { store, clock, logger }: Pick<EngineIo, 'store' | 'clock' | 'logger'>,
): Dispatch {
  let lostBefore: ReadonlySet<string> = new Set();
  let idleSince: ReadonlyMap<string, number> = new Map();
  const start = async ({ id }: Run): Promise<void> => {
    const run = await store.runs.get(id);
    if (run !== undefined && run.phase !== 'done') await queue.add(firstPiece(id), priorityOf(run));
  };
  return {
    start,
    async resume(idle) {
      const queued = idle.length === 0 ? new Set<string>() : await queue.runs();
      const lost = idle.filter(({ id }) => !queued.has(id));
      const waiting = new Set(idle.map(({ id }) => id).filter((id) => queued.has(id)));
      const now = clock.now();
      if (waiting.size > 0) await queue.wakeOverdue(waiting, now);
      idleSince = new Map([...waiting].map((id) => [id, idleSince.get(id) ?? now]));
      const forsaken = new Set([...waiting].filter((id) => now - (idleSince.get(id) ?? now) >= forsakenMs));
      for (const run of forsaken.size === 0 ? [] : await queue.dropForsaken(forsaken)) {
        const message = 'no worker holds the job of a run, and the workers did not notice: a new job is added';
        logger.warn({ run }, message);
        const owner = idle.find(({ id }) => id === run);
        if (owner !== undefined) await start(owner);
      }
      // Restarts only runs that seem lost twice, because a run between two jobs seems lost for a moment.
      for (const run of lost) if (lostBefore.has(run.id)) await start(run);
      lostBefore = new Set(lost.map(({ id }) => id));
    },
    enqueue: (job, payload) => queue.add(runlessJob(job, payload), runlessPriority(job)),
    close: async () => {},
  };
}

/**
 * Connects to the queue on a connection of its own. `withinMs`: fails when Redis does not answer in that time. Absent: waits
 * for Redis without limit, as workers do. `report` receives every error of the connection and logs few of them. Must be closed.
 */
export function connectQueue(
  settings: RedisSettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  withinMs?: number,
) {
  const { report } = openErrorGate({ clock, logger });
  const connection = openRedis(settings, withinMs === undefined ? 'worker' : 'producer', report);
  const prefix = keyPrefix(settings);
  const answers = withinMs === undefined ? {} : { answers: { clock, withinMs } };
  const queue = openRunQueue({ connection, prefix, onError: report, ...answers });
  const close = async (): Promise<void> => {
    await queue.close().catch(report);
    closeRedis(connection);
  };
  return { connection, prefix, queue, report, close };
}
