import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/platform/table/index.ts';
import { type RunningSandbox, startSandbox } from '../../src/sandbox/index.ts';
import { shellIn } from '../cli/test-shell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let sandbox: RunningSandbox;
let folder: string;

// One sandbox and one folder for all: no test undoes what another one needs.
beforeAll(async () => {
  sandbox = await startSandbox({ now: Date.now, users: 120, processingMs: 50 });
  folder = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
  await writeConfig(folder, ['acme']);
});

afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

async function writeConfig(into: string, connections: readonly string[]): Promise<void> {
  const lines = connections.map(
    (name) =>
      `  ${name}: { baseUrl: "${sandbox.url}", accessToken: ${sandbox.accessToken}, limits: { requestsPerSecond: 1000 } }\n`,
  );
  await writeFile(join(into, 'people.csv'), 'id,first,last\nE000001,Ana,Díaz\n');
  const text = `connections:\n${lines.join('')}syncs:
  people:
    connection: ${connections[0]}
    source: { kind: csv, path: ./people.csv }
    policy: upsert-only
    mapping: { identification: id, firstName: first, lastName: last }
`;
  await writeFile(join(into, 'rollcall.yaml'), text);
}

async function rollcall(words: readonly string[], cwd = folder) {
  const ended = await shellIn(cwd).run(words);
  return { ...ended, json: () => JSON.parse(ended.stdout) };
}

describe('rollcall api', () => {
  it('lists every operation without a configuration', async () => {
    const { code, stdout } = await rollcall(['api', '--list'], await temporaryFolder());
    const listed = await rollcall(['api', '--list', '--json'], await temporaryFolder());

    expect(code).toBe(0);
    const callable = operations.filter(({ part }) => part !== 'tokens');
    for (const { verb, part, method, path } of callable) {
      expect(stdout).toContain(`${part} ${verb}`);
      expect(stdout).toContain(`${method} ${path}`);
    }
    expect(listed.json().operations.map(({ id }: { id: string }) => id)).toEqual(callable.map(({ id }) => id));
    expect(stdout).not.toContain('tokens');
  });

  it('shows a page as a table, and one thing as JSON', async () => {
    const page = await rollcall(['api', 'users', 'search', '--size', '3', '--orderBy', 'id', '--enabled', 'false']);
    const one = await rollcall(['api', 'users', 'read', '--identification', 'E000001']);

    expect(page.stdout).toMatch(/^identification +id +firstName/);
    expect(page.stdout).toContain('E000003');
    expect(page.stdout).toContain('3 of 120 shown');
    expect(JSON.parse(one.stdout).result).toMatchObject({ identification: 'E000001', id: 1001 });
  });

  it('asks in another language where the command says so', async () => {
    const read = (...words: string[]) => rollcall(['api', 'goals', 'list', ...words]);
    expect((await read('--accept-language', 'es')).code).toBe(0);
    const wrong = await read('--accept-language', 'es\n');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Accept-Language must be a language')]);
  });

  it('walks a list to its end', async () => {
    const answer = await rollcall(['api', 'users', 'search', '--all', '--enabled', 'false', '--json', '--size', '50']);

    expect(answer.json()).toMatchObject({ connection: 'acme', operation: 'search', status: 200 });
    expect(new Set(answer.json().body.result.map(({ id }: { id: number }) => id)).size).toBe(120);
  });

  it('asks before it writes, and does not write unless it is meant', async () => {
    const refused = await rollcall(['api', 'users', 'delete', '--identification', 'E000002']);
    const still = sandbox.state.users.has('E000002');
    const done = await rollcall(['api', 'users', 'delete', '--identification', 'E000002', '--yes']);

    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
    expect(still).toBe(true);
    expect(done).toMatchObject({ code: 0, stdout: 'done (200)\n' });
    expect(sandbox.state.users.has('E000002')).toBe(false);
  });

  it('takes a body from the command line, from a file, and a CSV file to upload', async () => {
    const user = { identification: 'a/b ñ', firstName: 'Ana', lastName: 'Núñez' };
    const goal = { code: 'G/1', title: 'Ship', weighting: 1, locale: 'en', type: 'TEAM', assignment: 'SHARED' };
    await writeFile(join(folder, 'goal.json'), JSON.stringify({ ...goal, assignedTo: 'a/b ñ' }));
    await writeFile(join(folder, 'file.csv'), 'command,identification,firstName,lastName\nU,a/b ñ,Zoë,Núñez\n');

    const created = await rollcall(['api', 'users', 'create', '--yes', '--json', '--body', JSON.stringify(user)]);
    const put = await rollcall(['api', 'goals', 'create', '--yes', '--body', '@goal.json']);
    const key = ['--code', 'G/1', '--identification', 'a/b ñ'];
    const read = await rollcall(['api', 'goals', 'read', ...key, '--json']);
    const sent = await rollcall(['api', 'provisioning', 'upload', '--file', 'file.csv', '--yes', '--json']);

    expect(created.json()).toMatchObject({ status: 201, body: { userId: expect.any(String) } });
    expect(put).toMatchObject({ code: 0, stdout: 'done (201)\n' });
    expect(read.json().body.result).toMatchObject({ code: 'G/1', assignedTo: 'a/b ñ' });
    expect(sent.json().body.result).toMatchObject({ fileName: 'file.csv', fileStatus: 'Processing' });
  });

  it.each([
    ['a missing path parameter', ['users', 'read'], '--identification'],
    ['an operation that is not there', ['users', 'raed'], 'Did you mean read?'],
    ['a parameter of another kind', ['users', 'search', '--size', 'many'], '--size'],
    ['a value that is not allowed', ['users', 'search', '--orderBy', 'age'], '--orderBy'],
    ['a body that is no JSON', ['users', 'create', '--yes', '--body', '{'], '--body is not valid JSON'],
    ['a body that does not fit', ['users', 'create', '--yes', '--body', '{"firstName":1}'], 'identification'],
    ['a body file that is not there', ['users', 'create', '--yes', '--body', '@none.json'], 'none.json cannot be read'],
    ['--all with a page', ['users', 'search', '--all', '--page', '2'], 'omit --page'],
    ['a connection that is not there', ['roles', 'list', '--connection', 'other'], 'acme'],
    ['the tokens of the store', ['tokens', 'revoke', '--yes'], 'rollcall token refresh'],
    ['a day of another form', ['goals', 'list', '--startDateFrom', '01/02/2026'], 'of the form YYYY-MM-DD'],
    ['a time that is none', ['feedback', 'list', '--creationTimeFrom', 'monday'], 'epoch milliseconds'],
    ['a kind of goal that is none', ['goals', 'list', '--type', 'TEEM'], '--type'],
  ])('refuses %s as wrong usage, and sends nothing', async (_, words, hint) => {
    const before = structuredClone(sandbox.state.requests);
    const { code, stdout, stderr } = await rollcall(['api', ...words]);

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(sandbox.state.requests).toEqual(before);
  });

  it('tells what the platform refused', async () => {
    const { code, stderr } = await rollcall(['api', 'leaders', 'list', '--identification', 'nobody']);
    const dotted = await rollcall(['api', 'users', 'delete', '--identification', '..', '--yes', '--json']);

    expect(code).toBe(1);
    expect(stderr).toContain('answered 404');
    expect(stderr).not.toContain('nobody');
    expect(dotted.json().error.code).toBe('IDENTIFICATION_INVALID');
  });

  it('wants to know which connection, when there are two', async () => {
    const two = await temporaryFolder();
    await writeConfig(two, ['acme', 'globex']);
    const unclear = await rollcall(['api', 'roles', 'list'], two);
    const clear = await rollcall(['api', 'roles', 'list', '--connection', 'globex'], two);

    expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining('acme, globex') });
    expect(clear).toMatchObject({ code: 0, stdout: expect.stringContaining('ROLE_ADMIN') });
  });
});

it('rollcall sandbox --openapi prints the document', async () => {
  const { code, json } = await rollcall(['sandbox', '--openapi']);

  expect(code).toBe(0);
  expect(json()).toMatchObject({ openapi: '3.1.1' });
});
