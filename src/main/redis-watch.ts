import type { RedisConfig } from '../config/config.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import { openErrorGate } from '../runtime/bullmq/error-gate.ts';
import { closeRedis, openRedis } from '../runtime/bullmq/open-redis.ts';
import { keyPrefix } from '../runtime/bullmq/redis-settings.ts';
import { openRunQueue } from '../runtime/bullmq/run-queue.ts';
import type { QueueLook } from '../telemetry/metrics.ts';
import { redisSettings } from './redis-settings.ts';

export interface RedisWatch {
  /** Why Redis does not answer, or undefined when it does. */
  fault(): Promise<string | undefined>;
  /** Jobs that nobody has taken; undefined when Redis does not say. */
  waiting(): Promise<number | undefined>;
  /** The same, with when the oldest of them was added (epoch ms). */
  look(): Promise<QueueLook | undefined>;
  close(): Promise<void>;
}

const answerMs = 1500;

/** Looks at the queue from outside, on a connection of its own: what is stuck cannot speak for itself. Must be closed. */
export function watchRedis(config: RedisConfig, { clock, logger }: { clock: Clock; logger: Logger }): RedisWatch {
  const settings = redisSettings(config);
  const gate = openErrorGate({ clock, logger });
  const connection = openRedis(settings, 'producer', gate.report);
  const answers = { clock, withinMs: answerMs };
  const queue = openRunQueue({ connection, prefix: keyPrefix(settings), onError: gate.report, answers });
  const waiting = (): Promise<number | undefined> => queue.waiting().catch(() => undefined);
  return {
    fault: async () => ((await waiting()) === undefined ? `no answer within ${answerMs} ms` : undefined),
    waiting,
    look: () =>
      Promise.all([queue.waiting(), queue.oldestAt()]).then(
        ([count, oldestAt]) => ({ waiting: count, oldestAt }),
        () => undefined,
      ),
    async close() {
      await queue.close().catch(gate.report);
      closeRedis(connection);
    },
  };
}
