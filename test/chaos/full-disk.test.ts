import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSeal } from '../../src/platform/tokens/seal.ts';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { isLong } from '../support/drawn.ts';
import { startRollcall } from '../support/rollcall-process.ts';
import { until } from '../support/services/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const encryptionKey = Buffer.alloc(32, 7).toString('base64');
/** Sets limits of a process that runs already (util-linux). */
const prlimit = '/usr/bin/prlimit';

/** A platform whose refresh tokens work once, and the configuration of a deployment that has only its first one. */
async function openCompany() {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({ now: Date.now, people: [], quirks: { strictReuse: true } });
  onTestFinished(() => sandbox.close());
  const config = join(folder, 'rollcall.json');
  await writeFile(join(folder, 'employees.csv'), 'id,first,last\n1,Ana,Paz\n');
  await writeFile(
    config,
    JSON.stringify({
      store: 'sqlite:./rollcall.db',
      encryptionKey,
      connections: {
        acme: {
          baseUrl: sandbox.url,
          applicationToken: sandbox.applicationToken,
          refreshToken: sandbox.refreshToken,
        },
      },
      syncs: {
        people: {
          connection: 'acme',
          source: { kind: 'csv', path: './employees.csv' },
          policy: 'upsert-only',
          mapping: { identification: 'id', firstName: 'first', lastName: 'last' },
        },
      },
    }),
  );
  const start = (...words: readonly string[]) => {
    const running = startRollcall(folder, [...words, '--config', config], process.env);
    return {
      ...running,
      /** While full, every write to a file fails as on a full disk (`EFBIG`). What was written can be read. */
      fillDisk: (isFull: boolean) =>
        promisify(execFile)(prlimit, ['--pid', `${running.child.pid}`, `--fsize=${isFull ? '1' : 'unlimited'}:`]),
    };
  };
  const isStored = async (): Promise<boolean> => {
    const store = await openStore('sqlite:./rollcall.db', { folder, seals: [openSeal(encryptionKey)] });
    try {
      return (await store.tokens.get('acme'))?.state === 'ready';
    } finally {
      await store.close();
    }
  };
  return { sandbox, start, isStored };
}

describe.skipIf(!existsSync(prlimit))('a disk that is full when the platform grants a pair', () => {
  const kept = /a new token pair is kept in memory/;

  /** A deployment that has a pair in memory, and cannot store it. */
  async function openFull() {
    const company = await openCompany();
    const { sandbox, start } = company;
    sandbox.setFaults([parseFault('token:slow=1500')]);
    const deployment = start('start');
    await until(async () => sandbox.state.requests.token > 0, 60_000);
    await deployment.fillDisk(true);
    await deployment.seen(kept);
    expect(await company.isStored()).toBe(false);
    sandbox.setFaults([]);
    return { ...company, deployment };
  }

  /** A later process works with the stored pair, and presents its token, not the first one. */
  async function expectGoingOn({ sandbox, start, isStored }: Awaited<ReturnType<typeof openCompany>>): Promise<void> {
    expect(await isStored()).toBe(true);
    expect(await start('token', 'refresh', 'acme').ended).toMatchObject({ code: 0 });
    expect(sandbox.state.refreshes.map(({ token, outcome }) => [token, outcome])).toEqual([
      [1, 'granted'],
      [2, 'granted'],
    ]);
  }

  // The process tries every minute.
  it.runIf(isLong)('keeps the process trying, and the pair is stored when there is room', async () => {
    const company = await openFull();
    const { deployment } = company;
    await deployment.fillDisk(false);
    await deployment.seen(/the kept token pair is stored/);
    deployment.child.kill('SIGTERM');
    await deployment.ended;
    await expectGoingOn(company);
  });

  it('does not lose the pair of a process that is asked to stop, when there is room before its last try', async () => {
    const company = await openFull();
    const { deployment } = company;
    deployment.child.kill('SIGTERM');
    // The last try begins at once; a process without a pair to store would be over by then.
    await wait(2000);
    expect(deployment.child.exitCode).toBeNull();
    await deployment.fillDisk(false);
    const { stdout, stderr } = await deployment.ended;
    expect(stdout + stderr).not.toContain('is lost');
    await expectGoingOn(company);
  });
});
