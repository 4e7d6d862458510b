import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, postgresTls, readTls } from '../../../src/drivers/sql/database-url.ts';
import { openPostgres } from '../../../src/store/db/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const noFiles = { ca: undefined, cert: undefined, key: undefined };
const plain = {
  dialect: 'postgres',
  host: 'db.example.com',
  port: 5432,
  user: 'rollcall',
  password: 'secret',
  database: 'people',
  tls: { mode: 'verify-full', ...noFiles },
  applicationName: 'rollcall',
  name: 'postgres://db.example.com:5432/people',
};
const inTheClear = { tls: { mode: 'disable', ...noFiles } };

describe('the url of a PostgreSQL database', () => {
  it.each([
    ['postgres://rollcall:secret@db.example.com/people', {}],
    ['postgresql://rollcall:secret@db.example.com:5432/people?sslmode=disable', inTheClear],
    [
      'postgres://rollcall:secret@db.example.com:6000/people',
      { port: 6000, name: 'postgres://db.example.com:6000/people' },
    ],
    ['postgres://rollcall@db.example.com/people', { password: undefined }],
    ['postgres://roll%40call:%40%3A%2F%23%25%C3%A9@db.example.com/people', { user: 'roll@call', password: '@:/#%é' }],
    ['postgres://rollcall:secret@[::1]/people', { ...inTheClear, host: '::1', name: 'postgres://::1:5432/people' }],
    [
      'postgres://rollcall:secret@%2Frun%2Fpostgresql/people',
      { ...inTheClear, host: '/run/postgresql', name: 'postgres:///run/postgresql:5432/people' },
    ],
    ['postgres://rollcall:secret@db.example.com/people?application_name=two', { applicationName: 'two' }],
  ])('%s is read, encrypted and verified unless it is on this machine or says otherwise', (url, over) => {
    expect(parseDatabaseUrl(url)).toEqual({ ...plain, ...over });
  });

  it.each([
    ['postgres://rollcall:sec#ret@db.example.com:x/people', 'percent-encoded'],
    ['postgres://rollcall:secret@db.example.com', 'a database'],
    ['postgres://rollcall:secret@/people', 'is not a url'],
    ['postgres:///people', 'a host'],
    ['postgres://db.example.com/people', 'a user'],
    ['postgres://rollcall:secret%@db.example.com/people', '%25'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=prefer', 'sslmode=prefer'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=require&timeout=5', 'timeout'],
    ['postgres://rollcall:secret@db.example.com/people?sslmode=verify-ca&sslrootcert=absent.pem', 'ENOENT'],
    ['mysql://rollcall:secret@db.example.com/people', 'is not of PostgreSQL'],
  ])('%s is no store, and the refusal has no word of the password', async (url, word) => {
    const opening = openPostgres(url, '.');
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(word),
    });
    // What reads a url puts all of it into its own error.
    await expect(opening).rejects.not.toMatchObject({ cause: expect.anything() });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining('sec') });
  });

  it('finds certificates beside the configuration', async () => {
    const folder = await temporaryFolder();
    for (const name of ['ca', 'crt', 'key']) await writeFile(join(folder, name), `the ${name}`);
    const place = parseDatabaseUrl(
      'postgres://rollcall:secret@db.example.com/people?sslmode=require&sslrootcert=ca&sslcert=./crt&sslkey=key',
    );
    if (!('tls' in place)) throw new Error('it is a place');
    const ssl = postgresTls(await readTls(place.tls, { folder, key: 'the url' }), place.host);
    expect(ssl).toMatchObject({ ca: 'the ca', cert: 'the crt', key: 'the key', rejectUnauthorized: true });
  });
});
