import { Argument, Option } from 'commander';
import type { CommandGroup } from '../command.ts';
import {
  confirmOption,
  connectionArgument,
  parseMute,
  parsePort,
  parseSince,
  parseTime,
  parseUntil,
  parseWholeNumber,
  runArgument,
  signatureOptions,
  syncArgument,
  untilForms,
} from '../options.ts';

const subjectArgument = ['<name>', 'name of the sync or connection'] as const;

export const operate: CommandGroup = {
  heading: 'Operate:',
  rows: [
    {
      words: 'start',
      meaning: 'run the schedules and the requests of other shells until stopped',
      options: [
        new Option('--role <role>', 'the role of this process')
          .choices(['all', 'scheduler', 'worker', 'server'])
          .default('all'),
        ['--port <n>', 'port of the server, overrides server.port; 0: any free port', parsePort],
        ['--host <address>', 'address to listen on, overrides server.host'],
        ['--link', 'print the page and its sign-in link even if standard output is not a terminal'],
      ],
      body: async () => (await import('../commands/deployment.ts')).runDeployment,
    },
    {
      words: 'resync',
      meaning: 'request a run now: a running deployment executes it, otherwise this process does',
      arguments: [syncArgument],
      options: [
        ['--full', 'read all employees, even if runs of the sync usually read only changed ones'],
        ['--user <id...>', 'only these employees, by identification, or @FILE with one per line (@@ for a leading @)'],
        ['--wait', 'wait for the end of the run, and exit with its code, even if a deployment executes it'],
        ['--timeout <duration>', 'with --wait: stop waiting after this time (90s, 10m), and exit with 1', parseTime],
        ['--key <text>', 'idempotency key: a repeated key is the same request, and starts no second run'],
        ...signatureOptions,
      ],
      body: async () => (await import('../commands/sync.ts')).requestRun,
    },
    {
      words: 'retry',
      meaning: 'request another run with the scope of a run that has ended',
      arguments: [runArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/runs.ts')).retryRun,
    },
    {
      words: 'cancel',
      meaning: 'stop a run at its next safe point; drops the unsent changes',
      arguments: [runArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/runs.ts')).cancelRun,
    },
    {
      words: 'pause',
      meaning: 'pause a sync: no new run starts until the sync is resumed, and a current run continues',
      arguments: [syncArgument],
      options: [['--until <time>', `end the pause automatically: ${untilForms}`, parseUntil], ...signatureOptions],
      body: async () => (await import('../commands/sync.ts')).pauseSync,
    },
    {
      words: 'resume',
      meaning: 'resume a paused sync; one run catches up missed slots',
      arguments: [syncArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/sync.ts')).resumeSync,
    },
    {
      words: 'leavers',
      meaning: 'show each leaver: when HR reported it, when the disable is due and seen, and what blocks it',
      summary: 'show leavers, and what keeps their accounts enabled',
      arguments: [syncArgument],
      options: [
        new Option('--due <when>', 'only people whose target ends by then, in UTC').choices(['today', 'week']),
        ['--late', 'only people whose target was missed'],
      ],
      body: async () => (await import('../commands/records.ts')).showLeavers,
    },
    {
      words: 'report',
      meaning:
        'report who left or joined, when the platform showed it, and who approved it; or list the records that HR must correct',
      summary: 'report who left or joined, or the records that HR must correct',
      arguments: [
        new Argument('<kind>', 'what to report').choices(['leavers', 'joiners', 'data-quality']),
        ['[sync]', 'only people of this sync; data-quality needs it'],
      ],
      options: [
        ['--from <day>', 'the first day, in UTC: 2026-11-01; default: a week ago'],
        ['--to <day>', 'the last day, in UTC; default: today'],
        ['--out <file>', 'write the report to a CSV file'],
        new Option(
          '--sealed <file>',
          'leavers: write a signed file with all people, all accounts and the evidence',
        ).conflicts('out'),
        new Option('--language <language>', 'the language of data-quality').choices(['en', 'es']).default('en'),
      ],
      body: async () => (await import('../commands/records.ts')).reportThem,
    },
    {
      words: 'audit',
      meaning: 'show who approved, rejected, canceled, paused and requested what, when and why, newest first',
      options: [
        ['--sync <name>', 'only entries about this sync'],
        ['--run <run>', 'only entries about this run; the end of its id is enough'],
        ['--by <name>', 'only entries of this person or server token'],
        ['--since <time>', 'only entries since this time: 24h, 7d, 2026-11-21, or 2026-11-21T08:00:00Z', parseSince],
        ['--limit <n>', 'maximum number of entries', parseWholeNumber, 50],
      ],
      body: async () => (await import('../commands/records.ts')).showAudit,
    },
    { words: 'alerts', meaning: 'show the alerts and their channels, and test the channels' },
    {
      words: 'alerts list',
      meaning: 'show open problems, the channels, and the latest notices',
      options: [['--limit <n>', 'maximum number of notices', parseWholeNumber, 20]],
      body: async () => (await import('../commands/alerts.ts')).listAlerts,
    },
    {
      words: 'alerts ack',
      meaning: 'acknowledge the open problems: no reminders and no escalation until they get worse',
      arguments: [subjectArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/alerts.ts')).acknowledge,
    },
    {
      words: 'alerts mute',
      meaning: 'send no alerts for a period; problems that are still open at its end are sent then',
      arguments: [subjectArgument],
      options: [
        ...signatureOptions,
        new Option('--for <duration>', 'how long, such as 30m or 4h; at most 30d')
          .argParser(parseMute)
          .default(4 * 3_600_000, '4h'),
      ],
      body: async () => (await import('../commands/alerts.ts')).mute,
    },
    {
      words: 'alerts unmute',
      meaning: 'end a mute',
      arguments: [subjectArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/alerts.ts')).unmute,
    },
    {
      words: 'alerts test',
      meaning: 'send a test notice now',
      arguments: [['[channel]', 'only through this channel']],
      options: signatureOptions,
      body: async () => (await import('../commands/alerts.ts')).testChannels,
    },
    { words: 'token', meaning: 'manage the tokens of a connection' },
    {
      words: 'token status',
      meaning: 'show the state of the tokens and what to do',
      arguments: [connectionArgument],
      body: async () => (await import('../commands/connections.ts')).showTokens,
    },
    {
      words: 'token refresh',
      meaning: 'refresh the token pair now',
      arguments: [connectionArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/connections.ts')).refresh,
    },
    {
      words: 'token revoke',
      meaning: 'revoke the access token; it is not refreshed automatically afterwards',
      arguments: [connectionArgument],
      options: [confirmOption, ...signatureOptions],
      body: async () => (await import('../commands/connections.ts')).revoke,
    },
  ],
};
