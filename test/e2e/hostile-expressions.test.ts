import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { shellIn } from '../cli/test-shell.ts';
import { ask } from '../server/open-test-server.ts';
import { type RollcallProcess, startRollcall } from '../support/rollcall-process.ts';
import { slowly } from '../support/slowness.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const token = 't'.repeat(40);

interface Office {
  readonly folder: string;
  readonly deployment: RollcallProcess;
  readonly url: string;
}

/** A deployment whose mapping has a regular expression of exponential time, and names that trigger it. */
async function openOffice(limits: string): Promise<Office> {
  const folder = await temporaryFolder();
  const { url, accessToken, close } = await startSandbox({ now: Date.now });
  onTestFinished(() => close());
  const evil = `${'a'.repeat(40)}1`;
  const rows = Array.from({ length: 60 }, (_, i) => `E${i},${i % 30 === 7 ? evil : `Ana${i}`},Lopez`);
  await writeFile(join(folder, 'employees.csv'), `${['id,first,last', ...rows].join('\n')}\n`);
  await writeFile(
    join(folder, 'rollcall.yaml'),
    `connections: { acme: { baseUrl: "${url}", accessToken: "${accessToken}" } }
server: { port: 0, tokens: [{ name: ops, role: operator, token: "${token}" }] }
syncs:
  people:
    connection: acme
    policy: sync
    source: { kind: csv, path: ./employees.csv }
    guards: { creates: { absolute: 100 } }
    expressions: ${limits}
    mapping:
      identification: id
      firstName: first
      lastName: last
      job: { expression: "$match(first, /^([A-Za-z]+)*$/) ? 'letters' : 'other'" }
`,
  );
  const deployment = startRollcall(folder, ['start', '--json']);
  const [address] = await deployment.seen(/http:\/\/127\.0\.0\.1:\d+/);
  return { folder, deployment, url: address };
}

/** Resolves as soon as a run is in one of these phases. */
async function inPhase(url: string, phases: readonly string[]): Promise<void> {
  await expect
    .poll(async () => (await ask(`${url}/api/runs`, { token })).json.runs[0]?.phase, {
      timeout: slowly(60_000),
      interval: 100,
    })
    .toBeOneOf(phases);
}

/** Asks for the health of the deployment again and again. Returns the longest answer time (ms). */
async function slowestHealth(url: string, over: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!over.aborted) {
    const began = performance.now();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
    // As a probe asks; a loop without a pause would take the CPU from the deployment.
    await wait(100);
  }
  return slowest;
}

test('names that make an expression hang cost their own cell only, and the deployment answers meanwhile', async () => {
  const { folder, deployment, url } = await openOffice(`{ perRow: ${slowly(500)}ms }`);
  const over = new AbortController();
  const health = slowestHealth(url, over.signal);
  expect(await shellIn(folder).run(['resync', 'people', '--json'])).toMatchObject({ code: 0 });
  await inPhase(url, ['done']);
  over.abort();
  expect(await health).toBeLessThan(slowly(2_000));
  const why = await shellIn(folder).run(['why', 'people', 'E7', '--json']);
  expect(why.stdout).toMatch(/took longer than [\d.]+ s \(expressions\.perRow\)/);
  deployment.child.kill('SIGTERM');
  expect((await deployment.ended).code).toBe(0);
});

test('SIGTERM ends a deployment in the middle of an evaluation that would take minutes', async () => {
  const { folder, deployment, url } = await openOffice('{ perRow: 5m, perRun: 1h }');
  expect(await shellIn(folder).run(['resync', 'people', '--json'])).toMatchObject({ code: 0 });
  await inPhase(url, ['reading']);
  for (let i = 0; i < 20; i += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const began = performance.now();
  deployment.child.kill('SIGTERM');
  expect((await deployment.ended).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(slowly(25_000));
});
