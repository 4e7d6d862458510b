export type {
  Config,
  ConnectionSettings,
  LogSettings,
  ScheduleSettings,
  SourceSettings,
  SyncConfig,
} from './config.ts';
export { ConfigError, type ConfigProblem, renderProblem } from './config-error.ts';
export { configHash } from './config-hash.ts';
export { type LoadOptions, loadConfig } from './load-config.ts';
export { makeSecret, type Secret } from './secret.ts';
