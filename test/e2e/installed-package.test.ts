import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };

describe('the packed tarball, installed with npm install --global into an empty prefix', () => {
  let place: string;
  let folder: string;
  let env: Readonly<Record<string, string>>;

  const rollcall = (...words: readonly string[]) => run('rollcall', words, { cwd: folder, env });

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'rollcall-installed-'));
    folder = join(place, 'some where else');
    await mkdir(folder);
    await run('npm', ['pack', '--silent', '--pack-destination', place], { cwd: root });
    const tarball = (await readdir(place)).find((name) => name.endsWith('.tgz')) ?? '';
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', '--global', '--prefix', join(place, 'prefix'), ...flags, join(place, tarball)]);
    const PATH = [join(place, 'prefix/bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    env = { PATH, HOME: place, ROLLCALL_ACCESS_TOKEN: 'token-of-the-test' };
  }, 300_000);

  afterAll(() => rm(place, { recursive: true, force: true }));

  it('says its version', async () => {
    expect((await rollcall('--version')).stdout.trim()).toBe(version);
  });

  it('writes a configuration into the folder of the shell, and reads it there', async () => {
    await rollcall('init');

    expect(await readdir(folder)).toEqual(expect.arrayContaining(['rollcall.yaml', 'employees.csv']));
    expect((await rollcall('source', 'try', 'people')).stdout).toContain('1001');
  });

  it('starts a platform, and syncs to it from the first plan to the empty one', async () => {
    const sandbox = spawn('rollcall', ['sandbox', '--port', '0', '--access-token', 'token-of-the-test'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [first] = (await once(sandbox.stdout, 'data')) as [Buffer];
    const url = /http:\/\/\S+/.exec(first.toString())?.[0] ?? '';
    const config = await readFile(join(folder, 'rollcall.yaml'), 'utf8');
    await writeFile(join(folder, 'rollcall.yaml'), config.replace('https://platform.example.com', url));

    expect((await rollcall('apply', 'people')).stdout).toContain('3 applied');
    expect((await rollcall('plan', 'people')).stdout).toContain('nothing to do');

    const ended = once(sandbox, 'exit');
    sandbox.kill('SIGTERM');
    await ended;
  });
});

it('an older Node.js gets an answer that it can read, and exit code 2', async () => {
  const bin = join(root, 'bin/rollcall.cjs');
  // The version is all that the check reads, so this process plays an older one.
  const play = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require(${JSON.stringify(bin)});`;

  const refusal = await run(process.execPath, ['-e', play]).catch((error: unknown) => error);

  expect(refusal).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('rollcall needs Node.js 24 or newer, and this is Node.js 20.20.2'),
  });
});
