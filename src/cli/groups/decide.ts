import { Option } from 'commander';
import type { CommandGroup, OptionRow } from '../command.ts';
import {
  confirmOption,
  onlyOption,
  parsePositive,
  parseUntil,
  parseWholeNumber,
  runArgument,
  selectionOptions,
  signatureOptions,
  syncArgument,
  untilForms,
} from '../options.ts';

const verdictOptions: readonly OptionRow[] = [...selectionOptions, ...signatureOptions, confirmOption];

export const decide: CommandGroup = {
  heading: 'Decide:',
  rows: [
    {
      words: 'holds',
      meaning:
        'list the changes that wait for approval in all syncs, by person, with the commands that approve or reject them',
      options: [
        ['--sync <name>', 'only this sync'],
        ['--limit <n>', 'maximum number of people to list for each hold', parseWholeNumber, 50],
      ],
      body: async () => (await import('../commands/holds.ts')).listHolds,
    },
    {
      words: 'approve',
      meaning: 'approve the changes that guards held in a run, or some of them; the next run delivers them',
      arguments: [runArgument],
      options: [
        ...verdictOptions,
        ['--reopen', 'approve changes that an operator rejected, if no other selected change waits'],
      ],
      body: async () => (await import('../commands/holds.ts')).approveHeld,
    },
    {
      words: 'reject',
      meaning:
        'reject the changes that guards held in a run, or some of them; they are not held again while their reason lasts',
      arguments: [runArgument],
      options: verdictOptions,
      body: async () => (await import('../commands/holds.ts')).rejectHeld,
    },
    {
      words: 'accounts',
      meaning: 'list the platform accounts with their owner and reason, and likely people for unknown ones',
      summary: 'list the platform accounts with their owner and reason',
      arguments: [syncArgument],
      options: [
        ['--unmanaged', 'only accounts without a record in the source and without an owner'],
        ['--owned', 'only accounts that the sync owns'],
        ['--conflict', 'only accounts that may belong to another person'],
        ['--disabled-by-us', 'only accounts that Rollcall disabled'],
        ['--orphaned', 'only accounts of a sync that is not configured'],
        ['--out <file>', 'write them to a CSV file'],
        ['--limit <n>', 'maximum number of accounts to print', parsePositive, 50],
      ],
      body: async () => (await import('../commands/accounts.ts')).listAccounts,
    },
    {
      words: 'adopt',
      meaning: 'move users to this sync, or decide about a rename, a conversion or an account without an owner',
      arguments: [
        ['<sync>', 'name of the sync that becomes the owner'],
        ['[id...]', 'identifications; for a rename or conversion, the new one'],
      ],
      options: [
        ['--from <name>', 'all users of a sync that is not configured'],
        [
          '--leave',
          'leave as they are, with --reason: accounts without an owner, users of --from, a rename or conversion',
        ],
        ['--disable', 'disable accounts that HR does not name and no sync owns, with --reason: in the next full run'],
        ['--until <time>', `when --leave or --disable ends (needed to leave a rename): ${untilForms}`, parseUntil],
        ['--replace', 'disable the old account and create one for the new person; both wait for approval'],
        ['--apart', 'they are two people: decide about each one separately'],
        ['--same', "HR's record, which names another person than the account, is about the same one"],
        ['--another', 'the HR record is another person: disable the account, and never enable it for that person'],
        confirmOption,
        ...signatureOptions,
      ],
      body: async () => (await import('../commands/accounts.ts')).takeOver,
    },
    {
      words: 'undo',
      meaning:
        'undo what a run applied: show the inverse changes, ask, and apply them; later runs do not repeat undone changes',
      summary: 'undo what a run applied; later runs do not repeat it',
      arguments: [runArgument],
      options: [
        onlyOption,
        ['--user <id...>', 'only these people, by identification, or @FILE with one per line (@@ for a leading @)'],
        new Option('--dry-run', 'only show the inverse changes, as "plan SYNC --undo RUN" does').implies({
          onlyShow: true,
        }),
        ['--wait', 'wait for the end of the run, and exit with its code, even if a deployment executes it'],
        ...signatureOptions,
        confirmOption,
      ],
      body: async () => (await import('../commands/runs.ts')).undoOneRun,
    },
  ],
};
