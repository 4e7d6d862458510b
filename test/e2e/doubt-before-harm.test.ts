import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openTestShell } from '../cli/test-shell.ts';
import { plainMapping } from '../support/office.ts';

interface Employee {
  readonly id: string;
  status: string;
  /** Whether the list shows the person. */
  isListed: boolean;
}

/** An HR system with a list of all people and a lookup by id, of which a test decides the status. */
async function startHr(count: number) {
  const people = Array.from(
    { length: count },
    (_, i): Employee => ({ id: `E${i + 1}`, status: 'active', isListed: true }),
  );
  const hr = { people, lookupStatus: 200, asked: [] as string[] };
  const shape = ({ id, status }: Employee) => ({ id, first: 'Ana', last: 'Doe', mail: `${id}@example.com`, status });
  const server = createServer((request, response) => {
    const id = /^\/people\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) hr.asked.push(id);
    const person = people.find((one) => one.id === id);
    const status = id === undefined ? 200 : hr.lookupStatus === 200 && person === undefined ? 404 : hr.lookupStatus;
    const found = id === undefined ? people.filter(({ isListed }) => isListed).map(shape) : person && shape(person);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? (id === undefined ? { people: found } : found) : {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { ...hr, hr, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openPlace(sync: Readonly<Record<string, unknown>>) {
  const sandbox = await startSandbox({ now: () => Date.now(), processingMs: 10 });
  onTestFinished(() => sandbox.close());
  const { folder, run } = await openTestShell();
  const configure = async (more: Readonly<Record<string, unknown>> = {}) => {
    const people = {
      connection: 'acme',
      policy: 'sync',
      mapping: plainMapping,
      lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
      missing: { afterReads: 1, minAge: '0s' },
      settle: { every: '50ms' },
      ...sync,
      ...more,
    };
    const connections = { acme: { baseUrl: sandbox.url, accessToken: sandbox.accessToken } };
    await writeFile(join(folder, 'rollcall.yaml'), JSON.stringify({ connections, syncs: { people } }));
  };
  await configure();
  const json = async (...words: string[]) => {
    const { code, stdout } = await run([...words, '--json']);
    return { code, said: JSON.parse(stdout) };
  };
  const enabled = () => [...sandbox.state.users.values()].filter((user) => user.enabled).length;
  return { sandbox, folder, run, json, configure, enabled };
}

const codes = (findings: readonly { readonly code: string }[]) => findings.map(({ code }) => code);

describe('a person whom the list of the HR system lacks', () => {
  it('is asked for by id before the account is disabled, and why says what the answer was', async () => {
    const { hr, people, url } = await startHr(12);
    const source = {
      kind: 'rest',
      baseUrl: url,
      auth: { kind: 'none' },
      path: '/people',
      items: 'people',
      key: 'id',
      paging: { style: 'none' },
      point: { id: { path: '/people/{value}' } },
    };
    const { json, run, enabled } = await openPlace({ source });
    const [ana, ben] = people as [Employee, Employee];
    expect((await run(['apply', 'people'])).code).toBe(0);
    ana.isListed = false;

    const found = await json('apply', 'people');
    expect([found.code, codes(found.said.findings)]).toEqual([0, ['missing-found']]);
    expect((await run(['why', 'people', 'E1'])).stdout).toContain('found by a lookup by id');
    hr.lookupStatus = 400;
    const unclear = await json('apply', 'people');
    expect([unclear.code, codes(unclear.said.findings)]).toEqual([0, ['missing-unconfirmed']]);
    const why = await run(['why', 'people', 'E1']);
    expect(why.stdout).toContain('no lookup by id has confirmed it');
    expect(enabled()).toBe(12);

    hr.lookupStatus = 200;
    ana.status = 'left';
    expect((await json('apply', 'people')).said.counts).toMatchObject({ disable: 1, applied: 1 });
    ben.isListed = false;
    hr.lookupStatus = 403;
    const plan = await run(['plan', 'people']);
    expect(plan.stdout).toContain('1 lookup in the HR system');
    expect(plan.stdout).toContain('lookup-refused');
    expect((await json('apply', 'people')).said.counts).toMatchObject({ disable: 1, applied: 1 });
    expect(enabled()).toBe(10);
  });
});
