import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodeOf, failureJson, renderFailure } from '../../src/cli/run-cli.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { failOnLeaks } from '../support/leak-check.ts';
import { findProgram } from '../support/services/programs.ts';
import { plain } from './samples.ts';
import { openTestShell } from './test-shell.ts';

failOnLeaks();

test.each([
  [['aply', 'people'], 'Did you mean apply?)\nAll commands: rollcall --help'],
  [['plan', 'people', '--limt', '3'], 'Did you mean --limit?'],
  [['plan'], "missing required argument 'sync'\nUsage: rollcall plan [options] <sync>\nMore: rollcall plan --help"],
  [['plan', 'a', 'b'], 'too many arguments'],
  [['plan', 'people', '--limit', 'few'], 'It must be a whole number.'],
  [['start', '--role', 'boss'], 'Allowed choices are all, scheduler, worker, server.'],
  [['start', '--port', 'x'], 'whole number'],
  [['start', '--port', '65536'], 'It must be a port from 0 to 65535.'],
  [['sandbox', '--port', '99999'], 'It must be a port from 0 to 65535.'],
  [['resync', 'people', '--full', '--user', '1'], 'use one of them'],
  [['token', 'revoke', 'acme'], 'Use --yes'],
  [['token', 'statsu', 'acme'], 'Did you mean status?'],
  [['pln', '--help'], 'Did you mean plan?'],
  [['admin', 'help', 'backp'], 'Did you mean backup?'],
  [['api', 'userss', 'list'], 'Did you mean users?'],
  [['init', '--source', 'oracle'], 'no source starter is called oracle; available are: '],
  [['source', 'try', 'people', '--limit', '0'], 'It must be at least 1.'],
  [['runs', '--limit', '0'], 'It must be at least 1.'],
  [['runs', '--limit', '5', '--limit', '6'], 'is given twice. Give it once.'],
  // The first one is the default.
  [['init', '--source', 'csv', '--source', 'sql'], 'is given twice. Give it once.'],
  [['api', 'users', 'search', '--orderBy', 'id', '--orderBy', 'email'], 'is given twice. Give it once.'],
  [['source', 'try', 'people', '--since', '2026-11-21'], 'It must be an instant with a time zone'],
  [['sandbox', '--fault', 'nonsense:x'], 'is not an operation'],
  [
    ['sandbox', '--fault', 'stauts=500'],
    '"stauts" is not a kind of fault. Did you mean status? To list the faults: rollcall sandbox --list-faults',
  ],
  [['sandbox', '--quirk', 'put=replaces', '--quirk', 'colour=red'], 'it must be name=value'],
  [['sandbox', '--quirk', 'strictReuse=perhaps'], 'must be true or false'],
  [['sandbox', '--quirk', 'expiresIn=hours'], 'its value must be one of: seconds, ms'],
  [['check', '--config', 'other.yaml'], 'other.yaml: the file does not exist'],
  // Refused before the configuration is read: nothing is requested or decided.
  [['resync', 'people', '--user', '@ids.txt'], 'the file of --user cannot be read: ids.txt (ENOENT)'],
  [['resync', 'people', '--user', '@/dev/null'], 'the file of --user names no person: /dev/null'],
  [['resync', 'people', '--timeout', '3s'], '--timeout limits the wait of --wait'],
  [['approve', 'run_1', '--yes', '--only', 'leavers'], 'It must be one of creates'],
  [['approve', 'run_1', '--yes', '--ids', 'none.txt'], 'the file of --ids cannot be read: none.txt (ENOENT)'],
  [['adopt', 'staff', '1', '--replace', '--apart'], 'Use one of'],
  [['adopt', 'staff', '--from', 'gone', '--apart'], 'Use one of'],
  [['adopt', 'staff', 'N2', '--leave', '--until', 'soon'], 'It must be a duration'],
])('%j is wrong usage: %s', async (words, message) => {
  const shell = await openTestShell();
  const finished = await shell.run(words);

  expect(finished).toMatchObject({ code: 2, stdout: '' });
  expect(finished.stderr).toContain(message);
});

test('a folder for files on their way that cannot be made is named, and what to look at', async () => {
  const shell = await openTestShell();
  await shell.run(['init']);
  await writeFile(join(shell.folder, '.rollcall'), 'a file in its place');
  const finished = await shell.run(['runs'], { env: { ROLLCALL_ACCESS_TOKEN: 'x' } });

  expect(finished.code).toBe(1);
  expect(finished.stderr).toMatch(/the folder .*scratch, cannot be created \(ENOTDIR\).*Check the owner/);
});

test.each([[['aply', '--json']], [['plan', 'x', '--json']], [['start', '--role', 'server', '--json']]])(
  '%j says what is wrong as one JSON object too',
  async (words) => {
    const shell = await openTestShell();
    const finished = await shell.run(words);

    expect(finished.code).toBe(2);
    expect(finished.json<{ error: object }>().error).toMatchObject({
      code: expect.any(String),
      message: expect.not.stringMatching(/^error/),
    });
  },
);

test('the help lists commands in groups, and rare ones below a word of their own', async () => {
  const shell = await openTestShell();
  const help = (await shell.run(['--help'])).stdout;

  expect(help.match(/^\S.*:$/gm)).toEqual([
    'Options:',
    'Every day:',
    'Decide:',
    'Operate:',
    'Rare:',
    'Set up and develop:',
    'Exit codes:',
  ]);
  expect(help).not.toMatch(/^ {2}(backup|restore|migrate|keys|sessions|export|forget) /m);
  expect((await shell.run(['admin', 'keys', '--help'])).stdout).toContain('drop-unreadable');
  expect((await shell.run(['keys', '--help'])).code).toBe(2);
});

test.each([
  ['a command', ['pl'], 'plan\n'],
  ['a command of a group', ['admin', 'keys', 'd'], 'drop-unreadable\n'],
  ['an option', ['plan', 'people', '--o'], '--out\n--only\n'],
  ['the value of an option', ['start', '--role', 's'], 'scheduler\nserver\n'],
  ['a sync of the configuration', ['--config', 'rollcall.yaml', 'plan', ''], 'people\n'],
  ['a connection after an option', ['check', '--offline', 'a'], 'acme\n'],
  ['nothing that is known', ['plan', '--out', ''], ''],
])('a shell completes %s', async (_, words, stdout) => {
  const shell = await openTestShell();
  await shell.run(['init']);

  expect(await shell.run(['completion', 'words', '--', ...words])).toMatchObject({ code: 0, stdout, stderr: '' });
});

test('the script for bash completes a command line', async () => {
  const shell = await openTestShell();
  await shell.run(['init']);
  const script = (await shell.run(['completion', 'bash'])).stdout;
  const line =
    'COMP_WORDS=(rollcall check a) COMP_CWORD=2; rollcall() { printf "%s " "$@"; }; _rollcall; echo "$COMPREPLY"';

  expect(execFileSync('bash', ['-c', `${script}\n${line}`], { encoding: 'utf8' })).toBe(
    'completion words -- check a \n',
  );
});

const zsh = await findProgram('zsh');
/** In place of the program and of the shell's own list: what is offered is printed. */
const zshStubs = `
  rollcall() { if [[ $5 == a* ]]; then print -l acme albatros; elif [[ -z $5 ]]; then print every; fi }
  compdef() { }; _files() { print files }; compadd() { print -r -- "offers \${@[2,-1]}" }
  words=(rollcall check "$1") CURRENT=3`;

test.skipIf(zsh === undefined).each([
  ['a', 'offers acme albatros\n'],
  ['', 'offers every\n'],
  ['x', 'files\n'],
])('the script for zsh completes "%s", sourced and as a function of the fpath', async (word, offered) => {
  const shell = await openTestShell();
  const script = join(shell.folder, '_rollcall');
  await writeFile(script, (await shell.run(['completion', 'zsh'])).stdout);
  for (const how of [`source ${script}`, `fpath=(${shell.folder}); autoload -Uz _rollcall`]) {
    const lines = `${zshStubs}; ${how}; _rollcall`;
    expect(execFileSync(zsh ?? '', ['-f', '-c', lines, 'zsh', word], { encoding: 'utf8' }), how).toBe(offered);
  }
});

const fish = await findProgram('fish');

test.skipIf(fish === undefined).each([
  ['rollcall check a', 'acme\nalbatros\n'],
  ['rollcall check ', 'every\n'],
  ['rollcall check e', 'employees.csv\n'],
])('the script for fish completes "%s", and offers files only where nothing else fits', async (line, offered) => {
  const shell = await openTestShell();
  await writeFile(join(shell.folder, 'employees.csv'), '');
  const stub = `function rollcall
    if string match -q 'a*' -- $argv[5]; printf 'acme\nalbatros\n'
    else if test -z $argv[5]; echo every; end
  end`;
  const script = (await shell.run(['completion', 'fish'])).stdout;
  const options = { encoding: 'utf8', cwd: shell.folder, env: { HOME: shell.folder, PATH: process.env.PATH } } as const;
  expect(execFileSync(fish ?? '', ['-N', '-c', `${stub}\n${script}\ncomplete -C '${line}'`], options)).toBe(offered);
});

test('without a command the help is shown, and that is wrong usage', async () => {
  const shell = await openTestShell();

  expect(await shell.run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: rollcall') });
});

test.each([[['--help']], [['plan', '--help']], [['help', 'plan']], [['--version']]])(
  '%j is answered on stdout',
  async (words) => {
    const shell = await openTestShell();
    const finished = await shell.run(words);

    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(finished.stdout).toMatch(/Usage: rollcall|9\.9\.9/);
  },
);

test('every problem of a configuration is told at once, for people and for machines', async () => {
  const shell = await openTestShell();
  await writeFile(join(shell.folder, 'rollcall.yaml'), 'connections: 3\nsinks: {}\n');
  const forPeople = await shell.run(['runs']);
  const forMachines = await shell.run(['runs', '--json']);

  expect(forPeople).toMatchObject({ code: 2, stdout: '' });
  expect(forPeople.stderr).toMatch(
    /2 problems in the configuration; nothing was started \(CONFIG_INVALID\)\n {2}.*rollcall\.yaml:1 .*\n {2}.*:2 /,
  );
  expect(forMachines.json<{ error: { code: string; problems: object[] } }>().error).toMatchObject({
    code: 'CONFIG_INVALID',
    problems: [{ line: 1 }, { line: 2 }],
  });
});

test('ROLLCALL_CONFIG names the configuration, and --config wins over it', async () => {
  const shell = await openTestShell({ ROLLCALL_CONFIG: 'from-env.yaml' });

  expect((await shell.run(['runs'])).stderr).toContain('from-env.yaml');
  expect((await shell.run(['runs', '--config', 'from-flag.yaml'])).stderr).toContain('from-flag.yaml');
});

test.each([
  ['is no text: 5 of its first', 'ID;Na\u0001\u0002\u0003\u0004\u0005me\nE1;Ana\n'],
  ['no table: it has one column only, and begins with "dn: a\\nmail: b"', 'dn: a\nmail: b\n'],
  ['has a header, but no rows: it contains no employees', 'ID;Name;Email\n'],
  ['has other texts than column names', '{\\rtf1;Arial;}\nE1;Ana;Paz\n'],
])('init refuses a file that %s', async (message, text) => {
  const shell = await openTestShell();
  await writeFile(join(shell.folder, 'employees.csv'), text);
  const refused = await shell.run(['init', '--from', 'employees.csv']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('init writes a configuration and a sample, and overwrites nothing unless told to', async () => {
  const shell = await openTestShell();
  const first = await shell.run(['init']);
  await writeFile(join(shell.folder, 'employees.csv'), 'mine');
  const second = await shell.run(['init']);
  const elsewhere = await shell.run(['init', '--config', 'deep/er/rollcall.yaml', '--json']);

  expect(first.stdout).toMatch(/^wrote rollcall\.yaml\nwrote employees\.csv\n\nNext:/);
  expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
  expect(await readFile(join(shell.folder, 'employees.csv'), 'utf8')).toBe('mine');
  expect(elsewhere.json()).toEqual({ written: ['deep/er/rollcall.yaml', 'deep/er/employees.csv'] });
  expect((await shell.run(['init', '--force'])).code).toBe(0);
  expect((await stat(join(shell.folder, 'employees.csv'))).size).toBeGreaterThan(100);
});

test.each([['init'], ['init', '--from', 'employees.csv']])(
  'a place where no file can be is wrong usage of %s %s',
  async (...words) => {
    const shell = await openTestShell();
    await writeFile(join(shell.folder, 'employees.csv'), 'id,first,last,email\n1,Ana,Paz,ana@example.com\n');
    const end = await shell.run([...words, '--config', 'employees.csv/rollcall.yaml']);

    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(/rollcall\.yaml cannot be written \(E\w+\); name another place with --config/);
  },
);

test('the sandbox lists its faults and quirks without starting', async () => {
  const shell = await openTestShell();
  const text = await shell.run(['sandbox', '--list-faults']);
  const json = await shell.run(['sandbox', '--list-faults', '--json']);

  expect(text.stdout).toMatch(/^--fault {2}TARGET:KIND/);
  expect(text.stdout).toContain('reset-after-commit');
  expect(json.json()).toMatchObject({ quirks: expect.arrayContaining([{ name: 'put', value: 'merges' }]) });
});

test('the sandbox runs until it is stopped, and says how to reach it', async () => {
  const shell = await openTestShell();
  const words = ['sandbox', '--port', '0', '--users', '3', '--access-token', 'letmein'];
  const finished = await shell.run(words, { onStdout: (_, stop) => stop() });
  const [, url = ''] = /baseUrl: (http:\/\/127\.0\.0\.1:\d+)\n {4}accessToken: letmein/.exec(finished.stdout) ?? [];

  expect(finished.code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test('a port that is taken is wrong usage', async () => {
  const shell = await openTestShell();
  let second: Promise<{ code: number; stderr: string }> | undefined;
  await shell.run(['sandbox', '--port', '0', '--json'], {
    onStdout: (text, stop) => {
      second = shell.run(['sandbox', '--port', new URL(JSON.parse(text).url).port]);
      void second.then(stop);
    },
  });

  expect(await second).toMatchObject({ code: 2, stderr: expect.stringContaining('--port 0') });
});

test('colours are for terminals, and NO_COLOR takes them away', async () => {
  const shell = await openTestShell();

  expect((await shell.run(['runs'], { isTerminal: true })).stderr).toContain('\u001b[31m');
  expect((await shell.run(['runs'], { isTerminal: true, env: { NO_COLOR: '1' } })).stderr).not.toContain('\u001b');
  expect((await shell.run(['runs'])).stderr).not.toContain('\u001b');
});

const quiet = { isDebug: false, isRaw: false };

test('of an error that nobody foresaw one line is told, and with --debug where it came from', () => {
  const error = new TypeError('x is not a function\nsecret second line');

  expect(renderFailure(error, plain, quiet)).toMatch(
    /^error: unexpected: TypeError at test\/cli\/usage\.test\.ts:\d+:\d+\nuse --debug to see the stack$/,
  );
  expect(renderFailure(error, plain, { ...quiet, isDebug: true })).toContain('usage.test.ts');
  expect(renderFailure(error, plain, { ...quiet, isDebug: true })).not.toContain('secret');
  expect(renderFailure(error, plain, { ...quiet, isRaw: true })).toContain('secret second line');
  expect(failureJson(error).error).toMatchObject({
    code: 'UNEXPECTED',
    message: expect.stringMatching(/^unexpected: TypeError at /),
  });
  expect(exitCodeOf(error)).toBe(1);
});

test('an error that was foreseen is told as it is', () => {
  const error = new RollcallError('no run is called run_9', { code: 'NOT_FOUND' });

  expect(renderFailure(error, plain, quiet)).toBe('error: no run is called run_9 (NOT_FOUND)');
  expect(exitCodeOf(error)).toBe(1);
});
