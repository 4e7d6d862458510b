import { counter } from '../plural.ts';

const count = counter('en-US');

export const overview = {
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
    fresh: 'Fresh',
    days: 'Changes, 7 days',
    next: 'Next run',
    manual: 'on request',
    paused: 'paused',
    failures: (runs: number) => `${runs}×`,
    since: (when: string) => `since ${when}`,
    pausedBy: (name: string) => `by ${name}`,
    frozenUntil: (end: string) => `no disables or removes until ${end}`,
    pausedUntil: (end: string) => `until ${end}`,
    stale: 'stale',
    step: (phase: string, step: number, steps: number) => `${phase}, step ${step} of ${steps}`,
    done: (done: string, total: string) => `${done} of ${total}`,
    interrupted: (since: string | null, sync: string) =>
      `Interrupted: no process works on the run${since === null ? '' : ` since ${since}`}. To continue it: rollcall apply ${sync}`,
    problem: (at: string, reason: string) => `Last problem, at ${at}: ${reason}`,
    eta: (time: string) => `about ${time} left`,
    requests: (requests: number) => count(requests, 'request waits', 'requests wait'),
    freshTitle: 'Start of the last successful run about all employees',
    chart: (changes: number, days: number, failed: number) =>
      `${count(changes, 'change', 'changes')} in ${days} days${failed === 0 ? '' : `, ${count(failed, 'failed run', 'failed runs')}`}`,
    day: (day: string, runs: number, parts: string) =>
      `${day}: ${count(runs, 'run', 'runs')}${parts === '' ? ', no changes' : `; ${parts}`}`,
    runs: (runs: number) => count(runs, 'run', 'runs'),
    failedRuns: (runs: number) => count(runs, 'failed run', 'failed runs'),
  },
  people: {
    title: 'People',
    source: 'In HR',
    matched: 'With an account',
    platform: 'Accounts',
    owned: 'Owned',
    unknown: 'Unknown',
    skipped: 'Skipped',
    reasons: {
      'out-of-scope': 'out of scope',
      'no-account': 'need no account',
      'row-refused': 'with a bad record',
      'status-unknown': 'with an unknown status',
      conflict: 'in a conflict',
      unresolved: 'wait for an earlier change',
    } as Readonly<Record<string, string>>,
  },
  month: {
    title: 'Last 30 days',
    counts: {
      joiners: (people: number) => count(people, 'joiner', 'joiners'),
      movers: (people: number) => count(people, 'mover', 'movers'),
      leavers: (people: number) => count(people, 'leaver', 'leavers'),
    },
    hint: 'Changes that the platform has shown. A person who changes twice counts twice. Red parts are failures.',
    lastDay: 'Last 24 hours:',
  },
  connections: {
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
    storeFull: 'Store full',
    inDays: (days: number) => `in about ${count(days, 'day', 'days')}`,
    noWorkersHint: 'Runs wait until a worker starts: rollcall start --role worker',
    runs: 'Runs in progress',
    requests: 'Requests that wait',
  },
  alerts: {
    open: (alerts: number) => count(alerts, 'open alert', 'open alerts'),
    none: 'No open alerts',
    acknowledged: (alerts: number) => `${alerts} acknowledged`,
    muted: (subjects: number) => count(subjects, 'muted subject', 'muted subjects'),
  },
};

export const holds = {
  noneHint: 'Guards hold changes above their limits. They wait here for 24 hours.',
  closed: 'Decided and lapsed',
  read: 'Source looks wrong',
  heldSince: 'held',
  expires: 'expires',
  partly: (changes: number, given: number, of: number, by: string) =>
    `${changes} ${changes === 1 ? 'change has' : 'changes have'} ${given} of ${of} approvals: ${by}. Another person must approve too.`,
  peopleHidden: 'Your role does not show people, so the changes are counted only.',
  expiredHint: 'This hold has expired without a decision. The next run asks again.',
  run: 'Run',
  replacedBy: 'Review them in the newer hold',
  list: 'Changes that wait for approval',
  noEstimate: 'No estimate: the sync is no longer configured.',
  effect: (files: number, requests: number, time: string | undefined) =>
    `${count(files, 'file', 'files')}, about ${count(requests, 'request', 'requests')}, ${time === undefined ? 'under a minute' : `about ${time}`}`,
  chosen: (changes: number, all: number) =>
    `${count(changes, 'change', 'changes')} selected of ${all.toLocaleString('en-US')}`,
  chooseHint: 'Select the changes to decide about.',
  tooMany: (most: number) =>
    `At most ${most.toLocaleString('en-US')} people can be selected by name. Use the filter instead.`,
  undeliverable: (changes: number) => `${count(changes, 'change', 'changes')} cannot be sent with this delivery`,
  approve: (what: string) => `Approve ${what}`,
  reject: 'Reject…',
  rejectTitle: (what: string) => `Reject ${what}`,
  approveMeans: 'The next run sends these changes to the platform, if they are still the same.',
  rejectMeans: 'No run sends these changes while their reason lasts.',
  looked: (people: number) => `I looked at these ${people.toLocaleString('en-US')} people`,
  takes: 'Delivery',
  approved: (changes: number) => `${count(changes, 'change', 'changes')} approved`,
  rejected: (changes: number) => `${count(changes, 'change', 'changes')} rejected`,
  pending: (changes: number) =>
    `${count(changes, 'change has', 'changes have')} your approval. Another person must approve too.`,
  approvedHint: 'The next run delivers them. Follow it here.',
  rejectedHint: 'No run sends them while their reason lasts.',
  reduced: (changes: number) =>
    `${count(changes, 'of them has', 'of them have')} other fields too. The next run plans these without the rejected ones.`,
  frozen: 'Disables and removes wait for the end of the freeze:',
  noDeployment: 'No deployment is running, so nothing is delivered yet. Start one with: rollcall start',
};

export const changes = {
  none: 'There are no changes here.',
  noMatch: 'No change matches the filter.',
  filter: 'Filter by name, e-mail or any value',
  before: 'Before',
  after: 'After',
  blank: '(blank)',
  classes: 'Classes',
  decided: 'Decision',
  person: 'Person',
  why: 'Why, and history',
  details: 'Details',
  show: (person: string) => `Details of ${person}`,
  choose: (person: string) => `Select ${person}`,
  chooseAll: 'Select all that match the filter',
  groupBy: 'Group by',
  cut: 'Only the 200 largest groups are shown.',
  shown: (matching: number, all: number) =>
    matching === all
      ? count(all, 'change', 'changes')
      : `${count(matching, 'change', 'changes')} of ${all.toLocaleString('en-US')}`,
  account: { yes: 'true', no: 'false', gone: 'removed' },
  columns: {
    kind: 'Change',
    name: 'Name',
    identification: 'Identification',
    email: 'E-mail',
    area: 'Area',
    reason: 'Reason',
  },
  groupings: {
    reason: 'Reason',
    field: 'Field',
    kind: 'Kind',
    class: 'Class',
    state: 'State',
    'value:area': 'Area',
    'value:office': 'Office',
    'value:job': 'Job',
  } as Readonly<Record<string, string>>,
};

/** The changes of the last days, and who left or joined. */
export const recent = {
  title: 'Changes of the last 30 days',
  none: 'No run has planned a change in the last 30 days.',
  fields: 'Fields',
  class: 'Class',
  runOf: (sync: string) => `Run of ${sync}`,
  report: 'Who left or joined',
  who: 'Report',
  kinds: { leavers: 'Leavers', joiners: 'Joiners' },
  found: (people: number) => count(people, 'person', 'people'),
  nobody: 'No one in these days.',
  said: 'HR said',
  hired: 'First day',
  leaves: 'Last day',
  shown: 'Platform showed',
  notYet: 'not yet',
  approved: 'Approved by',
};
