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

/** Every metric by its name in the code. docs/metrics.md is generated from it. No label contains personal data. */
export const metricsTable = {
  info: {
    name: 'rollcall_info',
    type: 'gauge',
    labels: ['version'],
    help: 'Always 1; the label has the version.',
    scope: 'process',
  },
  storeUp: {
    name: 'rollcall_store_up',
    type: 'gauge',
    labels: [],
    help: '1 when the store answered and took a write. At 0, metrics of the scope store may be absent.',
    scope: 'process',
  },
  schedulerUp: {
    name: 'rollcall_scheduler_up',
    type: 'gauge',
    labels: [],
    help: '1 while a scheduler (role scheduler or all) renews its lease in the store, otherwise 0.',
    scope: 'store',
  },
  workerUp: {
    name: 'rollcall_worker_up',
    type: 'gauge',
    labels: [],
    help: 'With Redis: 1 while a worker (role worker or all) renews its lease in the store, otherwise 0.',
    scope: 'store',
  },
  queueUp: {
    name: 'rollcall_queue_up',
    type: 'gauge',
    labels: [],
    help: 'With Redis: 1 when Redis answered this scrape, otherwise 0.',
    scope: 'process',
  },
  lastSuccess: {
    name: 'rollcall_last_success_timestamp_seconds',
    type: 'gauge',
    labels: ['sync'],
    help: 'When the last successful run for all employees ended (succeeded, nothing-to-do, held or exported). Absent before the first.',
    scope: 'store',
  },
  lastAttempt: {
    name: 'rollcall_last_attempt_timestamp_seconds',
    type: 'gauge',
    labels: ['sync'],
    help: 'When the last run for all employees ended, with any outcome. Absent before the first.',
    scope: 'store',
  },
  freshness: {
    name: 'rollcall_freshness_seconds',
    type: 'gauge',
    labels: ['sync'],
    help: 'Time since the last success: the main metric to alert on. Absent before the first success.',
    scope: 'store',
  },
  scheduled: {
    name: 'rollcall_sync_scheduled',
    type: 'gauge',
    labels: ['sync'],
    help: '1 when the sync has a schedule, 0 when it runs on request only.',
    scope: 'store',
  },
  paused: {
    name: 'rollcall_sync_paused',
    type: 'gauge',
    labels: ['sync'],
    help: '1 while the sync is paused, otherwise 0.',
    scope: 'store',
  },
  runsOpen: {
    name: 'rollcall_runs_unfinished',
    type: 'gauge',
    labels: ['sync'],
    help: 'Runs that have started and not ended: 0 or 1.',
    scope: 'store',
  },
  heldChanges: {
    name: 'rollcall_held_changes',
    type: 'gauge',
    labels: ['sync', 'class'],
    help: 'Changes that wait for approval, by guard class. A change can be in two classes.',
    scope: 'store',
  },
  filesPending: {
    name: 'rollcall_files_pending',
    type: 'gauge',
    labels: ['connection'],
    help: 'Batches whose effect is not known yet: being sent, being processed, or unresolved.',
    scope: 'store',
  },
  triggersWaiting: {
    name: 'rollcall_triggers_waiting',
    type: 'gauge',
    labels: ['sync'],
    help: 'Requests that wait for a run: the depth of the queue.',
    scope: 'store',
  },
  triggerAge: {
    name: 'rollcall_trigger_age_seconds',
    type: 'gauge',
    labels: ['sync'],
    help: 'Age of the oldest waiting request; 0 without one.',
    scope: 'store',
  },
  noticesUndelivered: {
    name: 'rollcall_notices_undelivered',
    type: 'gauge',
    labels: ['channel'],
    help: 'Notices that a channel has tried to deliver without success, and tries again.',
    scope: 'store',
  },
  queueJobs: {
    name: 'rollcall_queue_jobs_waiting',
    type: 'gauge',
    labels: [],
    help: 'With Redis: jobs that wait for a worker. Absent without Redis, and while Redis does not answer.',
    scope: 'store',
  },
  queueAge: {
    name: 'rollcall_queue_oldest_job_age_seconds',
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest waiting job; 0 without one.',
    scope: 'store',
  },
  tokenState: {
    name: 'rollcall_token_state',
    type: 'gauge',
    labels: ['connection', 'state'],
    help: '1 for the current state of the tokens of a connection, otherwise 0. Absent for a fixed access token.',
    scope: 'store',
  },
  tokenExpiry: {
    name: 'rollcall_token_expiry_timestamp_seconds',
    type: 'gauge',
    labels: ['connection'],
    help: 'When the access token expires. It is refreshed at about 75 % of its lifetime.',
    scope: 'store',
  },
  runs: {
    name: 'rollcall_runs_total',
    type: 'counter',
    labels: ['sync', 'outcome'],
    help: 'Runs of the whole deployment that ended since this process exports the metrics of the store, by outcome.',
    scope: 'store',
  },
  changes: {
    name: 'rollcall_changes_total',
    type: 'counter',
    labels: ['sync', 'kind', 'result'],
    help: 'Changes of those runs, by kind and by result (applied, failed, unverified, unresolved, held, exported, dropped).',
    scope: 'store',
  },
  runSeconds: {
    name: 'rollcall_run_duration_seconds',
    type: 'histogram',
    labels: ['sync'],
    help: 'Duration of those runs.',
    scope: 'store',
    buckets: seconds.long,
  },
  batches: {
    name: 'rollcall_batches_total',
    type: 'counter',
    labels: ['sync', 'result'],
    help: 'Batches of those runs, by result: done, failed (then split), refused, unresolved, unsent.',
    scope: 'store',
  },
  batchRows: {
    name: 'rollcall_batch_rows_total',
    type: 'counter',
    labels: ['sync', 'result'],
    help: 'Rows of those batches. The rows of a failed file count again with its halves.',
    scope: 'store',
  },
  settleSeconds: {
    name: 'rollcall_batch_settle_duration_seconds',
    type: 'histogram',
    labels: ['connection', 'kind'],
    help: 'Time from sending a batch to its final status, in those runs.',
    scope: 'store',
    buckets: seconds.long,
  },
  requests: {
    name: 'rollcall_requests_total',
    type: 'counter',
    labels: ['connection', 'operation', 'purpose', 'status'],
    help: 'Calls to the platform, by path template, purpose (such as scan, proof or write) and HTTP status (none: no answer).',
    scope: 'process',
  },
  requestSeconds: {
    name: 'rollcall_request_duration_seconds',
    type: 'histogram',
    labels: ['connection', 'operation'],
    help: 'Duration of these calls, without the wait for the rate limit.',
    scope: 'process',
    buckets: seconds.short,
  },
  waitSeconds: {
    name: 'rollcall_rate_limit_wait_seconds',
    type: 'histogram',
    labels: ['connection'],
    help: 'Time that calls waited for the rate limit (requestsPerSecond and concurrency of the connection).',
    scope: 'process',
    buckets: seconds.short,
  },
  tokenRefreshes: {
    name: 'rollcall_token_refreshes_total',
    type: 'counter',
    labels: ['connection', 'outcome'],
    help: 'Presentations of a refresh token, by result.',
    scope: 'process',
  },
  loopDelay: {
    name: 'rollcall_event_loop_delay_seconds',
    type: 'gauge',
    labels: ['percentile'],
    help: 'Delay of timers since the last scrape (percentile 50, 99, 100).',
    scope: 'process',
  },
  memory: {
    name: 'rollcall_process_resident_memory_bytes',
    type: 'gauge',
    labels: [],
    help: 'Memory of this process.',
    scope: 'process',
  },
  heapUsed: {
    name: 'rollcall_process_heap_used_bytes',
    type: 'gauge',
    labels: [],
    help: 'Used heap of V8. The process ends when it reaches the limit.',
    scope: 'process',
  },
  heapLimit: {
    name: 'rollcall_process_heap_limit_bytes',
    type: 'gauge',
    labels: [],
    help: 'Limit of the heap (--max-old-space-size).',
    scope: 'process',
  },
  cpu: {
    name: 'rollcall_process_cpu_seconds_total',
    type: 'counter',
    labels: [],
    help: 'CPU time of this process, user and system.',
    scope: 'process',
  },
  startTime: {
    name: 'rollcall_process_start_time_seconds',
    type: 'gauge',
    labels: [],
    help: 'When this process started.',
    scope: 'process',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricKey = keyof typeof metricsTable;
