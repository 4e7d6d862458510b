import type { RedisConfig } from '../config/config.ts';
import type { RedisSettings } from '../runtime/bullmq/redis-settings.ts';

/** Returns the settings of the configured Redis with revealed secrets, for the connection only. */
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
