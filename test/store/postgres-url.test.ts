import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPostgresUrl } from '../../src/store/postgres-url.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const plain = {
  host: 'db.example.com',
  port: 5432,
  user: 'rollcall',
  password: 'secret',
  database: 'people',
  ssl: false,
  applicationName: 'rollcall',
  name: 'postgres://db.example.com:5432/people',
};

describe('the url of a PostgreSQL store', () => {
  it.each([
    ['postgres://rollcall:secret@db.example.com/people', {}],
    ['postgresql://rollcall:secret@db.example.com:5432/people?sslmode=disable', {}],
    [
      'postgres://rollcall:secret@db.example.com:6000/people',
      { port: 6000, name: 'postgres://db.example.com:6000/people' },
    ],
    ['postgres://rollcall@db.example.com/people', { password: undefined }],
    ['postgres://roll%40call:%40%3A%2F%23%25%C3%A9@db.example.com/people', { user: 'roll@call', password: '@:/#%é' }],
    ['postgres://rollcall:secret@[::1]/people', { host: '::1', name: 'postgres://::1:5432/people' }],
    [
      'postgres://rollcall:secret@%2Frun%2Fpostgresql/people',
      { host: '/run/postgresql', name: 'postgres:///run/postgresql:5432/people' },
    ],
    ['postgres://rollcall:secret@db.example.com/people?application_name=two', { applicationName: 'two' }],
  ])('%s is read', (url, over) => {
    expect(readPostgresUrl(url, '.')).toEqual({ ...plain, ...over });
  });

  it.each([
    ['postgres://rollcall:sec#ret@db.example.com:x/people', 'percent-encoded'],
    ['postgres://rollcall:secret@db.example.com', 'a database'],
    ['postgres://rollcall:secret@/people', 'not a valid url'],
    ['postgres:///people', 'a host'],
    ['postgres://db.example.com/people', 'a user'],
    ['postgres://rollcall:secret%@db.example.com/people', '%25'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=prefer', 'sslmode=prefer'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=require&timeout=5', 'timeout'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=verify-ca&sslrootcert=absent.pem', 'ENOENT'],
  ])('%s is refused without a word of the password', (url, word) => {
    const read = () => readPostgresUrl(url, '.');
    expect(read).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(word) }));
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringContaining('sec') }));
    // What reads a url puts all of it into its own error.
    expect(read).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
  });

  it('finds certificates beside the configuration', async () => {
    const folder = await temporaryFolder();
    for (const name of ['ca', 'crt', 'key']) await writeFile(join(folder, name), `the ${name}`);
    const files = 'sslrootcert=ca&sslcert=./crt&sslkey=key';
    const read = readPostgresUrl(`postgres://rollcall:secret@db.example.com/people?sslmode=require&${files}`, folder);
    expect(read.ssl).toMatchObject({ ca: 'the ca', cert: 'the crt', key: 'the key', rejectUnauthorized: true });
  });
});
