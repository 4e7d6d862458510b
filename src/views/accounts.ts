import { z } from 'zod';
import { amounts, count, type Inner, instant, toWire } from './wire.ts';

/** Those that need someone come first. */
export const accountStates = ['orphaned', 'unmanaged', 'other-sync', 'in-source', 'disabled-by-us', 'owned'] as const;

/** What accounts are listed by, each once: that the read found a conflict, or else their state. */
export const accountTabs = ['conflict', ...accountStates] as const;

export type AccountTab = (typeof accountTabs)[number];
export type AccountState = (typeof accountStates)[number];

/** On what a likely match stands, the strongest first. */
export const matchEvidence = ['email-and-name', 'email', 'name-and-birth-date', 'name', 'name-not-birth-date'] as const;

const match = z.object({
  identification: z.string().describe('A person of the source'),
  by: z
    .enum(matchEvidence)
    .describe(
      'What the two have in common. `name`: nothing else is known; `name-not-birth-date`: the birth dates differ. Birth dates count if the mapping has them',
    ),
  standing: z.string().describe('What the source says of the person'),
  hasAccount: z.boolean().describe('The person has another account'),
});

/** A person of the source who may be the user of an account that no record names. */
export type AccountMatch = Inner<z.output<typeof match>>;

const account = z.object({
  identification: z.string(),
  name: z.string().describe('Empty: not known'),
  email: z.string(),
  isEnabled: z.boolean(),
  lastUpdate: z
    .string()
    .nullable()
    .describe('As the platform writes it; only for accounts that no record of the source names'),
  state: z
    .enum(accountStates)
    .describe(
      '`owned` by the sync; `unmanaged`: no record and no owner; `disabled-by-us`; `orphaned`: its sync is not configured; `other-sync`; `in-source`: a record, and no owner yet',
    ),
  isConflict: z.boolean().describe('The read found that it may be the account of another person'),
  decision: z
    .enum(['leave', 'disable'])
    .nullable()
    .describe('What an operator decided: it stays as it is, or the next full run disables it; null: nothing'),
  why: z.string().describe('Why it is in this state: a sentence without its full stop'),
  matches: z.array(match).describe('People who may own an unmanaged account'),
});

export type Account = Inner<z.output<typeof account>>;

export function tabOf({ isConflict, state }: Pick<Account, 'isConflict' | 'state'>): AccountTab {
  return isConflict ? 'conflict' : state;
}

export const accountPage = z
  .object({
    sync: z.string(),
    readAt: instant.describe('The last accepted full read, on which the list is based'),
    accounts: z.array(account).describe('In order of name'),
    found: count.describe('Accounts that match'),
    counts: amounts.describe('Accounts with the words of `q`, by what `state` may ask for'),
    next: count.nullable().describe('Send it as `offset` for the next page; null: this is the last page'),
  })
  .meta({ id: 'AccountPage' });

export type FoundAccounts = Inner<z.output<typeof accountPage>>;

export const accountPageView = toWire(accountPage);
