import { counter } from '../plural.ts';

const count = counter('en-US');

export const holds = {
  title: 'Holds',
  noneHint: 'Guards hold changes above their limits. They wait here for 24 hours.',
  read: 'Source looks wrong',
  heldSince: 'held',
  expires: 'expires',
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
  changes: 'Changes',
  takes: 'Delivery',
  approved: (changes: number) => `${count(changes, 'change', 'changes')} approved`,
  rejected: (changes: number) => `${count(changes, 'change', 'changes')} rejected`,
  approvedHint: 'The next run delivers them. Follow it here.',
  rejectedHint: 'No run sends them while their reason lasts.',
  noDeployment: 'No deployment is running, so nothing is delivered yet. Start one with: rollcall start',
};

export const changes = {
  none: 'There are no changes here.',
  noMatch: 'No change matches the filter.',
  filter: 'Filter by name, e-mail or any value',
  field: 'Field',
  before: 'Before',
  after: 'After',
  blank: '(blank)',
  state: 'State',
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
