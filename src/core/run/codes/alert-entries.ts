import type { CodeEntry } from './code-entry.ts';

/**
 * The independent topics of a subject: `run` (the last run failed, wholly or in part), `held` (changes wait for
 * approval), `freshness` (no success for too long), `orphans` (users of a sync that is not configured), `token` (tokens
 * of a connection), `platform` (runs of a connection fail because of its platform), `report` (a report by
 * e-mail fails or is late), `work` (no process does the work of the deployment), `store` (the store was unavailable),
 * `configuration` (a process could not read it again), `channel` (a channel does not deliver).
 */
export type AlertTopic =
  | 'run'
  | 'held'
  | 'freshness'
  | 'orphans'
  | 'token'
  | 'platform'
  | 'report'
  | 'work'
  | 'store'
  | 'configuration'
  | 'channel';

export interface AlertEntry extends CodeEntry {
  /** The topic of a notice. Absent: only Prometheus detects it. */
  readonly topic?: AlertTopic;
  /** What is wrong, and what is over, in a few words: the title of a notice. Present with a topic. */
  readonly titles?: readonly [wrong: string, over: string];
  /** Rules of helm/rollcall/rules that detect the same. */
  readonly rules: readonly string[];
}

const approve = 'operations.md#approve-held-changes';
const approveCure = [
  'Run `rollcall holds` and `rollcall show RUN --held` to see the people.',
  'If the changes are right, run `rollcall approve RUN`. The next run delivers them.',
  'If they are wrong, run `rollcall reject RUN`, and correct the HR system.',
  'If you are not sure, do nothing. Nothing is delivered without an approval.',
] as const;
const newToken = [
  'Get a new refresh token from the platform and put it in the configuration.',
  'Run `rollcall token refresh CONNECTION`, or restart the processes.',
  'Run `rollcall token status CONNECTION` to confirm.',
] as const;
const work = 'operations.md#many-workers-redis-and-postgresql';
const continues = 'No further action is required: requests and runs continue where they stopped.';

/** Problems that notices report. One topic can have several. */
export const alertEntries = {
  'run-failed': {
    topic: 'run',
    titles: ['the run failed', 'runs succeed again'],
    rules: ['RollcallRunsFail'],
    meaning: 'A run failed. The next run plans the unsent changes again.',
    cause: 'The HR system or the platform failed. The notice says why.',
    cure: [
      'Run `rollcall show RUN`. The reason names the system that failed; correct the problem there.',
      'Run `rollcall resync SYNC`.',
      'If three runs fail for the same reason, run `rollcall pause SYNC`, and ask the operators of that system.',
    ],
    page: 'operations.md#what-the-outcomes-mean',
  },
  'users-orphaned': {
    topic: 'orphans',
    titles: ['users belong to a sync that is not configured', 'all users belong to configured syncs'],
    rules: [],
    meaning: 'Enabled users belong to a sync that is not configured, and this read lacks them. No run disables them.',
    cause: 'The sync was renamed without `formerly`, or it was removed from the configuration.',
    cure: [
      'If the sync was renamed, set `formerly` in the sync with the new name.',
      'Otherwise run `rollcall adopt SYNC --from NAME`. The next run decides about the users.',
      'To leave the users as they are, run `rollcall adopt SYNC --from NAME --leave --reason TEXT`.',
    ],
    page: 'configuration.md#a-sync',
  },
  'run-partial': {
    topic: 'run',
    titles: ['some changes failed', 'runs succeed again'],
    rules: ['RollcallRunsFail'],
    meaning: 'A run ended, but some changes failed or have an unknown outcome, or people wait for such an outcome.',
    cause: 'The platform rejected some of the changes, or an answer was lost.',
    cure: [
      'Run `rollcall show RUN --failed` to see the reason for each person. Correct the data in the HR system.',
      'Unresolved changes need no action: later runs first check whether they were applied.',
    ],
    page: 'operations.md#what-the-outcomes-mean',
  },
  'run-incomplete': {
    topic: 'run',
    titles: ['the source was not read completely', 'runs succeed again'],
    rules: ['RollcallRunsFail'],
    meaning: 'A run ended, but the source was not read completely. No person counts as missing.',
    cause: 'Some rows cannot be read, or the file or list was cut off.',
    cure: [
      'Run `rollcall show RUN --findings`: each line names a row and a reason.',
      'Correct the rows in the HR system. No further action is required: the next run reads the source again.',
    ],
    page: 'operations.md#the-source',
  },
  'files-failed': {
    topic: 'run',
    titles: ['batches of the run in progress failed', 'the run applied its changes'],
    rules: [],
    meaning: 'A file failed, an upload was refused, or an answer was lost, while the run continues.',
    cause: 'The platform could not process a file, or one of its rows.',
    cure: [
      'No action is required. The run reads the rows back, and sends the missing ones again in smaller files.',
      'Run `rollcall show RUN` to follow it.',
    ],
    page: 'platform-assumptions.md#following-a-file',
  },
  'files-recovered': {
    topic: 'run',
    titles: ['all changes of failed batches were applied', 'runs succeed again'],
    rules: [],
    meaning: 'Files failed during a run, but all their rows were applied in the end.',
    cause: 'The platform failed for a while.',
    cure: ['No action is required.'],
    page: 'platform-assumptions.md#following-a-file',
  },
  'changes-held': {
    topic: 'held',
    titles: ['changes wait for approval', 'no changes wait for approval'],
    rules: ['RollcallHeld'],
    meaning: 'Changes wait for approval. All other changes continued.',
    cause: 'A guard counted more changes of one kind without approval than allowed in 24 hours.',
    cure: approveCure,
    page: approve,
  },
  'read-doubted': {
    topic: 'held',
    titles: ['the source looks wrong', 'the source no longer looks wrong'],
    rules: ['RollcallHeld'],
    meaning: 'The source looks wrong, and an operator must check it.',
    cause: 'The source has far fewer rows than before, a field is empty, or many people are blocked.',
    cure: [
      'Run `rollcall show RUN` and `rollcall source try SYNC` to compare the read with the HR system.',
      'If the source is right, run `rollcall approve RUN`: later reads are compared with this one.',
      'If it is wrong, correct it, and run `rollcall resync SYNC`.',
    ],
    page: 'operations.md#too-many-people-are-blocked',
  },
  'platform-ends-runs': {
    topic: 'platform',
    titles: ['runs fail because of the platform', 'the platform answers again'],
    rules: ['RollcallPlatformFails'],
    meaning: 'Runs of a connection failed because of its platform. It is one problem, however many syncs it concerns.',
    cause: 'The platform cannot be reached, is busy, answers with errors, or refuses the calls. The notice says which.',
    cure: [
      'Run `rollcall check CONNECTION`, and see the status page of the platform.',
      'No action is required when the platform answers again: the next run of each sync plans the unsent changes.',
    ],
    page: 'operations.md#load-on-the-platform',
  },
  'channel-failing': {
    topic: 'channel',
    titles: ['notices are not delivered', 'notices are delivered again'],
    rules: ['RollcallNoticesUndelivered'],
    meaning: 'A channel has not delivered its notices for five minutes. The other channels tell it.',
    cause: 'The receiver is down, its address or secret changed, or a proxy or network policy blocks it.',
    cure: [
      'Run `rollcall alerts test CHANNEL`: it says why.',
      'Correct the channel in the configuration. Every notice is kept, and sent again for a day.',
    ],
    page: 'alerts.md',
  },
  'reload-refused': {
    topic: 'configuration',
    titles: ['the changed configuration has problems', 'the configuration was read'],
    rules: ['RollcallReloadRefused'],
    meaning: 'A process was asked to read its configuration again, and refused it. It continues with the one it has.',
    cause: 'The file has a problem: a wrong key or value, or a secret that is not there.',
    cure: [
      'Run `rollcall check`. It lists every problem with its line.',
      'Correct the file, and send SIGHUP again. A restart would fail with these problems.',
    ],
    page: 'operations.md#kill-restart-two-at-once',
  },
  'sync-late': {
    topic: 'freshness',
    titles: ['no recent success', 'runs succeed again'],
    rules: ['RollcallStale'],
    meaning: 'No run of the sync has succeeded for too long.',
    cause: 'Runs fail, no process runs the schedule, or the schedule has no slot.',
    cure: [
      'Run `rollcall runs SYNC`. If runs failed, see the reason of the newest with `rollcall show RUN`.',
      'If no run started, check that the schedule had a slot, and that a process with the role scheduler (or all) runs.',
      'Then run `rollcall resync SYNC`.',
    ],
    page: 'configuration.md#a-sync',
  },
  'never-succeeded': {
    topic: 'freshness',
    titles: ['no run has ever succeeded', 'a run has succeeded'],
    rules: ['RollcallNeverSucceeded'],
    meaning: 'No run of the sync has ever succeeded.',
    cause: 'The sync is new, and its source, token or mapping is not ready.',
    cure: ['Run `rollcall check`: it names what is missing.', 'Remove the schedule until the sync is ready.'],
    page: 'operations.md#start-a-new-sync-safely',
  },
  'refresh-token-refused': {
    topic: 'token',
    titles: ['the platform refuses the refresh token', 'the tokens work again'],
    rules: ['RollcallReauthRequired'],
    meaning:
      'The platform refuses the refresh token. After the access token has expired, no sync of the connection works until a new token is configured.',
    cause: 'The refresh token was revoked, has expired, or was used by another installation.',
    cure: newToken,
    page: 'tokens.md',
  },
  'tokens-sealed': {
    topic: 'token',
    titles: ['the tokens are sealed with another key', 'the tokens work again'],
    rules: [],
    meaning: 'The stored tokens were sealed with another `encryptionKey`.',
    cause: 'The key in the configuration was changed.',
    cure: ['Configure the former `encryptionKey` again, and restart. If it is lost:', ...newToken],
    page: 'operations.md#rotate-keys-and-tokens',
  },
  'tokens-revoked': {
    topic: 'token',
    titles: ['the tokens were revoked', 'the tokens work again'],
    rules: [],
    meaning: 'An operator revoked the tokens of the connection. No sync of the connection works.',
    cause: '`rollcall token revoke CONNECTION` was run.',
    cure: ['Run `rollcall token refresh CONNECTION` when syncs may use the connection again.'],
    page: 'tokens.md',
  },
  'tokens-restored': {
    topic: 'token',
    titles: ['the tokens of a backup need to be confirmed', 'the tokens work again'],
    rules: [],
    meaning: 'The store was restored from a backup. Nothing is presented to the platform until an operator confirms.',
    cause: 'A newer token pair may exist, and an old refresh token can revoke all tokens.',
    cure: [
      'Get a new refresh token from the platform and put it in the configuration.',
      'Run `rollcall token refresh CONNECTION` only if no refresh happened after the backup.',
    ],
    page: 'backup.md#tokens',
  },
  'token-endpoint-failing': {
    topic: 'token',
    titles: ['the token endpoint does not answer correctly', 'the token endpoint works again'],
    rules: [],
    meaning: 'The token endpoint does not answer correctly. The refresh token is kept and presented again.',
    cause: 'The endpoint limits the requests (429) or has a fault, or a proxy or network policy blocks the request.',
    cure: [
      'If the reason names 429, wait: Rollcall tries again automatically.',
      'Otherwise repair the endpoint, the proxy or the network policy.',
      'Run `rollcall token refresh CONNECTION` to retry immediately.',
    ],
    page: 'tokens.md#what-happens-after-each-answer',
  },
  'access-token-expiring': {
    topic: 'token',
    titles: ['the access token cannot be refreshed', 'the access token was refreshed'],
    rules: [],
    meaning: 'The access token expires soon, and refreshes fail.',
    cause: 'No process refreshes tokens, or the platform does not answer.',
    cure: ['Run `rollcall token status CONNECTION`: it names the reason.', 'Run `rollcall token refresh CONNECTION`.'],
    page: 'tokens.md',
  },
  'access-token-expired': {
    topic: 'token',
    titles: ['the access token has expired', 'the tokens work again'],
    rules: ['RollcallTokenNotRenewed'],
    meaning: 'The access token has expired and could not be refreshed. No sync of the connection works.',
    cause: 'No process refreshes tokens, or the platform does not answer.',
    cure: ['Run `rollcall token status CONNECTION`: it names the reason.', 'Run `rollcall token refresh CONNECTION`.'],
    page: 'tokens.md',
  },
  'static-token-expiring': {
    topic: 'token',
    titles: ['the configured access token expires', 'the configured access token is valid'],
    rules: [],
    meaning: 'The access token in the configuration expires in 14, 3 or 1 days, or has expired. It is never refreshed.',
    cause: 'The connection has a fixed `accessToken`, and the token states its own end.',
    cure: [
      'Get a new access token from the platform and put it in the configuration.',
      'Restart the processes, or send them SIGHUP. Run `rollcall token status CONNECTION` to confirm.',
    ],
    page: 'tokens.md',
  },
  'report-failed': {
    topic: 'report',
    titles: ['a report is not sent', 'the reports are sent again'],
    rules: [],
    meaning: 'A report by e-mail failed twice or more in a row.',
    cause: 'The mail server cannot be reached, or refused the e-mail. The notice says why.',
    cure: [
      'Correct what the reason names, in `reports` of the configuration or on the mail server.',
      'Wait: the report is tried again at least once an hour.',
    ],
    page: 'how-to/report-leavers.md#send-it-each-week',
  },
  'report-late': {
    topic: 'report',
    titles: ['a report is late', 'the reports are sent again'],
    rules: [],
    meaning: 'A report by e-mail was due three slots ago, and was not sent.',
    cause: 'No scheduler or worker runs.',
    cure: ['Run `rollcall status`: it says whether a deployment runs.'],
    page: 'how-to/report-leavers.md#send-it-each-week',
  },
  'no-scheduler': {
    topic: 'work',
    titles: ['no process starts runs', 'a scheduler starts runs again'],
    rules: ['RollcallNoScheduler'],
    meaning: 'No scheduler runs, so no run starts.',
    cause: 'The process with the role scheduler (or all) is not running, or cannot reach the store.',
    cure: ['Run `rollcall start` (with Redis: `rollcall start --role scheduler`), or scale the role up.', continues],
    page: work,
  },
  'no-worker': {
    topic: 'work',
    titles: ['no worker runs the jobs', 'workers run the jobs again'],
    rules: ['RollcallNoWorker'],
    meaning: 'Runs are open, but no worker continues them.',
    cause: 'The processes with the role worker are not running, or cannot reach Redis.',
    cure: ['Run `rollcall start --role worker`, or scale the role up.', continues],
    page: work,
  },
  'no-redis': {
    topic: 'work',
    titles: ['Redis does not answer', 'Redis answers again'],
    rules: ['RollcallRedisAway'],
    meaning: 'Redis does not answer, so no worker gets work.',
    cause: 'Redis is down, or a network policy blocks it.',
    cure: ['Restart Redis, or correct the network policy. Requests are kept in the store.', continues],
    page: work,
  },
  'jobs-wait': {
    topic: 'work',
    titles: ['jobs wait for a worker', 'jobs no longer wait'],
    rules: ['RollcallJobsWait'],
    meaning: 'Jobs wait for a worker for too long.',
    cause: 'There are too few workers, or workers hang.',
    cure: ['Start more workers, or raise `workers.concurrency`.', 'Read the log of the running workers.', continues],
    page: work,
  },
  'requests-wait': {
    topic: 'work',
    titles: ['a request waits', 'the request was started'],
    rules: ['RollcallNobodyWorks'],
    meaning: 'A run was requested, but no process has started it.',
    cause: 'The scheduler hangs or has a fault.',
    cure: ['Read the log of the scheduler, and restart it if it hangs.', continues],
    page: work,
  },
  'store-was-away': {
    topic: 'store',
    titles: ['the store was unavailable', 'the store is available again'],
    rules: ['RollcallStoreAway'],
    meaning: 'The store does not answer, or did not answer for a while.',
    cause: 'The database is down, its disk is full, or the network is interrupted.',
    cure: [
      'While the store is unavailable, free disk space or start the database. See `/readyz` and the log of the database.',
      'Do not restart the processes of Rollcall: one of them may hold a new token pair in memory.',
      'When the store is available again, no action is required. Runs continue where they stopped.',
    ],
    page: 'operations.md#the-store-refuses-a-new-token-pair',
  },
} as const satisfies Readonly<Record<string, AlertEntry>>;

export type AlertCode = keyof typeof alertEntries;

/** Problems that only the rules of Prometheus detect. */
export const ruleEntries = {
  'no-metrics': {
    rules: ['RollcallAbsent'],
    meaning: 'Prometheus finds no process of Rollcall.',
    cause: 'No pod runs, or Prometheus cannot reach `/metrics`.',
    cure: [
      'Check the state of the pods and the end of their logs.',
      'Exit code 2: the configuration is wrong, and the log names the line.',
      'OOMKilled: raise the memory limit of the pod.',
      'Otherwise check that Prometheus reaches `/metrics`.',
    ],
    page: 'kubernetes.md#when-a-pod-does-not-start',
  },
  'run-stuck': {
    rules: ['RollcallRunStuck'],
    meaning: 'A run has not ended for six hours.',
    cause: 'The platform does not process a file.',
    cure: [
      'Run `rollcall show RUN` to see which batch waits, and since when. Then ask the operators of the platform.',
      'If the run must end, run `rollcall cancel RUN`. Later runs still check what was sent.',
    ],
    page: 'platform-assumptions.md#following-a-file',
  },
  'files-pending': {
    rules: ['RollcallFilesPending'],
    meaning: 'The outcome of sent files has been unknown for hours.',
    cause: 'The platform does not process files, or still processes a file of another system.',
    cure: [
      'Run `rollcall runs` and `rollcall show RUN` to find the batches that are `sent` or `unresolved`.',
      'Ask the operators of the platform. Do not send the file by hand.',
    ],
    page: 'platform-assumptions.md#following-a-file',
  },
  'platform-failing': {
    rules: ['RollcallPlatformFails'],
    meaning: 'The platform returns errors, or does not answer.',
    cause: 'The platform or the network has a fault.',
    cure: [
      'Check the status page of the platform, and `rollcall_requests_total` by operation.',
      'Wait: runs retry automatically.',
      'If the problem persists, run `rollcall pause SYNC` to stop the alerts of failed runs.',
    ],
    page: 'operations.md#load-on-the-platform',
  },
  'process-slow': {
    rules: ['RollcallSlowProcess'],
    meaning: 'Timers of a process fire more than a second late.',
    cause: 'The pod or its node does not have enough CPU.',
    cure: ['Raise or remove the CPU limit of the pod, or start fewer syncs in the same minute.'],
    page: 'operations.md#responsiveness',
  },
} as const satisfies Readonly<Record<string, AlertEntry>>;

export type RuleCode = keyof typeof ruleEntries;
