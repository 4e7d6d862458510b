import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parseFault, type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { programOf } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const examples = resolve('examples');
const useSources = pathToFileURL(resolve('scripts/use-sources.ts')).href;
const library = pathToFileURL(programOf('src/platform/index.ts')).href;
/** The same with the library in one file, which starts in half the time. */
const useBundle = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from 'node:module';
registerHooks({ resolve: (name, context, next) => next(name === 'rollcall/platform' ? '${library}' : name, context) });`)}`;
const all = ['export-feedback.ts', 'list-leaders.ts', 'load-goals.ts', 'rotate-tokens.ts', 'upload-people.ts'];
const day = Date.UTC(2026, 4, 20, 12);
let sandbox: RunningSandbox | undefined;

afterEach(() => sandbox?.close());

async function open(users: number): Promise<RunningSandbox> {
  let calls = 0;
  // Each look at the clock is a minute later, so that what is made has times of its own.
  sandbox = await startSandbox({ now: () => day + 60_000 * calls++, users, accessTokenLifeMs: 1e12 });
  return sandbox;
}

async function run(
  name: string,
  words: readonly string[] = [],
  env: Record<string, string> = {},
  { input = '', use = useBundle } = {},
) {
  const child = spawn(process.execPath, ['--import', use, join(examples, name), ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PLATFORM_URL: sandbox?.url ?? '',
      PLATFORM_TOKEN: sandbox?.accessToken ?? '',
      ...env,
    },
  });
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

async function post(path: string, body: unknown): Promise<void> {
  const response = await fetch(`${sandbox?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox?.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
}

it('every example is short, uses only the public entry, and is in the README', async () => {
  const readme = await readFile(join(examples, 'README.md'), 'utf8');
  const names = (await readdir(examples)).filter((name) => name.endsWith('.ts'));
  expect(names.toSorted()).toEqual(all);
  for (const name of names) {
    const text = await readFile(join(examples, name), 'utf8');
    expect(text.split('\n').length, name).toBeLessThan(80);
    expect(text, name).toContain("from 'rollcall/platform'");
    expect(text, name).not.toMatch(/from '\.\.?\//);
    expect(readme).toContain(`(${name})`);
  }
});

describe('export-feedback', () => {
  /** The platform's clock is a few seconds late, so that what is made is older than the second of its answers. */
  async function openExport(list: string) {
    sandbox = await startSandbox({ now: () => Date.now() - 5000, users: 3, accessTokenLifeMs: 1e12 });
    const { state } = sandbox;
    const file = join(await temporaryFolder(), 'out.ndjson');
    return {
      ...{ state, file },
      export: (env: Record<string, string> = {}) => run('export-feedback.ts', [list, file], env),
      lines: async () =>
        (await readFile(file, 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
    };
  }
  const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;
  const given = { sender: 'E000001', recipient: 'E000002', comment: 'Line\nbreak' };

  it('writes each feedback once: over many pages, what shows up late, and after a run that was killed', async () => {
    const world = await openExport('feedback');
    for (let i = 0; i < 130; i++) world.state.addFeedback({ ...given, createdAt: minutesAgo(30) });
    expect(await world.export()).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1\d\d new\n$/) });
    const before = (await world.lines()).length;
    expect(await world.export()).toMatchObject({ code: 0, stderr: '0 new\n' });

    world.state.addFeedback({ ...given, createdAt: minutesAgo(40) });
    await appendFile(world.file, '{"id":7,"half of a li');
    // By this clock, forty years ahead, all items would be old.
    const ahead = { NODE_OPTIONS: '--import=data:text/javascript,Date.now=()=>3e12' };
    expect(await world.export(ahead)).toMatchObject({ code: 0, stderr: '1 new\n' });
    world.state.addFeedback({ ...given, createdAt: minutesAgo(1) });
    expect(await world.export()).toMatchObject({ code: 0, stderr: '1 new\n' });
    const lines = await world.lines();
    expect(lines).toHaveLength(before + 2);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(before + 2);
    expect(lines.at(-1)).toMatchObject({ sender: { identification: 'E000001' }, comment: 'Line\nbreak' });
  });

  it('writes an evaluation again when it has changed', async () => {
    const world = await openExport('evaluations');
    const evaluation = {
      id: 7_000_001,
      createdAt: minutesAgo(300),
      submittedAt: undefined,
      score: 3,
      isAnswered: false,
    };
    const text = { title: 'Review', comment: '', evaluator: 'E000001', evaluee: 'E000002' };
    world.state.putEvaluation({ ...evaluation, ...text, updatedAt: minutesAgo(300) });
    await world.export();
    const before = (await world.lines()).length;
    world.state.putEvaluation({ ...evaluation, ...text, updatedAt: minutesAgo(2) });
    expect(await world.export()).toMatchObject({ code: 0, stderr: '1 new\n' });
    expect(await world.lines()).toHaveLength(before + 1);
  });

  it('says why it could not go on', async () => {
    const world = await openExport('feedback');
    const refused = await world.export({ PLATFORM_TOKEN: 'wrong' });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stopped: .*access token/) });
  });
});

describe('list-leaders', () => {
  it('lists every enabled user with main and secondary leaders', async () => {
    const { state } = await open(25);
    await post('/os-api/public-api/v1/leaders', {
      collaboratorIdentification: 'E000001',
      mainLeaderIdentification: 'E000002',
      secondaryLeadersIdentifications: ['E000003', 'E000004'],
    });

    const { code, stdout, stderr } = await run('list-leaders.ts');

    const [header, ...lines] = stdout.trimEnd().split('\n');
    const enabled = [...state.users.values()].filter((user) => user.enabled).map((user) => user.identification);
    expect({ code, stderr, header }).toEqual({ code: 0, stderr: '', header: 'identification,main,secondary' });
    expect(lines.map((line) => line.split(',')[0]).toSorted()).toEqual(enabled.toSorted());
    expect(lines).toContain('E000001,E000002,E000003 E000004');
  });

  it('never ends well when it did not see everybody', async () => {
    const { setFaults } = await open(25);
    setFaults([parseFault('search:total-off=3')]);

    expect(await run('list-leaders.ts')).toMatchObject({ code: 1, stderr: expect.stringContaining('not complete: ') });
  });
});

describe('load-goals', () => {
  it('creates the goals of a file, and updates them when it runs again', async () => {
    await open(3);
    const file = join(examples, 'goals.csv');

    expect(await run('load-goals.ts', [file])).toMatchObject({ code: 0, stdout: '2 created, 0 updated, 0 failed\n' });
    expect(await run('load-goals.ts', [file])).toMatchObject({ code: 0, stdout: '0 created, 2 updated, 0 failed\n' });
  });

  it('tells the goals that were refused, and loads the others', async () => {
    await open(3);
    const file = join(await temporaryFolder(), 'goals.csv');
    const header = 'code,title,description,type,weighting,assignment,assignedTo,locale';
    const rows = [
      'G1,Ship,,TEAM,1,SHARED,E000001,en',
      'G2,Ship,,TEAM,-1,SHARED,E000001,en',
      'G3,Ship,,TEAM,1,SHARED,X,en',
    ];
    await writeFile(file, [header, ...rows, ''].join('\n'));

    const { code, stdout, stderr } = await run('load-goals.ts', [file]);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '1 created, 0 updated, 2 failed\n' });
    expect(stderr).toMatch(/goal 2: .*weighting/);
    expect(stderr).toMatch(/goal 3: .*404/);
  });
});

describe('rotate-tokens', () => {
  it('goes on with the tokens that the run before kept', async () => {
    const { state, applicationToken, refreshToken } = await open(3);
    const file = join(await temporaryFolder(), 'tokens.json');
    const key = { APPLICATION_TOKEN: applicationToken, TOKEN_KEY: Buffer.alloc(32, 7).toString('base64') };

    const first = await run('rotate-tokens.ts', [file], { ...key, REFRESH_TOKEN: refreshToken });
    const second = await run('rotate-tokens.ts', [file, 'E000002'], key);

    expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/^3 of 3\ntokens: ready/) });
    expect(first.stdout.split('\n')).toHaveLength(4);
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^E000002 [^\n]+\n$/) });
    expect(state.refreshes.map(({ outcome, times }) => `${outcome} ${times}`)).toEqual(['granted 1']);
  });

  it('says what to do when the platform refuses the refresh token', async () => {
    const { applicationToken } = await open(1);
    const env = { APPLICATION_TOKEN: applicationToken, TOKEN_KEY: Buffer.alloc(32, 7).toString('base64') };
    const file = join(await temporaryFolder(), 'tokens.json');

    const refused = await run('rotate-tokens.ts', [file], { ...env, REFRESH_TOKEN: 'wrong' });

    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^REAUTH_REQUIRED: .*tokens\.refreshToken/),
    });
  });
});

describe('upload-people', () => {
  it('sends what comes in, and waits for the end', async () => {
    const { state } = await open(3);
    const input = 'command,identification,firstName,lastName\nU,E000001,Zoë,Pérez\n';

    const done = await run('upload-people.ts', ['people.csv'], {}, { input });
    const failed = await run('upload-people.ts', ['people.csv'], {}, { input: input.replace('E000001', 'X') });
    const full = await run('upload-people.ts', ['people.csv'], {}, { input: 'identification\nE000001\n' });

    expect(done).toMatchObject({
      code: 0,
      stdout: 'Processed\n',
      stderr: expect.stringMatching(/^file 1 of 2026-05-20/),
    });
    expect(state.users.get('E000001')?.fields).toMatchObject({ firstName: 'Zoë', lastName: 'Pérez' });
    expect(failed).toMatchObject({ code: 1, stdout: 'Failed\n' });
    expect(full).toMatchObject({ code: 2, stderr: expect.stringContaining('"command"') });
    expect(state.files.size).toBe(2);
  });
});

it.each(all)('%s says how it is used, and the first one does so from the sources', async (name) => {
  const use = name === all[0] ? useSources : useBundle;
  const { code, stderr } = await run(name, [], { PLATFORM_URL: '' }, { use });

  expect(code).toBe(2);
  expect(stderr).toMatch(/^usage: /);
});
