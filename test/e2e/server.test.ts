import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConnectedShell, useConnectedShells } from '../cli/test-shell.ts';
import { ask, operatorToken } from '../server/open-test-server.ts';

const openConnectedShell = useConnectedShells();

interface Started {
  /** Where it listens. */
  readonly url: string;
  stop(): void;
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
}

/** `rollcall start` with a server on any free port, until it is stopped. */
async function start(shell: ConnectedShell, words: readonly string[] = []): Promise<Started> {
  const listening = Promise.withResolvers<{ url: string; stop: () => void }>();
  const ended = shell.run(['start', '--json', ...words], {
    onStdout: (text, stop) => {
      const { url } = JSON.parse(text) as { url?: string };
      listening.resolve({ url: url ?? '', stop });
    },
  });
  ended.then(({ stderr }) => listening.reject(new Error(`ended before it listened: ${stderr}`)));
  return { ...(await listening.promise), ended };
}

async function openServedShell(): Promise<ConnectedShell> {
  const shell = await openConnectedShell(['1,Ana,', '2,Bo,']);
  const server = `server: { port: 0, tokens: [{ name: ops, role: operator, token: ${operatorToken} }] }\n`;
  await appendFile(join(shell.folder, 'rollcall.yaml'), server);
  return shell;
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const endedRun = (url: string, id: string) => async () => {
  const { json } = await ask(`${url}/api/runs/${id}`);
  return json.phase === 'done' ? json : undefined;
};

describe('rollcall start with a server', () => {
  it('says where it listens, does what it is asked over HTTP, and ends cleanly', async () => {
    const shell = await openServedShell();
    const { url, stop, ended } = await start(shell);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const path of ['/healthz', '/readyz', '/startupz']) expect((await ask(url + path)).status, path).toBe(200);

    const { json } = await ask(`${url}/api/syncs/people/runs`, { method: 'POST', body: {} });
    const again = () => ask(`${url}/api/syncs`);
    const lastRun = await until(async () => (await again()).json.syncs[0].lastRun ?? undefined);
    const run = await until(endedRun(url, lastRun.id));
    expect(run).toMatchObject({ trigger: 'manual', outcome: 'succeeded', counts: { create: 2, applied: 2 } });
    expect(json).toMatchObject({ isNew: true, sync: 'people' });

    stop();
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    await expect(ask(`${url}/healthz`)).rejects.toThrow();
    expect(stderr).toContain('request answered');
    expect(stderr).toContain('"signIn":"with a token of server.tokens"');
    expect(stderr).not.toContain(operatorToken);
  });

  it('answers beside a deployment elsewhere when its role is server', async () => {
    const shell = await openServedShell();
    await shell.run(['apply', 'people']);
    const { url, stop, ended } = await start(shell, ['--role', 'server']);
    const { json } = await ask(`${url}/api/runs`);
    expect(json.runs).toMatchObject([{ outcome: 'succeeded' }]);
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    const { status } = await ask(`${url}/api/runs/${json.runs[0].id}/retry`, { method: 'POST' });
    expect(status).toBe(202);
    expect((await ask(`${url}/api/syncs`)).json.syncs).toMatchObject([{ state: 'waiting', waiting: 1 }]);
    stop();
    expect((await ended).code).toBe(0);
  });

  it('tells a person at a terminal where it listens', async () => {
    const shell = await openServedShell();
    const { code, stdout } = await shell.run(['start'], { isTerminal: true, onStdout: (_text, stop) => stop() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^page: http:\/\/127\.0\.0\.1:\d+\n/);
  });

  it('does not begin when its port is taken, and says what to do', async () => {
    const shell = await openServedShell();
    const { url, stop, ended } = await start(shell, ['--role', 'server']);
    const refused = await shell.run(['start', '--role', 'server', '--port', new URL(url).port]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('is in use by another program');
    stop();
    await ended;
  });
});
