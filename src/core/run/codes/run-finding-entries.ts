import type { FindingCode } from '../finding.ts';
import type { CodeEntry } from './code-entry.ts';

const moves = 'operations.md#move-users-between-syncs';
const strange = 'operations.md#find-the-cause-of-a-message';
const files = 'platform-assumptions.md#following-a-file';
const writing = 'platform-assumptions.md#writing-users-directly';

/** Findings about users of the platform, deliveries and the run. */
export const runFindingEntries = {
  'owned-by-other-sync': {
    meaning: 'The user belongs to another sync, so this sync does not change the user.',
    cause: 'Two syncs of one connection have the person in their sources.',
    cure: ['To move the user, run `rollcall adopt SYNC PERSON` with the sync that becomes the owner.'],
    page: moves,
  },
  'handed-over': {
    meaning: 'A user moved from one sync to another.',
    cause:
      'The person is no longer in the source of the former sync but in the source of this one. Or the former sync is no longer configured.',
    cure: ['No action is required. `rollcall why SYNC PERSON` shows the owner.'],
    page: moves,
  },
  'hand-over-expected': {
    meaning: 'The person is gone here but active in another sync, so nothing is done until that sync takes over.',
    cause: 'The person moved to a department or country of another sync.',
    cure: [
      'No action is required. The state ends automatically after two full runs of the other sync.',
      'To move the user now, run `rollcall adopt SYNC PERSON` with the other sync.',
    ],
    page: moves,
  },
  'removed-with-blacklist': {
    meaning: 'An active employee has no account, because Rollcall removed it with blacklist.',
    cause: '`remove.blacklist` is set, and the person was hired again. The platform refuses the identification.',
    cure: ['Ask an administrator of the platform to take the identification off the blacklist.'],
    page: 'configuration.md#a-sync',
  },
  'foreign-disable': {
    meaning: 'An active employee has an account that another person or system disabled. It stays disabled.',
    cause: 'An administrator disabled it on the platform after our last write.',
    cure: [
      'Ask the administrator. To enable it, enable the account on the platform.',
      'To let Rollcall always enable such accounts, set `foreignDisable: enable`.',
    ],
    page: 'configuration.md#a-sync',
  },
  unresolved: {
    meaning:
      'The outcome of the sent changes is unknown. Nothing more is sent for these users until the outcome is known.',
    cause: 'An answer was lost, the process died, or the platform did not finish a file before the deadline.',
    cure: [
      'No action is required: later runs first check whether the changes were applied.',
      'If the state persists, ask the operators of the platform about the file that `rollcall show RUN` names. Do not send the file by hand.',
    ],
    page: files,
  },
  'lookup-disagrees': {
    meaning: 'The platform contradicts itself, or its users changed after the plan was made. The user is not changed.',
    cause: 'A read and a search gave different answers, or another system created, enabled or removed the user.',
    cure: [
      'No action is required: the next run plans again.',
      'If this happens again, run `rollcall check CONNECTION --contract`.',
    ],
    page: 'platform-assumptions.md#reading-users',
  },
  'not-deliverable': {
    meaning: 'The configured delivery cannot carry a change, so the change was not made.',
    cause: '`delivery: direct` cannot enable or disable accounts, nor write fields that only a file can write.',
    cure: ['Set `delivery: csv` or `delivery: auto` for the sync.'],
    page: 'configuration.md#a-sync',
  },
  'protected-user': {
    meaning: 'A disable or remove was left out, because the user is protected.',
    cause: 'The list `protected` of the sync names the identification.',
    cure: ['If the user must be disabled, remove the identification from `protected`.'],
    page: 'configuration.md#a-sync',
  },
  'kept-differently': {
    meaning: 'The platform stores a value differently from what was sent. It is not sent again.',
    cause: 'The platform cuts, trims or reformats the value.',
    cure: ['No action is required. To remove the difference, shorten or reformat the value in the mapping.'],
    page: writing,
  },
  'ignored-field': {
    meaning: 'The platform accepted a change but ignored a field. The change counts as failed.',
    cause: 'The field is not writable for this connection, or does not exist in this community.',
    cure: ['Make the field writable on the platform, or remove it from the mapping.'],
    page: writing,
  },
  'edited-elsewhere': {
    meaning: 'Another person or system edited the user between our write and our read.',
    cause: 'An administrator or another integration writes the same field.',
    cure: [
      'No action is required: the next run plans the difference again.',
      'If this happens again, decide which system writes the field, and remove the field from the other system.',
    ],
    page: strange,
  },
  unverified: {
    meaning:
      'A change of fields that the platform does not show could not be confirmed. It is sent at most twice more.',
    cause: 'The platform did not change `lastUpdate` of the user after the write.',
    cure: ['Check the user on the platform. If the value is there, no action is required.'],
    page: writing,
  },
  repeated: {
    meaning: 'A change is sent again, because the outcome of an earlier one stayed unknown.',
    cause: '`settle.unknownAfter` passed, and the platform does not show the change.',
    cure: ['No action is required.'],
    page: files,
  },
  'email-parked': {
    meaning: 'An account temporarily has its parking address.',
    cause: 'Two people exchange e-mail addresses, and the second step is still pending.',
    cure: [
      'No action is required: the next run gives the account its own e-mail. To start that run now, run `rollcall resync SYNC`.',
    ],
    page: 'decisions/008-email-chains.md',
  },
  held: {
    meaning: 'A guard held changes. They are delivered only after an approval.',
    cause: 'There are more changes of one kind than 24 hours allow, or the source looks wrong.',
    cure: [
      'Run `rollcall holds` to see the people.',
      'Run `rollcall approve RUN` to deliver the changes, or `rollcall reject RUN` to drop them.',
    ],
    page: 'operations.md#approve-held-changes',
  },
  'platform-ill': {
    meaning: 'The run stopped, because file after file failed and nothing was applied.',
    cause: 'The platform does not process provisioning files at the moment.',
    cure: [
      'Ask the operators of the platform about the files that `rollcall show RUN` names.',
      'Then run `rollcall resync SYNC`.',
    ],
    page: files,
  },
  'batch-failed': {
    meaning: 'A file or call failed. The run reads its rows back, and sends the missing ones again in smaller files.',
    cause: 'The platform ended the file as failed, or rejected the upload.',
    cure: [
      'While the run continues, no action is required.',
      'Afterwards run `rollcall show RUN --failed` to see the people who were not changed, and why.',
    ],
    page: files,
  },
  'plan-outdated': {
    meaning: 'Enables, disables and removes were left out, because the plan became too old.',
    cause: 'The run was interrupted for a long time.',
    cure: ['No action is required: the next run plans them again. To start that run now, run `rollcall resync SYNC`.'],
    page: 'operations.md#kill-restart-two-at-once',
  },
  'clock-jumped': {
    meaning: 'The clock of the store jumped. Decisions that depend on an age ignore the jump.',
    cause: 'The time service corrected the clock, or the machine was suspended.',
    cure: ['Check the time service on the machine of the store.'],
    page: 'operations.md#clocks',
  },
} as const satisfies Partial<Record<FindingCode, CodeEntry>>;
