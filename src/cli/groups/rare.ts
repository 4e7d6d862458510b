import type { CommandGroup } from '../command.ts';
import { confirmOption, signatureOptions } from '../options.ts';

const personArgument = ['<identification>', 'identification of the person, exactly as in the ledger'] as const;

export const rare: CommandGroup = {
  heading: 'Rare:',
  below: {
    word: 'admin',
    meaning: 'back up, restore and migrate the store; lost keys, sessions, data of one person',
  },
  rows: [
    {
      words: 'backup',
      meaning: 'write all data of the store to a new file, even while Rollcall is running',
      arguments: [['<file>', 'file to create; must not exist']],
      options: signatureOptions,
      body: async () => (await import('../commands/store.ts')).backUp,
    },
    {
      words: 'restore',
      meaning: 'replace the store (SQLite or PostgreSQL) with a backup; stop every process that uses the store first',
      arguments: [['<file>', 'file of "rollcall admin backup"']],
      options: [['--replace', 'replace a store that is not empty'], confirmOption, ...signatureOptions],
      body: async () => (await import('../commands/store.ts')).restoreStore,
    },
    {
      words: 'move',
      meaning: 'take all that another store has over into the configured one, which must be empty, with its tokens',
      arguments: [['<from>', 'the other store, as "store" is written: sqlite:./path or postgres://…']],
      options: [confirmOption, ...signatureOptions],
      body: async () => (await import('../commands/store.ts')).moveStore,
    },
    {
      words: 'migrate',
      meaning:
        'migrate the store to the tables of this version now; every other command does this when it opens the store',
      body: async () => (await import('../commands/store.ts')).migrateStore,
    },
    { words: 'keys', meaning: 'show and drop stored values whose encryption key is lost, and manage signing keys' },
    {
      words: 'keys status',
      meaning: 'count the stored values that no configured key opens, by key',
      body: async () => (await import('../commands/store.ts')).showKeys,
    },
    {
      words: 'keys drop-unreadable',
      meaning: 'drop the stored values that no configured key opens; the owner and disabled state of users are kept',
      options: [['--yes', 'drop without asking'], ...signatureOptions],
      body: async () => (await import('../commands/store.ts')).dropUnreadable,
    },
    {
      words: 'keys signing',
      meaning: 'show the public signing keys of this deployment; the first call creates one',
      options: [['--new', 'create a new signing key, and use it from now on'], ...signatureOptions],
      body: async () => (await import('../commands/store.ts')).showSigningKeys,
    },
    { words: 'sessions', meaning: 'show and end the sessions of users who are signed in to the page' },
    {
      words: 'sessions list',
      meaning: 'show who is signed in to the page',
      body: async () => (await import('../commands/records.ts')).showSessions,
    },
    {
      words: 'sessions end',
      meaning: 'end a session, or all sessions of a user',
      arguments: [['<name>', 'id of the session, or name of the user as in the audit']],
      options: signatureOptions,
      body: async () => (await import('../commands/records.ts')).endThem,
    },
    {
      words: 'export',
      meaning: 'show everything that the store has about one person; use --json for a file to hand over',
      arguments: [personArgument],
      options: signatureOptions,
      body: async () => (await import('../commands/records.ts')).showRecord,
    },
    {
      words: 'forget',
      meaning: 'erase one person from ledger and history; only a keyed hash is kept',
      arguments: [personArgument],
      options: [['--yes', 'erase without asking'], ...signatureOptions],
      body: async () => (await import('../commands/records.ts')).forgetPerson,
    },
  ],
};
