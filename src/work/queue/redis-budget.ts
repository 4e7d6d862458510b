import { randomBytes } from 'node:crypto';
import { fullPace, type Pace } from '../../core/run/pace.ts';
import type { Limits } from '../../core/run/settings.ts';
import { answerWithin, closeRedis, keyPrefix, openRedis, type RedisClient } from '../../drivers/redis/open-redis.ts';
import type { RateBudget } from '../../ports/platform.ts';
import type { RedisSettings } from '../../ports/redis.ts';
import type { Clock, Logger } from '../../ports/runtime.ts';
import { openErrorGate } from './error-gate.ts';

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
  const base = `${prefix}:budget:${connection}`;
  const keys = [`${base}:starts`, `${base}:members`, `${base}:pace`];
  let pace = fullPace;
  let members = assumedMembers;
  let share: { readonly budget: RateBudget; readonly from: number } | undefined;
  let withinMs = firstAnswerMs;
  let askAgainAt = Number.NEGATIVE_INFINITY;
  return {
    pace: () => pace,
    learn(learned) {
      pace = learned;
      // What is not told now is learned by the others from the platform.
      client.eval(learnScript, 1, `${base}:pace`, ...relative(learned, clock.now()), paceMs).catch(onError);
    },
    async take(perSecond) {
      const burst = Math.max(1, Math.floor(perSecond));
      const windowMs = Math.ceil((burst * 1000) / perSecond);
      const given = [burst, windowMs, limits.concurrency, member, memberMs];
      if (clock.now() >= askAgainAt) {
        try {
          const { waitMs, sharing, shared } = readAnswer(
            await answerWithin(client.eval(takeScript, keys.length, ...keys, ...given), withinMs, clock),
            clock.now(),
          );
          members = sharing;
          if (shared !== undefined) pace = shared;
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
      return Math.max(0, share.from - now) + (await share.budget.take(perSecond / members));
    },
  };
}

/** `sharing`: the number of processes that share the budget. */
function readAnswer(answer: unknown, now: number) {
  if (Array.isArray(answer)) {
    const [waitMs = -1, sharing = 0, ...rest] = answer.map(Number);
    if (waitMs >= 0 && sharing >= 1) return { waitMs, sharing, shared: fromRelative(rest, now) };
  }
  throw new TypeError('Redis returned an unexpected answer for the rate budget');
}

/** Processes have clocks of their own, so a pace travels with times from now on. */
function relative({ share, at, notBefore, quota, quotaUntil }: Pace, now: number): number[] {
  return [share, Math.round(at - now), Math.round(notBefore - now), quota, Math.round(quotaUntil - now)];
}

function fromRelative(numbers: readonly number[], now: number): Pace | undefined {
  const [share, atMs, pauseMs, quota, quotaMs] = numbers;
  if (share === undefined || atMs === undefined || pauseMs === undefined) return undefined;
  if (quota === undefined || quotaMs === undefined || !numbers.every(Number.isFinite)) return undefined;
  return { share, at: now + atMs, notBefore: now + pauseMs, quota, quotaUntil: now + quotaMs };
}

/** How long the pace is kept: until nothing of it counts any longer (ms). */
const paceMs = 120_000;

const learnScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], 'share', ARGV[1], 'at', string.format('%d', now + ARGV[2]),
  'notBefore', string.format('%d', now + ARGV[3]), 'quota', ARGV[4], 'quotaUntil', string.format('%d', now + ARGV[5]))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
`;

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
local pace = redis.call('HMGET', KEYS[3], 'share', 'at', 'notBefore', 'quota', 'quotaUntil')
if not pace[1] then return { start - now, members } end
return { start - now, members, pace[1], pace[2] - now, pace[3] - now, pace[4], pace[5] - now }
`;

/** Opens the rate budgets that all processes of a deployment share. Connects to Redis with the first call. */
export function openBudgets(
  settings: RedisSettings,
  { clock, logger, openLocal }: Pick<RedisBudgetParts, 'clock' | 'openLocal'> & { readonly logger: Logger },
) {
  const gate = openErrorGate({ clock, logger });
  const client = openRedis(settings, 'budget', gate.report);
  const member = randomBytes(8).toString('hex');
  const shared = { client, prefix: keyPrefix(settings), clock, member, openLocal, onError: gate.report };
  return {
    of: (connection: string, limits: Limits) => openRedisBudget({ ...shared, connection, limits }),
    close: () => closeRedis(client),
  };
}
