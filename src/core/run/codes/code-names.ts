import type data from './codes.json';

export type AlertCode = keyof typeof data.alert;
export type PrometheusCode = keyof typeof data.prometheus;
export type ApiCode = keyof typeof data.api;

/**
 * The independent topics of a subject: `run` (the last run failed, wholly or in part), `held` (changes wait for
 * approval), `leavers` (accounts of stated leavers miss the target soon), `freshness` (no success for too long), `orphans` (users of a sync that is not configured), `token` (tokens
 * of a connection), `platform` (runs of a connection fail because of its platform), `uploads` (it takes no changes),
 * `files` (it processes no file), `source` (an HR system does not answer), `credential` (an HR system refuses the
 * credentials), `report` (a report by e-mail fails or is late), `work` (no process does the work of the deployment),
 * `store` (the store was unavailable), `latency` (it is slow), `clock`
 * (the clock of a process is off), `configuration` (a process could not read it again), `channel` (a channel does
 * not deliver).
 */
export type AlertTopic =
  | 'run'
  | 'held'
  | 'leavers'
  | 'freshness'
  | 'orphans'
  | 'token'
  | 'platform'
  | 'uploads'
  | 'files'
  | 'source'
  | 'credential'
  | 'report'
  | 'work'
  | 'store'
  | 'latency'
  | 'clock'
  | 'configuration'
  | 'channel';
