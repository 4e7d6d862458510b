import { given } from '../../core/run/given.ts';

/** One metric. Its name is defined only here. */
export interface MetricRow {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  /** `store`: of the whole deployment, so one process exports it. `process`: events of this process since it started. */
  readonly scope: 'store' | 'process';
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly buckets?: readonly number[];
}

const seconds = {
  short: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  long: [1, 5, 15, 60, 300, 900, 1800, 3600, 14_400],
};

/** Makes the rows of a scope: name, help, and the names of the labels. */
function rowsOf(scope: MetricRow['scope']) {
  const row = <Type extends MetricRow['type']>(type: Type) => {
    return (name: string, help: string, labels: readonly string[] = [], buckets?: readonly number[]) => {
      return { name, type, labels, help, scope, ...given({ buckets }) };
    };
  };
  return { gauge: row('gauge'), counter: row('counter'), histogram: row('histogram') };
}

const ofStore = rowsOf('store');
const ofProcess = rowsOf('process');

/** Every metric by its name in the code. docs/metrics.md is generated from it. No label contains personal data. */
export const metricsTable = {
  info: ofProcess.gauge('rollcall_info', 'Always 1; the label has the version.', ['version']),
  storeUp: ofProcess.gauge(
    'rollcall_store_up',
    '1 when the store answered and took a write. At 0, metrics of the scope store may be absent.',
  ),
  configLoaded: ofProcess.gauge(
    'rollcall_config_loaded_timestamp_seconds',
    'When this process read the configuration that it works with.',
  ),
  reloadRefused: ofProcess.gauge(
    'rollcall_config_reload_refused',
    '1 while the last reload (SIGHUP) of this process was refused, because the configuration has problems.',
  ),
  lastBackup: ofStore.gauge(
    'rollcall_last_backup_timestamp_seconds',
    'When `rollcall admin backup` last wrote a backup of the store. Absent before the first.',
  ),
  schedulerUp: ofStore.gauge(
    'rollcall_scheduler_up',
    '1 while a scheduler (role scheduler or all) renews its lease in the store, otherwise 0.',
  ),
  workerUp: ofStore.gauge(
    'rollcall_worker_up',
    'With Redis: 1 while a worker (role worker or all) renews its lease in the store, otherwise 0.',
  ),
  queueUp: ofProcess.gauge('rollcall_queue_up', 'With Redis: 1 when Redis answered this scrape, otherwise 0.'),
  lastSuccess: ofStore.gauge(
    'rollcall_last_success_timestamp_seconds',
    'When the last successful run for all employees ended (succeeded, nothing-to-do, held or exported). Absent before the first.',
    ['sync'],
  ),
  lastAttempt: ofStore.gauge(
    'rollcall_last_attempt_timestamp_seconds',
    'When the last run for all employees ended, with any outcome. Absent before the first.',
    ['sync'],
  ),
  freshness: ofStore.gauge(
    'rollcall_freshness_seconds',
    'Time since the last success: the main metric to alert on. Absent before the first success.',
    ['sync'],
  ),
  scheduled: ofStore.gauge(
    'rollcall_sync_scheduled',
    '1 when the sync has a schedule, 0 when it runs on request only.',
    ['sync'],
  ),
  paused: ofStore.gauge('rollcall_sync_paused', '1 while the sync is paused, otherwise 0.', ['sync']),
  runsOpen: ofStore.gauge('rollcall_runs_unfinished', 'Runs that have started and not ended: 0 or 1.', ['sync']),
  heldChanges: ofStore.gauge(
    'rollcall_held_changes',
    'Changes that wait for approval, by guard class. A change can be in two classes.',
    ['sync', 'class'],
  ),
  filesPending: ofStore.gauge(
    'rollcall_files_pending',
    'Batches whose effect is not known yet: being sent, being processed, or unresolved.',
    ['connection'],
  ),
  triggersWaiting: ofStore.gauge('rollcall_triggers_waiting', 'Requests that wait for a run: the depth of the queue.', [
    'sync',
  ]),
  triggerAge: ofStore.gauge('rollcall_trigger_age_seconds', 'Age of the oldest waiting request; 0 without one.', [
    'sync',
  ]),
  noticesUndelivered: ofStore.gauge(
    'rollcall_notices_undelivered',
    'Notices that a channel has tried to deliver without success, and tries again.',
    ['channel'],
  ),
  queueJobs: ofStore.gauge(
    'rollcall_queue_jobs_waiting',
    'With Redis: jobs that wait for a worker. Absent without Redis, and while Redis does not answer.',
  ),
  queueAge: ofStore.gauge('rollcall_queue_oldest_job_age_seconds', 'Age of the oldest waiting job; 0 without one.'),
  tokenState: ofStore.gauge(
    'rollcall_token_state',
    '1 for the current state of the tokens of a connection, otherwise 0. Absent for a fixed access token.',
    ['connection', 'state'],
  ),
  tokenExpiry: ofStore.gauge(
    'rollcall_token_expiry_timestamp_seconds',
    'When the access token expires. It is refreshed at about 75 % of its lifetime.',
    ['connection'],
  ),
  runs: ofStore.counter(
    'rollcall_runs_total',
    'Runs of the whole deployment that ended since this process exports the metrics of the store, by outcome.',
    ['sync', 'outcome'],
  ),
  changes: ofStore.counter(
    'rollcall_changes_total',
    'Changes of those runs, by kind and by result (applied, failed, unverified, unresolved, held, exported, dropped).',
    ['sync', 'kind', 'result'],
  ),
  runSeconds: ofStore.histogram('rollcall_run_duration_seconds', 'Duration of those runs.', ['sync'], seconds.long),
  batches: ofStore.counter(
    'rollcall_batches_total',
    'Batches of those runs, by result: done, failed (then split), refused, unresolved, unsent.',
    ['sync', 'result'],
  ),
  batchRows: ofStore.counter(
    'rollcall_batch_rows_total',
    'Rows of those batches. The rows of a failed file count again with its halves.',
    ['sync', 'result'],
  ),
  leaversLate: ofStore.gauge(
    'rollcall_leavers_late',
    'Stated leavers whose account is enabled after the target `leavers.within`, without those kept by a decision.',
    ['sync'],
  ),
  leaverSeconds: ofStore.histogram(
    'rollcall_leaver_disabled_seconds',
    'Time from the start of the clock of a leaver until the account was seen disabled.',
    ['sync'],
    [60, 300, 900, 3600, 14_400, 43_200, 86_400, 172_800],
  ),
  settleSeconds: ofStore.histogram(
    'rollcall_batch_settle_duration_seconds',
    'Time from sending a batch to its final status, in those runs.',
    ['connection', 'kind'],
    seconds.long,
  ),
  requests: ofProcess.counter(
    'rollcall_requests_total',
    'Calls to the platform, by path template, purpose (such as scan, proof or write) and HTTP status (none: no answer).',
    ['connection', 'operation', 'purpose', 'status'],
  ),
  requestSeconds: ofProcess.histogram(
    'rollcall_request_duration_seconds',
    'Duration of these calls, without the wait for the rate limit.',
    ['connection', 'operation'],
    seconds.short,
  ),
  waitSeconds: ofProcess.histogram(
    'rollcall_rate_limit_wait_seconds',
    'Time that calls waited for the rate limit (requestsPerSecond and concurrency of the connection).',
    ['connection'],
    seconds.short,
  ),
  tokenRefreshes: ofProcess.counter('rollcall_token_refreshes_total', 'Presentations of a refresh token, by result.', [
    'connection',
    'outcome',
  ]),
  loopDelay: ofProcess.gauge(
    'rollcall_event_loop_delay_seconds',
    'Delay of timers since the last scrape (percentile 50, 99, 100).',
    ['percentile'],
  ),
  memory: ofProcess.gauge('rollcall_process_resident_memory_bytes', 'Memory of this process.'),
  heapUsed: ofProcess.gauge(
    'rollcall_process_heap_used_bytes',
    'Used heap of V8. The process ends when it reaches the limit.',
  ),
  heapLimit: ofProcess.gauge('rollcall_process_heap_limit_bytes', 'Limit of the heap (--max-old-space-size).'),
  cpu: ofProcess.counter('rollcall_process_cpu_seconds_total', 'CPU time of this process, user and system.'),
  startTime: ofProcess.gauge('rollcall_process_start_time_seconds', 'When this process started.'),
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricKey = keyof typeof metricsTable;
