import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/report.ts';
import { load, problemsOf } from './support.ts';

const ref = (name: string) => `\${${name}}`;

const withToken = (token: string) => `connections:
  acme:
    baseUrl: https://platform.example.com
    accessToken: ${token}
`;

const tokenOf = async (token: string, around: Parameters<typeof load>[1]) =>
  (await load(withToken(token), around)).connections.acme?.accessToken?.reveal();

test.each([
  [ref('env:TOKEN'), 'abc'],
  [`"${ref('env:TOKEN')}"`, 'abc'],
  [`pre-${ref('env:TOKEN')}-post`, 'pre-abc-post'],
  [`${ref('env:TOKEN')}${ref('file:secrets/t')}`, 'abcxyz'],
  [ref('file:secrets/t'), 'xyz'],
  [ref('file:lines'), 'ends-in-lines'],
  [ref('file:marked'), 'marked'],
  [`$${ref('env:TOKEN')}`, ref('env:TOKEN')],
  [ref('env:TRICKY'), `$&${ref('env:TOKEN')}`],
])('%s gives %s', async (token, expected) => {
  const env = { TOKEN: 'abc', TRICKY: `$&${ref('env:TOKEN')}` };
  const files = { 'secrets/t': 'xyz\n', lines: 'ends-in-lines\r\n\r\n', marked: '\uFEFFmarked\n' };

  expect(await tokenOf(token, { env, files })).toBe(expected);
});

test.each([
  [ref('env:NOPE'), 'the environment variable NOPE is not set; set it before you start Rollcall'],
  [ref('env:EMPTY'), 'the environment variable EMPTY is set but empty'],
  [ref('file:nope'), "the file nope does not exist; its path is resolved from the configuration's folder"],
  [ref('file:empty'), 'the file empty is empty'],
  [
    ref('TOKEN'),
    `contains an unknown \${…}; allowed are ${ref('env:NAME')} and ${ref('file:path')}, and $\${ for a literal \${`,
  ],
  [
    ref('ENV:TOKEN'),
    `contains an unknown \${…}; allowed are ${ref('env:NAME')} and ${ref('file:path')}, and $\${ for a literal \${`,
  ],
  [
    `"$\{env:TOKEN"`,
    `contains an unknown \${…}; allowed are ${ref('env:NAME')} and ${ref('file:path')}, and $\${ for a literal \${`,
  ],
])('%s is refused, and nothing else is said of it', async (token, message) => {
  const problems = await problemsOf(withToken(token), { env: { EMPTY: '' }, files: { empty: '\n' } });

  expect(problems).toMatchObject([{ line: 4, path: 'connections.acme.accessToken', message }]);
});

test('two references to nothing in two places are two problems', async () => {
  const text = withToken(ref('env:A')).replace('https://platform.example.com', ref('file:b'));

  expect((await problemsOf(text)).map(({ line }) => line)).toEqual([3, 4]);
});

test('JSONata keeps a ${ of its own, and takes references too', async () => {
  const text = `${withToken('t')}syncs:
  people:
    connection: acme
    source: { kind: csv, path: ./e.csv }
    policy: sync
    mapping: { identification: id, firstName: { expression: "$sum(\${a: 1}.a)" }, lastName: last }
    scope: country = '${ref('env:COUNTRY')}'
`;

  const { people } = (await load(text, { env: { COUNTRY: 'UY' } })).syncs;

  expect(people?.scope).toBe("country = 'UY'");
  expect(people?.mapping.fields.firstName).toMatchObject({ expression: `$sum(\${a: 1}.a)` });
});

/** Every place of a configuration that a secret may stray into, each with something wrong about it. */
const places: readonly ((secret: string) => string)[] = [
  (it) => withToken(it),
  (it) => withToken(`[${it}]`),
  (it) => withToken('t').replace('https://platform.example.com', it),
  (it) => withToken('t').replace('baseUrl:', `limits: ${it}\n    baseUrl:`),
  (it) => withToken('t').replace('baseUrl:', `limits: { timeout: ${it}, concurrency: ${it} }\n    baseUrl:`),
  (it) => withToken('t').replace('baseUrl:', `dialect: { put: ${it}, csv: { dateFormat: ${it} } }\n    baseUrl:`),
  (it) => `${withToken('t')}encryptionKey: ${it}\nstore: ${it}\nlog: { level: ${it} }\n`,
  (it) =>
    `${withToken('t')}syncs: { people: { connection: ${it}, policy: ${it}, source: { kind: ${it} }, scope: "'${it}" } }\n`,
  (it) => `${withToken('t')}syncs: { people: { source: { kind: csv, path: x, password: ${it} } } }\n`,
  (it) =>
    `${withToken('t')}syncs: { people: { mapping: { orgEntryDate: { from: a, format: ${it} } }, schedule: { cron: ${it}, timezone: ${it} } } }\n`,
];

const secrets = fc.stringMatching(/^[A-Za-z0-9_-]{12,40}$/);

test('a value that came through a reference is in no problem, wherever it strays', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, fc.constantFrom(...places), async (secret, place) => {
      const text = `${place(`"\${env:LEAK} "`)}unknown: x\n`;

      const error = await load(text, { env: { LEAK: secret } }).catch((fault: unknown) => fault);

      expect(error).toBeInstanceOf(ConfigError);
      const { message, stack, problems } = error as ConfigError;
      expect(`${message}${stack}${JSON.stringify(problems)}`).not.toContain(secret);
    }),
  );
});

test.each([
  ['an alias', 'accessToken: *SECRET-TOKEN'],
  ['a tag', 'accessToken: !SECRET-TOKEN x'],
  ['an open quote', 'accessToken: "SECRET-TOKEN'],
  ['a bad escape', 'accessToken: "SECRET-TOKEN\\q"'],
  ['a missing blank', 'accessToken:SECRET-TOKEN'],
  ['a missing blank in braces', 'limits: { accessToken:SECRET-TOKEN }'],
  ['a list', 'accessToken: [SECRET-TOKEN]'],
  ['a blank inside', 'accessToken: SECRET-TOKEN x'],
  ['a wrong place', 'insecure: SECRET-TOKEN'],
  ['a wrong choice', 'dialect: { put: SECRET-TOKEN }'],
])('a token written into the file itself is not shown when it breaks it as %s', async (_, line) => {
  const problems = await problemsOf(`connections:\n  acme:\n    baseUrl: https://platform.example.com\n    ${line}\n`);

  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).not.toContain('SECRET-TOKEN');
});
