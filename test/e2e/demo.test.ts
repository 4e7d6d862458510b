import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestShell } from '../cli/test-shell.ts';

describe('rollcall demo', () => {
  it('runs the sync twice with the real commands, and then serves the page with a hold to decide about', async () => {
    const child = spawn(process.execPath, ['src/main/cli.ts', 'demo', '--page'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill());
    let printed = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      printed += piece;
      if (printed.includes('running: 1 sync')) break;
    }
    expect(printed).toContain('500 users, and an HR file with 520 employees');
    expect(printed).toContain('503 applied');
    expect(printed).toContain('The second plan is empty');
    const link = new URL(/sign in once with (\S+)/.exec(printed)?.[1] ?? '');
    const entry = await fetch(link, { redirect: 'manual' });
    const headers = { cookie: entry.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    const holds = await fetch(new URL('/api/holds', link), { headers });
    expect(await holds.json()).toMatchObject({ holds: [{ sync: 'people', class: 'disables', count: 50 }] });
  });

  it('says the same to a machine', async () => {
    const told = await (await openTestShell()).run(['demo', '--json']);
    expect(told.json()).toMatchObject({
      ok: true,
      firstRun: { outcome: 'partial', isSuccess: true, counts: { create: 17, disable: 4, enable: 1, applied: 503 } },
      secondPlan: { outcome: 'partial', counts: { create: 0, update: 0, enable: 0, disable: 0, remove: 0 } },
      secondRun: { outcome: 'partial', isSuccess: true },
    });
  });
});
