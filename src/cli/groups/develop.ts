import { Argument, Option } from 'commander';
import type { CommandGroup } from '../command.ts';
import {
  confirmOption,
  connectionArgument,
  gather,
  parseMoment,
  parsePort,
  parsePositive,
  parseWholeNumber,
  signatureOptions,
  syncArgument,
} from '../options.ts';

export const develop: CommandGroup = {
  heading: 'Set up and develop:',
  rows: [
    {
      words: 'demo',
      summary: 'run the whole job once, with a sandbox platform and synthetic people; needs no configuration',
      meaning:
        'Starts a sandbox platform with 500 users, writes an HR file with 520 employees, and runs the real commands: plan, apply, and both again. Ends with 0 when the second plan is empty.',
      options: [
        [
          '--folder <folder>',
          'folder for configuration, HR file and store (default: a temporary folder, deleted afterwards)',
        ],
        ['--page', 'then serve the page of the demo, until Ctrl-C'],
      ],
      body: async () => (await import('../commands/sandbox.ts')).runDemo,
    },
    { words: 'source', meaning: 'list and try sources of employees' },
    {
      words: 'source list',
      meaning: 'list the kinds of source with their capabilities',
      body: async () => (await import('../commands/setup.ts')).listKinds,
    },
    {
      words: 'source try',
      meaning: 'read the source of a sync and show the records and their mapping; writes nothing',
      arguments: [syncArgument],
      options: [
        ['--limit <n>', 'stop after this many records', parsePositive],
        ['--show <n>', 'number of employees to show', parseWholeNumber, 3],
        [
          '--since <instant>',
          'only changes since then, such as 2026-11-21T00:00:00Z, if the source supports it',
          parseMoment,
        ],
        [
          '--confirm-restored-token',
          'present a refresh token that was restored from a backup; only if no refresh happened after the backup',
        ],
      ],
      body: async () => (await import('../commands/setup.ts')).trySource,
    },
    {
      words: 'map',
      meaning:
        'compare the mapping of a sync with its source and platform, and propose lines for what drifted; changes nothing',
      arguments: [syncArgument],
      options: [['--source-only', 'do not ask the platform']],
      body: async () => (await import('../commands/map.ts')).showDrift,
    },
    {
      words: 'learn',
      meaning:
        'use a test user to find out what the API contract does not define, and print the dialect for the configuration',
      summary: 'find out the dialect of a platform with a test user',
      arguments: [connectionArgument],
      options: [
        [
          '--user <test-id>',
          'identification of the test user (default: rollcall-learn- and the time); no person may have it',
        ],
        confirmOption,
        ...signatureOptions,
      ],
      body: async () => (await import('../commands/connections.ts')).runLearn,
    },
    {
      words: 'sandbox',
      meaning: 'start an embedded platform with synthetic users, for trials; its data is lost when it stops',
      options: [
        ['--port <n>', 'port; 0: any free port', parsePort, 8787],
        new Option('--host <address>', 'address to listen on').default('127.0.0.1'),
        ['--users <n>', 'number of synthetic users', parseWholeNumber, 200],
        ['--seed <n>', 'seed for the synthetic users', parseWholeNumber, 1],
        ['--processing-ms <n>', 'processing time of a provisioning file', parseWholeNumber, 200],
        ['--token-life-ms <n>', 'lifetime of an access token', parseWholeNumber, 3_600_000],
        ['--fault <spec>', 'a fault to inject; may be repeated', gather, []],
        ['--quirk <name=value>', 'a deviation of the platform from the contract; may be repeated', gather, []],
        ['--list-faults', 'list the faults and quirks, and start nothing'],
        ['--openapi', 'print the API as an OpenAPI 3.1 document, and start nothing'],
        ['--application-token <text>', 'use this token instead of a random one'],
        ['--access-token <text>', 'use this token instead of a random one'],
        ['--refresh-token <text>', 'use this token instead of a random one; may be repeated', gather, []],
      ],
      body: async () => (await import('../commands/sandbox.ts')).startSandbox,
    },
    {
      words: 'api',
      meaning: "call any operation of the platform's API on a connection",
      arguments: [['[operation...]', 'the group and the operation, such as: users search']],
      options: [['--list', 'list every operation with its parameters']],
      body: async () => (await import('../commands/api.ts')).listOperations,
    },
    {
      words: 'api tokens',
      meaning: '',
      arguments: [['[words...]', '']],
      isHidden: true,
      body: async () => (await import('../commands/api.ts')).refuseTokens,
    },
    {
      words: 'completion',
      meaning: 'print a script that lets a shell complete commands, options, and names of syncs and connections',
      arguments: [new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'])],
      body: async () => (await import('../commands/help.ts')).printScript,
    },
    {
      words: 'completion words',
      meaning: '',
      arguments: [['[words...]', '']],
      isHidden: true,
      body: async () => (await import('../commands/help.ts')).printWords,
    },
  ],
};
