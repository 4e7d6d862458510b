import type { AlertTopic } from '../ports/alerts.ts';

/** What to do about a topic of our own notices, or about a rule of Prometheus. Commands are in backquotes. */
export interface RunbookEntry {
  /** Notices link to it by this name. Undefined: only Prometheus tells it. */
  readonly topic?: AlertTopic;
  /** The rules of helm/rollcall/rules that tell the same. */
  readonly rules: readonly string[];
  readonly title: string;
  /** Where to look first. */
  readonly look: readonly string[];
  readonly steps: readonly string[];
}

/** The runbook. The page `/runbook` and the table in docs/operations.md are made from it. Every topic has one entry. */
export const runbookEntries: readonly RunbookEntry[] = [
  {
    topic: 'run',
    rules: ['RollcallRunsFail'],
    title: 'A run failed, or did a part of its work',
    look: ['`rollcall runs SYNC`', '`rollcall show RUN --failed`', '`rollcall show RUN --findings`'],
    steps: [
      'The reason names the HR system or the platform: repair it there, then run `rollcall resync SYNC`.',
      'People failed: the reason is beside each of them. Correct them in HR.',
      'A file failed while the run continues: do nothing. Its rows are read back, and what is missing is sent again in halves.',
      'An outcome is not known: do nothing. Later runs first check whether the change was applied.',
      'The same reason three times: run `rollcall pause SYNC`, and ask the operators of the other system.',
    ],
  },
  {
    topic: 'held',
    rules: ['RollcallHeld'],
    title: 'Changes wait for approval, or the source looks wrong',
    look: ['`rollcall holds`', '`rollcall show RUN --held`', '`rollcall why SYNC PERSON`'],
    steps: [
      'They are meant: run `rollcall approve RUN`. The next run delivers them.',
      'They are not meant: run `rollcall reject RUN`, and correct HR.',
      'You are not sure: do nothing. Nothing is delivered without an approval, and the next run asks again.',
    ],
  },
  {
    topic: 'freshness',
    rules: ['RollcallStale'],
    title: 'A sync has had no success for too long',
    look: ['`rollcall runs SYNC`', '`rollcall show RUN`'],
    steps: [
      'Runs were tried and failed: see the reason of the newest one.',
      'No run was tried: check that the schedule had a slot, and that a process of the role scheduler (or all) runs. Its log says why not.',
      'Then run `rollcall resync SYNC`.',
    ],
  },
  {
    rules: ['RollcallNeverSucceeded'],
    title: 'A sync has never succeeded',
    look: ['`rollcall check`', '`rollcall runs SYNC`'],
    steps: ['The check names what is missing. Remove the schedule until the sync is ready.'],
  },
  {
    topic: 'token',
    rules: ['RollcallReauthRequired', 'RollcallTokenNotRenewed'],
    title: 'The tokens of a connection need an operator',
    look: ['`rollcall token status CONNECTION`', 'the log of the processes: `token`'],
    steps: [
      'reauth-required: put a new first refresh token into the configuration, then restart, or run `rollcall token refresh CONNECTION`.',
      'sealed: configure the former encryptionKey again, or do as above.',
      'restored: the store was restored from a backup. Configure a new first refresh token. Only if no refresh happened after the backup, run `rollcall token refresh CONNECTION`.',
      'revoked: run `rollcall token refresh CONNECTION` when the connection is to work again.',
      'The token endpoint does not answer as it should: the refresh token is kept and presented again. Repair the endpoint, proxy or network policy; `rollcall token refresh CONNECTION` tries at once.',
    ],
  },
  {
    topic: 'work',
    rules: ['RollcallNoScheduler', 'RollcallNoWorker', 'RollcallRedisAway', 'RollcallJobsWait', 'RollcallNobodyWorks'],
    title: 'No process does the work',
    look: ['the processes of the roles scheduler and worker, and the end of their logs', '`rollcall runs`'],
    steps: [
      'A role has no process: start one, or scale it up.',
      'Redis does not answer: restart it, or see the network policy. Requests are kept in the store.',
      'Jobs wait although workers run: start more workers, or raise `workers.concurrency`.',
      'A request waits although a scheduler runs: its log says why. Restart it if it hangs.',
      'Then nothing more: requests and runs continue where they stopped.',
    ],
  },
  {
    topic: 'store',
    rules: ['RollcallStoreAway'],
    title: 'The store is away, or was away',
    look: ['`/readyz` of a process', 'the log of the database'],
    steps: [
      'It is away: free its disk, or bring the database back. Do not restart the processes: one may keep a new token pair in memory.',
      'It is back: do nothing. Runs continue where they stopped, and what happened meanwhile is told now.',
    ],
  },
  {
    rules: ['RollcallAbsent'],
    title: 'No process tells its metrics',
    look: ['the pods, and the end of their logs'],
    steps: [
      'Exit code 2: the configuration is wrong; the log names the line.',
      'OOMKilled: the pod needs more memory.',
      'Neither: check that Prometheus reaches `/metrics`.',
    ],
  },
  {
    rules: ['RollcallRunStuck'],
    title: 'A run does not end',
    look: ['`rollcall show RUN`: which batch, and since when'],
    steps: [
      'The platform does not process a file: ask its operators.',
      'The run must end: `rollcall cancel RUN`. Later runs still check what was sent.',
    ],
  },
  {
    rules: ['RollcallFilesPending'],
    title: 'What was sent has no known effect',
    look: ['`rollcall runs`', '`rollcall show RUN`: the batches `sent` or `unresolved`'],
    steps: [
      'The platform does not process files, or a file of another system is in the way: ask its operators.',
      'Do not send the file by hand.',
    ],
  },
  {
    rules: ['RollcallPlatformFails'],
    title: 'The platform answers with errors, or not at all',
    look: ['the status page of the platform', '`rollcall_requests_total` by operation'],
    steps: [
      'Wait: runs try again by themselves.',
      'It takes long: run `rollcall pause SYNC`, so that failed runs alert no one.',
    ],
  },
  {
    rules: ['RollcallSlowProcess'],
    title: 'A process is slow',
    look: ['the CPU of the pod and of its node'],
    steps: ['Give it more CPU or no CPU limit, or let fewer syncs start at the same minute.'],
  },
];
