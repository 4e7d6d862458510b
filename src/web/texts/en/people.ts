import { counter } from '../plural.ts';

const count = counter('en-US');

export const people = {
  title: 'People',
  identification: 'Identification',
  lookUp: 'Look up',
  why: 'Why',
  source: 'Source',
  platform: 'Platform',
  decision: 'Decision',
  next: 'Next run',
  finding: 'Finding',
  everything: 'Everything, as JSON',
  nothingDecided: 'nothing is decided from this read',
  records: (records: number) => count(records, 'record', 'records'),
  enabled: 'an enabled user',
  disabled: 'a disabled user',
  noUser: 'no such user',
  neverWritten: 'never wrote this user',
  ownedBy: (sync: string) => `owned by ${sync}`,
  noChange: 'no change',
  forbidden: (kind: string) => `nothing: ${kind} is not allowed here`,
  history: 'History',
  noHistory: 'No run has changed this user.',
};
