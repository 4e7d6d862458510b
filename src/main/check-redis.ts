import type { CheckLine } from '../app/app-io.ts';
import { answerWithin, closeRedis, keyPrefix, openRedis } from '../drivers/redis/open-redis.ts';
import { troublesOf } from '../drivers/redis/redis-troubles.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Clock } from '../ports/runtime.ts';
import { adviseOn } from '../work/queue/error-gate.ts';

/** Shorter than the client's own limit, whose error gives no reason. */
const answerMs = 2500;

/** Checks access to Redis, and that it evicts nothing. Writes nothing. */
export async function checkRedis(settings: RedisSettings, clock: Clock): Promise<CheckLine> {
  const subject = 'redis';
  const errors: unknown[] = [];
  const client = openRedis(settings, 'producer', (error) => errors.push(error));
  try {
    const info = await answerWithin(client.info(), answerMs, clock);
    // Fails for a user without rights on our keys.
    await answerWithin(client.exists(`${keyPrefix(settings)}:check`), answerMs, clock);
    const troubles = troublesOf(info);
    if (troubles.length > 0) return { subject, state: 'warning', message: troubles.join('; ') };
    return { subject, state: 'ok', message: 'Redis answers, and evicts no keys (noeviction)' };
  } catch (error) {
    // The first connection error has the reason; this one often says only that there was no answer.
    return { subject, state: 'failed', message: adviseOn(errors[0] ?? error) };
  } finally {
    closeRedis(client);
  }
}
