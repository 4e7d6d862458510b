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
export { type InitTemplate, initTemplate } from './init-template.ts';
export { renderJsonSchema } from './json-schema.ts';
export { type LoadOptions, loadConfig } from './load-config.ts';
export { renderConfigReference } from './reference.ts';
export { makeSecret, type Secret } from './secret.ts';
