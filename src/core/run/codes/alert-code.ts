/** What a notice is about. One topic can have several. */
export type AlertCode =
  | 'run-failed'
  | 'run-partial'
  | 'run-incomplete'
  | 'files-failed'
  | 'files-recovered'
  | 'changes-held'
  | 'read-doubted'
  | 'sync-late'
  | 'never-succeeded'
  | 'refresh-token-refused'
  | 'tokens-sealed'
  | 'tokens-revoked'
  | 'tokens-restored'
  | 'token-endpoint-failing'
  | 'access-token-expiring'
  | 'access-token-expired'
  | 'no-scheduler'
  | 'no-worker'
  | 'no-redis'
  | 'jobs-wait'
  | 'requests-wait'
  | 'store-was-away';

/** Problems that only the rules of Prometheus detect. */
export type RuleCode = 'no-metrics' | 'run-stuck' | 'files-pending' | 'platform-failing' | 'process-slow';
