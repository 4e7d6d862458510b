import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../src/main/cli.ts');
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
    const child = spawn(process.execPath, [program, ...words, '--config', config], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return {
      kill: (signal: NodeJS.Signals) => child.kill(signal),
      isOver: () => child.exitCode !== null || child.signalCode !== null,
      said: () => said,
      ended,
      /** While full, every write to a file fails as on a full disk (`EFBIG`). What was written can be read. */
      fillDisk: (isFull: boolean) =>
        promisify(execFile)(prlimit, ['--pid', `${child.pid}`, `--fsize=${isFull ? '1' : 'unlimited'}:`]),
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

async function until(isSo: () => boolean, said: () => string): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error(`it did not come to that: ${said()}`);
    await wait(10);
  }
}

describe.skipIf(!existsSync(prlimit))(
  'a disk that is full when the platform grants a pair',
  { timeout: 180_000 },
  () => {
    const kept = 'a new token pair is kept in memory';

    /** A deployment that has a pair in memory, and cannot store it. */
    async function openFull() {
      const company = await openCompany();
      const { sandbox, start } = company;
      sandbox.setFaults([parseFault('token:slow=1500')]);
      const deployment = start('start');
      await until(() => sandbox.state.requests.token > 0, deployment.said);
      await deployment.fillDisk(true);
      await until(() => deployment.said().includes(kept) || deployment.isOver(), deployment.said);
      expect(deployment.said()).toContain(kept);
      expect(await company.isStored()).toBe(false);
      sandbox.setFaults([]);
      return { ...company, deployment };
    }

    /** A later process works with the stored pair, and presents its token, not the first one. */
    async function expectGoingOn({ sandbox, start, isStored }: Awaited<ReturnType<typeof openCompany>>): Promise<void> {
      expect(await isStored()).toBe(true);
      const next = start('token', 'refresh', 'acme');
      expect(await next.ended, next.said()).toBe(0);
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
      await until(() => deployment.said().includes('the kept token pair is stored'), deployment.said);
      deployment.kill('SIGTERM');
      await deployment.ended;
      await expectGoingOn(company);
    });

    it('does not lose the pair of a process that is asked to stop, when there is room before its last try', async () => {
      const company = await openFull();
      const { deployment } = company;
      deployment.kill('SIGTERM');
      // The last try begins at once; a process without a pair to store would be over by then.
      await wait(2000);
      expect(deployment.isOver(), deployment.said()).toBe(false);
      await deployment.fillDisk(false);
      await deployment.ended;
      expect(deployment.said()).not.toContain('is lost');
      await expectGoingOn(company);
    });
  },
);
