import type { CheckLine } from '../app/app.ts';
import type { RedisConfig } from '../config/config.ts';
import type { Clock } from '../ports/runtime.ts';
import { adviseOn } from '../runtime/bullmq/error-gate.ts';
import { answerWithin, closeRedis, openRedis } from '../runtime/bullmq/open-redis.ts';
import { keyPrefix } from '../runtime/bullmq/redis-settings.ts';
import { troublesOf } from '../runtime/bullmq/redis-troubles.ts';
import { redisSettings } from './redis-settings.ts';

/** Less than a command's own limit, whose error says nothing. */
const answerMs = 2500;

/** Whether Redis lets us in and is one that keeps what it is given. Writes nothing. */
export async function checkRedis(config: RedisConfig, clock: Clock): Promise<CheckLine> {
  const subject = 'redis';
  const heard: unknown[] = [];
  const settings = redisSettings(config);
  const client = openRedis(settings, 'producer', (error) => heard.push(error));
  try {
    const info = await answerWithin(client.info(), answerMs, clock);
    // Whoever may not touch our keys is told so.
    await answerWithin(client.exists(`${keyPrefix(settings)}:check`), answerMs, clock);
    const troubles = troublesOf(info);
    if (troubles.length > 0) return { subject, state: 'warning', message: troubles.join('; ') };
    return { subject, state: 'ok', message: 'it answers, and keeps what it is given (noeviction)' };
  } catch (error) {
    // What came first says why; what came of the question is only that there was no answer.
    return { subject, state: 'failed', message: adviseOn(heard[0] ?? error) };
  } finally {
    closeRedis(client);
  }
}
