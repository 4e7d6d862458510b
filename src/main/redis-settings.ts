import type { RedisConfig } from '../config/config.ts';
import type { RedisSettings } from '../runtime/bullmq/redis-settings.ts';

/** The configured Redis with its secrets in the clear, for the connection alone. */
export function redisSettings(config: RedisConfig): RedisSettings {
  const { password, ...rest } = config;
  const access = password === undefined ? {} : { password: password.reveal() };
  if (rest.kind !== 'sentinel') return { ...rest, ...access };
  const { sentinelPassword, ...sentinel } = rest;
  return {
    ...sentinel,
    ...access,
    ...(sentinelPassword === undefined ? {} : { sentinelPassword: sentinelPassword.reveal() }),
  };
}
