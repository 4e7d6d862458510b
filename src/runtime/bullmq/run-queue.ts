import { Queue } from 'bullmq';
import type { Clock } from '../../ports/runtime.ts';
import type { TriggerKind } from '../../ports/store.ts';
import { type JobData, jobIdOf, runOfJobId } from './job-data.ts';
import { answerWithin, type RedisClient } from './open-redis.ts';

/** The queue, as far as somebody who adds to it needs it. */
export interface RunQueue {
  /** Adds the job unless one of its id is there. */
  add(data: JobData, priority: number): Promise<void>;
  /** The runs that have a job in the queue, in whatever state. */
  runs(): Promise<ReadonlySet<string>>;
  /** How many jobs could be taken now and have not been. */
  waiting(): Promise<number>;
  /** When the oldest of those that are looked at (1000 of a kind) was added, epoch ms; undefined when none waits. */
  oldestAt(): Promise<number | undefined>;
  close(): Promise<void>;
}

/** One queue for everything: a job says by itself what it is. */
export const queueName = 'runs';

const eventsKept = 1000;
const mostBytes = 2048;
const mostLookedAt = 1000;
const unended = ['wait', 'active', 'delayed', 'prioritized'] as const;

export interface RunQueueParts {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly onError: (error: unknown) => void;
  /** Gives up on an answer after so long; absent: waits for Redis. */
  readonly answers?: { readonly clock: Clock; readonly withinMs: number };
}

export function openRunQueue({ connection, prefix, onError, answers }: RunQueueParts): RunQueue {
  const queue = new Queue(queueName, {
    connection,
    prefix,
    // Whatever a queue waits for at its start and does not get would keep it useless for ever.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    streams: { events: { maxLen: eventsKept } },
    defaultJobOptions: {
      // The store knows what happened; a job that stayed would keep its id from being added again.
      removeOnComplete: true,
      removeOnFail: true,
      // Stack traces may hold what an error was about.
      stackTraceLimit: 0,
      sizeLimit: mostBytes,
      attempts: 1,
    },
  });
  queue.on('error', onError);
  const answered = <T>(answer: Promise<T>): Promise<T> =>
    answers === undefined ? answer : answerWithin(answer, answers.withinMs, answers.clock);
  return {
    async add(data, priority) {
      await answered(queue.add(data.job, data, { jobId: jobIdOf(data), priority }));
    },
    async runs() {
      const ids: readonly string[] = await answered(queue.getRanges([...unended], 0, -1));
      return new Set(ids.map(runOfJobId));
    },
    async waiting() {
      const counts = await answered(queue.getJobCounts('wait', 'prioritized'));
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    async oldestAt() {
      const jobs = await answered(queue.getJobs(['wait', 'prioritized'], 0, mostLookedAt - 1, true));
      // One that was taken a moment ago is told as nothing.
      const times = jobs.flatMap((job: { timestamp: number } | undefined) =>
        job === undefined ? [] : [job.timestamp],
      );
      return times.length === 0 ? undefined : Math.min(...times);
    },
    close: () => queue.close(),
  };
}

/** Lower goes first: what a person asked for, then what another program did, then the clock. */
export function priorityOf(trigger: TriggerKind): number {
  if (trigger === 'schedule') return 10;
  return trigger === 'webhook' ? 5 : 1;
}

/** Of work that belongs to no run. */
export const housekeepingPriority = 3;
