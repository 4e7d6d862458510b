import { expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/drivers/sql/database-url.ts';
import { sql } from '../../../src/sources/sql/index.ts';

const right = { kind: 'sql', url: 'sqlite:./hr.db', query: 'select 1 as id', key: 'id' };

test.each([
  [{ kee: 'id' }, ['kee'], /^is not a known key/],
  [{ query: undefined }, ['query'], 'or queryFile is required, but not both'],
  [{ queryFile: './a.sql' }, ['query'], 'or queryFile is required, but not both'],
  [{ query: 'delete from people' }, ['query'], 'must begin with select or with'],
  [{ key: undefined }, ['key'], 'is required'],
  [{ url: 'oracle://a/b' }, ['url'], 'must begin with postgres://, mysql:// or sqlite:'],
  [{ statementTimeout: '5' }, ['statementTimeout'], /^must be a duration from 1s/],
  [{ statementTimeout: '10ms' }, ['statementTimeout'], /^must be a duration from 1s/],
  [{ fetchRows: 5_000 }, ['fetchRows'], 'must be at most 1000'],
])('settings with %j are refused at their key, in words of the configuration', (wrong, path, message) => {
  const problem = { path, message: typeof message === 'string' ? message : expect.stringMatching(message) };
  expect(sql.parse({ ...right, ...wrong })).toEqual({ ok: false, problems: [problem] });
});

test('the url of a server is read with everything percent-encoded', () => {
  const url = 'mysql://hr%40x:p%40%3A%2F%25%20%C3%A9@db.example.com/people?sslmode=verify-ca&sslrootcert=ca.pem';
  expect(parseDatabaseUrl(url)).toEqual({
    dialect: 'mysql',
    host: 'db.example.com',
    port: 3306,
    user: 'hr@x',
    password: 'p@:/% é',
    database: 'people',
    tls: { mode: 'verify-ca', ca: 'ca.pem', cert: undefined, key: undefined },
    applicationName: 'rollcall',
    name: 'mysql://db.example.com:3306/people',
  });
  expect(parseDatabaseUrl('postgres://u@%2Frun%2Fpostgresql/hr')).toMatchObject({
    host: '/run/postgresql',
    port: 5432,
  });
  expect(parseDatabaseUrl('sqlite:///var/hr.db')).toMatchObject({ dialect: 'sqlite', path: '/var/hr.db' });
  expect(parseDatabaseUrl('sqlite:hr.db')).toMatchObject({ path: 'hr.db' });
});

test.each([
  ['postgres://u:p@db.example.com/hr', 'verify-full'],
  ['postgres://u:p@10.0.0.1/hr', 'verify-full'],
  ['mysql://u:p@db/hr', 'verify-full'],
  ['mysql://u:p@localhost.example.com/hr', 'verify-full'],
  ['postgres://u:p@db.example.com/hr?sslmode=disable', 'disable'],
  ['mysql://u:p@10.0.0.1/hr?sslmode=require', 'require'],
  ['postgres://u:p@localhost/hr', 'disable'],
  ['mysql://u:p@127.0.0.1:3307/hr', 'disable'],
  ['postgres://u:p@[::1]/hr', 'disable'],
  ['postgres://u@%2Frun%2Fpostgresql/hr', 'disable'],
  ['postgres://u:p@localhost/hr?sslmode=verify-full', 'verify-full'],
])('%s: people travel in the clear only on this machine, or where it is said (%s)', (url, mode) => {
  expect(parseDatabaseUrl(url)).toMatchObject({ tls: { mode } });
});

test.each([
  ['postgres://u:geheim@host:x/db', /is not a url/],
  ['postgres://u:geheim@host/', /lacks a user, a host or a database/],
  ['postgres://u:ge%heim@host/db', /without two hexadecimal digits/],
  ['postgres://u:geheim@host/db?sslmode=prefer', /has sslmode=prefer; it can be disable, /],
  ['postgres://u:geheim@host/db?ssl=true', /has the parameter ssl; known are sslmode/],
  ['mysql://u:geheim@10.0.0.1/db?sslmode=verify-full', /use the host name in the certificate/],
  ['mysql://u:geheim@10.0.0.1/db', /verify-full unless the url has another sslmode/],
  ['sqlite:', /must be sqlite: and the path/],
])('%s is refused without telling user and password', (url, problem) => {
  const refusal = JSON.stringify(parseDatabaseUrl(url));
  expect(refusal).toMatch(problem);
  expect(refusal).not.toMatch(/geheim|ge%heim/);
});
