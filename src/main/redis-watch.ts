import type { QueueDepth } from '../ports/metrics.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import { connectQueue } from '../work/queue/connect-queue.ts';

export interface RedisWatch {
  /** Returns why Redis cannot be used; undefined when it answers. */
  fault(): Promise<string | undefined>;
  /** Returns the number of waiting jobs; undefined when Redis does not answer. */
  waiting(): Promise<number | undefined>;
  /** Returns the same, with the instant (epoch ms) at which the oldest waiting job was added. */
  depth(): Promise<QueueDepth | undefined>;
  close(): Promise<void>;
}

const answerMs = 1500;

/** Observes the queue on a connection of its own, so that a stuck worker is noticed. Must be closed. */
export function watchRedis(settings: RedisSettings, io: { clock: Clock; logger: Logger }): RedisWatch {
  const { queue, close } = connectQueue(settings, io, answerMs);
  const waiting = (): Promise<number | undefined> => queue.waiting().catch(() => undefined);
  return {
    fault: async () => ((await waiting()) === undefined ? `no answer within ${answerMs} ms` : undefined),
    waiting,
    depth: () => queue.depth().catch(() => undefined),
    close,
  };
}
