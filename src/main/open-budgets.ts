import { randomBytes } from 'node:crypto';
import type { Limits } from '../core/run/settings.ts';
import { openLocalBudget } from '../drivers/http/rate-limit.ts';
import { closeRedis, keyPrefix, openRedis } from '../drivers/redis/open-redis.ts';
import type { RateBudget } from '../ports/platform.ts';
import type { RedisSettings } from '../ports/redis.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import { openErrorGate } from '../work/queue/error-gate.ts';
import { openRedisBudget } from '../work/queue/redis-budget.ts';

/** The rate budgets that all processes of a deployment share. Connects to Redis with the first call. */
export interface Budgets {
  of(connection: string, limits: Limits): RateBudget;
  close(): void;
}

export function openBudgets(settings: RedisSettings, { clock, logger }: { clock: Clock; logger: Logger }): Budgets {
  const gate = openErrorGate({ clock, logger });
  const client = openRedis(settings, 'budget', gate.report);
  const member = randomBytes(8).toString('hex');
  return {
    of: (connection, limits) =>
      openRedisBudget({
        client,
        prefix: keyPrefix(settings),
        connection,
        limits,
        clock,
        member,
        openLocal: (share) => openLocalBudget(share, clock),
        onError: gate.report,
      }),
    close: () => closeRedis(client),
  };
}
