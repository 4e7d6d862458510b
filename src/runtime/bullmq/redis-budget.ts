import type { Limits } from '../../core/settings.ts';
import type { RateBudget } from '../../ports/rate-budget.ts';
import type { Clock } from '../../ports/runtime.ts';
import { answerWithin, type RedisClient } from './open-redis.ts';

export interface RedisBudgetParts {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly connection: string;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Name of this process among those that share the budget. */
  readonly member: string;
  /** Opens a budget for this process alone. */
  readonly openLocal: (limits: Limits) => RateBudget;
  readonly onError: (error: unknown) => void;
}

/** A process without requests for this time no longer shares the budget (ms). */
const memberMs = 60_000;
/** Number of processes assumed to share the rate limit before the first answer from Redis. */
const assumedMembers = 10;
const answerMs = 500;
/** The first answer may take longer (ms), because the connection is opened first. */
const firstAnswerMs = 3000;
/** Wait after a missing answer before Redis is asked again (ms). */
const restMs = 1000;

/**
 * Opens the budget of a connection across all processes that use it. It is the same sliding window as for one process,
 * kept in Redis and by the clock of Redis. While Redis is not available, each process uses its share, by the number of
 * processes that asked last.
 */
export function openRedisBudget(parts: RedisBudgetParts): RateBudget {
  const { client, prefix, connection, limits, clock, member, onError } = parts;
  const burst = Math.max(1, Math.floor(limits.requestsPerSecond));
  const windowMs = Math.ceil((burst * 1000) / limits.requestsPerSecond);
  const keys = [`${prefix}:budget:${connection}:starts`, `${prefix}:budget:${connection}:members`];
  const given = [burst, windowMs, limits.concurrency, member, memberMs];
  let members = assumedMembers;
  let share: { readonly budget: RateBudget; readonly from: number } | undefined;
  let withinMs = firstAnswerMs;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  return {
    async take() {
      if (clock.now() >= askAgainAt) {
        try {
          const [waitMs, sharing] = readAnswer(
            await answerWithin(client.eval(takeScript, keys.length, ...keys, ...given), withinMs, clock),
          );
          members = sharing;
          withinMs = answerMs;
          share = undefined;
          return waitMs;
        } catch (error) {
          askAgainAt = clock.now() + restMs;
          withinMs = answerMs;
          onError(error);
        }
      }
      const now = clock.now();
      // Starts that were granted together just before still count, so the share begins one window later.
      share ??= {
        budget: parts.openLocal({ ...limits, requestsPerSecond: limits.requestsPerSecond / members }),
        from: now + windowMs,
      };
      return Math.max(0, share.from - now) + (await share.budget.take());
    },
  };
}

function readAnswer(answer: unknown): readonly [waitMs: number, members: number] {
  if (Array.isArray(answer)) {
    const [waitMs, members] = answer.map(Number);
    if (waitMs !== undefined && members !== undefined && waitMs >= 0 && members >= 1) return [waitMs, members];
  }
  throw new TypeError('Redis gave the rate budget an answer that it cannot have');
}

/**
 * Starts are kept oldest first, at most one window of them. A start too far in the future means that a clock was set
 * back.
 */
const takeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local burst, window, concurrency = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
local members = redis.call('ZCARD', KEYS[2])
local start = now
while redis.call('LLEN', KEYS[1]) >= burst do
  start = math.max(now, tonumber(redis.call('LPOP', KEYS[1])) + window)
end
if start - now > window * (2 + members * concurrency / burst) then
  redis.call('DEL', KEYS[1])
  start = now
end
redis.call('RPUSH', KEYS[1], string.format('%d', start))
redis.call('PEXPIRE', KEYS[1], start - now + 2 * window)
return { start - now, members }
`;
