import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
import { describeStoreProcesses } from '../contracts/store-processes.ts';

describeStoreProcesses(
  'SQLite',
  async (folder) => `sqlite:${join(folder, `${randomUUID()}.db`)}`,
  async (url) => {
    const raw = new Sqlite(url.slice('sqlite:'.length));
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    raw.close();
  },
);
