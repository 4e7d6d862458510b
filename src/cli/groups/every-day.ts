import { Option } from 'commander';
import type { CommandGroup } from '../command.ts';
import {
  gatherLimit,
  onlyOption,
  parsePast,
  parsePositive,
  parseWholeNumber,
  policies,
  runArgument,
  signatureOptions,
  syncArgument,
} from '../options.ts';

export const everyDay: CommandGroup = {
  heading: 'Every day:',
  rows: [
    {
      words: 'init',
      meaning: 'write a commented configuration for a source with sample files, or one that fits an export (--from)',
      options: [
        new Option('--source <name>', 'a kind or preset of `rollcall source list`').default('csv'),
        [
          '--from <file>',
          'propose everything from this export and the users of the platform: mapping, dates, statuses',
        ],
        ['--connection <url>', 'with --from: address of the platform; without it, only the file is looked at'],
        new Option('--token-env <name>', 'with --from: the environment variable with an access token').default(
          'ROLLCALL_ACCESS_TOKEN',
        ),
        new Option('--policy <policy>', 'with --from: what the sync may do (default: asked, else upsert-only)').choices(
          policies,
        ),
        new Option('--sync <name>', 'with --from: name of the sync').default('people'),
        ['--force', 'overwrite existing files'],
      ],
      body: async () => (await import('../commands/setup.ts')).writeConfig,
    },
    {
      words: 'check',
      meaning: 'check configuration, platform, token, dialect and the first page of each source; changes nothing',
      arguments: [['[connection]', 'only this connection and its syncs']],
      options: [['--offline', 'check only the configuration and its secrets; opens no store and sends nothing']],
      body: async () => (await import('../commands/setup.ts')).checkSetup,
    },
    {
      words: 'plan',
      meaning: 'show what a run would change; writes nothing to the platform',
      arguments: [syncArgument],
      options: [
        [
          '--limit <n|class=n>',
          'number of changes to show (10); as CLASS=N, exit with 3 above N changes of the class; may be repeated',
          gatherLimit,
        ],
        ['--out <file>', 'write the whole plan to a file: .json, .csv, or any other name for one JSON object per line'],
        ['--user <id...>', 'only these employees, by identification, or @FILE with one on each line'],
        ['--undo <run>', 'show what "rollcall undo" would do: the inverse of what this run applied'],
        onlyOption,
        ['--share', 'keep the plan for 7 days as a preview that others can open on the page'],
      ],
      body: async () => (await import('../commands/sync.ts')).showPlan,
    },
    {
      words: 'apply',
      meaning: 'run a sync in this process: read, compare, deliver and verify; finishes an interrupted run first',
      arguments: [syncArgument],
      options: [
        ['--approve <digest>', 'approve the held changes of a previewed plan that are still planned'],
        ['--user <id...>', 'only these employees, by identification'],
        ...signatureOptions,
      ],
      body: async () => (await import('../commands/sync.ts')).applySync,
    },
    {
      words: 'status',
      meaning: 'show the health, the state and the waiting changes of every sync',
      body: async () => (await import('../commands/deployment.ts')).showStatus,
    },
    {
      words: 'runs',
      meaning: 'list runs, newest first',
      arguments: [['[sync]', 'only runs of this sync']],
      options: [['--limit <n>', 'maximum number of runs', parsePositive, 20]],
      body: async () => (await import('../commands/runs.ts')).listRuns,
    },
    {
      words: 'show',
      meaning: 'show everything about a run',
      arguments: [runArgument],
      options: [
        ['--failed', 'list the failed and unresolved changes, with their reasons'],
        ['--held', 'list the changes that a guard holds'],
        ['--changes', 'list every change'],
        ['--findings', 'list every finding, in the order in which the run made them'],
        ['--limit <n>', 'maximum number of changes', parseWholeNumber, 50],
      ],
      body: async () => (await import('../commands/runs.ts')).showRun,
    },
    {
      words: 'why',
      meaning: 'explain one employee: the answer, the values, the source, the platform, the ledger, and the decision',
      arguments: [syncArgument, ['<person>', 'identification of the employee, or a part of it, a name or an e-mail']],
      options: [
        ['--row', 'also show the columns of the record that the configuration does not read'],
        new Option('--run <id>', 'what this run decided about the person, from stored data only').conflicts('row'),
        new Option(
          '--at <when>',
          'the same for the last run before the end of a day (UTC), or before an instant with a zone',
        )
          .argParser(parsePast)
          .conflicts(['row', 'run']),
      ],
      body: async () => (await import('../commands/people.ts')).explainPerson,
    },
    {
      words: 'explain',
      meaning: 'explain the code of a finding, an error or an alert: its meaning, its cause, and what to do',
      arguments: [['[code]', 'the code, such as row-rejected or REAUTH_REQUIRED; without it, all codes are listed']],
      body: async () => (await import('../commands/help.ts')).explainCode,
    },
  ],
};
