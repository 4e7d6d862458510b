import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CsvConfig } from '../../../src/sources/csv/config.ts';
import { csv } from '../../../src/sources/csv/index.ts';

const sftp = { host: 'h', user: 'u', password: 'p', path: '/a.csv', hostKey: `SHA256:${'a'.repeat(43)}` };

test.each([
  [
    { encodng: 'utf-8' },
    ['encodng'],
    /^is not a known key; did you mean encoding\? Known here: kind, path, .*encoding/,
  ],
  [{ complete: 'maybe' }, ['complete'], 'must be one of stable, marker, trailer'],
  [{ complete: 'stabel' }, ['complete'], 'must be one of stable, marker, trailer; did you mean stable?'],
  [{ encoding: 'latin' }, ['encoding'], /^must be an encoding of the WHATWG standard: utf-8, windows-1252/],
  [{ delimiter: '::' }, ['delimiter'], 'must be one ASCII character'],
  [{ path: '' }, ['path'], 'must not be empty'],
  [{ path: 7 }, ['path'], 'must be text; put it in quotes'],
  [{ path: undefined }, ['path'], 'is required (or one of sftp, https, s3 instead)'],
  [{ trailer: 'T' }, ['trailer'], 'is only used with complete: trailer'],
  [{ marker: 'x.done' }, ['marker'], 'is only used with complete: marker'],
  [{ delimiter: '"' }, ['quote'], /^must differ from the delimiter/],
  [
    { https: { url: 'https://hr.example.com/a.csv' } },
    ['https'],
    'cannot be combined with path: only one place is read',
  ],
  [{ path: undefined, https: { url: 'http://hr.example.com/a.csv' } }, ['https', 'url'], /^must be an https:/],
  [{ path: undefined, sftp: { ...sftp, hostKey: 'ab:cd' } }, ['sftp', 'hostKey'], /SHA256: and 43 characters/],
  [{ path: undefined, sftp: { ...sftp, hostKey: undefined } }, ['sftp', 'hostKey'], 'is required'],
  [{ path: undefined, sftp: { ...sftp, password: undefined } }, ['sftp'], 'needs password or privateKey, one of them'],
])('settings with %j are refused at their key, in words of the configuration', (wrong, path, message) => {
  const problem = { path, message: typeof message === 'string' ? message : expect.stringMatching(message) };
  expect(csv.parse({ kind: 'csv', path: 'a.csv', ...wrong })).toEqual({ ok: false, problems: [problem] });
});

test('every setting is explained for operators', async () => {
  const page = await readFile(new URL('../../../docs/sources/csv.md', import.meta.url), 'utf8');
  const keys = Object.keys(CsvConfig.shape);
  const explained = keys.filter((key) => page.includes(`\n| \`${key}\` `));
  expect(explained).toEqual(keys.filter((key) => key !== 'kind'));
});
