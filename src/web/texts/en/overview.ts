import { counter } from '../plural.ts';

const count = counter('en-US');

export const overview = {
  title: 'Overview',
  waiting: {
    title: 'Waiting for you',
    none: 'No changes are waiting for approval.',
    held: (changes: number, classes: string) => `${count(changes, 'change', 'changes')} held · ${classes}`,
    expired: (changes: number) =>
      `${count(changes, 'change', 'changes')} expired without a decision: the next run asks again`,
    reads: (runs: number) => `${count(runs, 'run waits', 'runs wait')} because the source looks wrong`,
    since: (ago: string) => `oldest ${ago}`,
    expires: (when: string) => `expires ${when}`,
    review: (changes: number) => `Review ${count(changes, 'change', 'changes')}`,
    look: 'View the run',
  },
  syncs: {
    title: 'Syncs',
    none: 'No sync is configured.',
    noneHint: 'A sync defines which employees become which users. Add one to "syncs" of the configuration.',
    name: 'Sync',
    health: 'Health',
    state: 'State',
    fresh: 'Fresh',
    days: 'Changes, 7 days',
    next: 'Next run',
    manual: 'on request',
    paused: 'paused',
    failures: (runs: number) => `${runs}×`,
    since: (when: string) => `since ${when}`,
    pausedBy: (name: string) => `by ${name}`,
    stale: 'stale',
    step: (phase: string, step: number, steps: number) => `${phase}, step ${step} of ${steps}`,
    done: (done: string, total: string) => `${done} of ${total}`,
    interrupted: (since: string | null, sync: string) =>
      `Interrupted: no process works on the run${since === null ? '' : ` since ${since}`}. To continue it: rollcall apply ${sync}`,
    problem: (at: string, reason: string) => `Last problem, at ${at}: ${reason}`,
    eta: (time: string) => `about ${time} left`,
    requests: (requests: number) => count(requests, 'request waits', 'requests wait'),
    freshTitle: 'Start of the last successful run about all employees',
    chart: (changes: number, failed: number) =>
      `${count(changes, 'change', 'changes')} in 7 days${failed === 0 ? '' : `, ${count(failed, 'failed run', 'failed runs')}`}`,
    day: (day: string, changes: number, runs: number) =>
      `${day}: ${count(changes, 'change', 'changes')}, ${count(runs, 'run', 'runs')}`,
  },
  connections: {
    title: 'Connections',
    syncs: 'Syncs',
    token: 'Token',
    expires: 'Valid until',
  },
  work: {
    title: 'Work',
    deployment: 'Deployment',
    running: 'Running',
    stopped: 'Not running',
    stoppedHint: 'No schedule starts a run. Start the deployment with: rollcall start',
    unscheduled: 'No scheduler',
    unscheduledHint: 'No schedule or request starts a run. Start a scheduler with: rollcall start --role scheduler',
    workers: 'Workers',
    workerStates: {
      alive: 'Alive',
      none: 'None',
      'in-process': 'In the deployment',
    } as Readonly<Record<string, string>>,
    noWorkersHint: 'Runs wait until a worker starts: rollcall start --role worker',
    runs: 'Runs in progress',
    requests: 'Requests that wait',
  },
  alerts: {
    title: 'Alerts',
    open: (alerts: number) => count(alerts, 'open alert', 'open alerts'),
    none: 'No open alerts',
    acknowledged: (alerts: number) => `${alerts} acknowledged`,
    muted: (subjects: number) => count(subjects, 'muted subject', 'muted subjects'),
  },
};
