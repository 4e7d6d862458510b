import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slowly } from '../support/slowness.ts';
import { useConnectedShells } from './test-shell.ts';

const openConnectedShell = useConnectedShells();

it('a running deployment shows what it did, by sync, operation and outcome, and names nobody', async () => {
  const shell = await openConnectedShell(['ana,Ana,Finance', 'bea,Bea,Legal']);
  await appendFile(join(shell.folder, 'rollcall.yaml'), 'server: { metrics: open }\n');
  const looks: Promise<string>[] = [];
  const look = async (url: string): Promise<string> => {
    await shell.run(['resync', 'people']);
    const until = Date.now() + slowly(15_000);
    for (;;) {
      const answer = await fetch(`${url}/metrics`);
      const text = await answer.text();
      expect(answer.headers.get('content-type')).toContain('text/plain');
      if (/rollcall_runs_total\{sync="people",outcome="succeeded"\} 1/.test(text) || Date.now() > until) return text;
    }
  };
  const finished = await shell.run(['start', '--json', '--port', '0'], {
    onStdout: (text, stop) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (url !== undefined && looks.length === 0) looks.push(look(url).finally(stop));
    },
  });
  expect(finished.code).toBe(0);
  const [text = ''] = await Promise.all(looks);
  expect(text).toContain('rollcall_runs_total{sync="people",outcome="succeeded"} 1');
  expect(text).toContain('rollcall_changes_total{sync="people",kind="create",result="applied"} 2');
  expect(text).toMatch(
    /rollcall_requests_total\{connection="[\w-]+",operation="GET \/[^"]+",purpose="scan",status="200"\} \d+/,
  );
  expect(text).toMatch(/rollcall_freshness_seconds\{sync="people"\} \d/);
  expect(text).not.toMatch(/\bana\b|Finance/i);
});
