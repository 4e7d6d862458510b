import { closeRedis, keyPrefix, openRedis, type RedisClient } from '../../drivers/redis/open-redis.ts';
import type { RedisSettings } from '../../ports/redis.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import { openErrorGate } from './error-gate.ts';
import { openRunQueue, type RunQueue } from './run-queue.ts';

/** A queue on a connection of its own. */
export interface QueueConnection {
  readonly connection: RedisClient;
  readonly prefix: string;
  readonly queue: RunQueue;
  /** Receives every error of the connection and logs few of them. */
  readonly report: (error: unknown) => void;
  close(): Promise<void>;
}

/**
 * Connects to the queue. `withinMs`: fails when Redis does not answer in that time. Absent: waits for Redis without
 * limit, as workers do. Must be closed.
 */
export function connectQueue(
  settings: RedisSettings,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  withinMs?: number,
): QueueConnection {
  const { report } = openErrorGate({ clock, logger });
  const connection = openRedis(settings, withinMs === undefined ? 'worker' : 'producer', report);
  const prefix = keyPrefix(settings);
  const answers = withinMs === undefined ? {} : { answers: { clock, withinMs } };
  const queue = openRunQueue({ connection, prefix, onError: report, ...answers });
  return {
    connection,
    prefix,
    queue,
    report,
    async close() {
      await queue.close().catch(report);
      closeRedis(connection);
    },
  };
}
