import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);

describe('rollcall demo', () => {
  it('runs the sync twice with the real commands, and the second plan is empty', async () => {
    const { stdout } = await run(process.execPath, ['src/main/cli.ts', 'demo'], { timeout: 110_000 });
    expect(stdout).toContain('500 users, and an HR file with 520 employees');
    expect(stdout).toContain('503 applied');
    expect(stdout).toContain('The second plan is empty');
  });

  it('says the same to a machine', async () => {
    const { stdout } = await run(process.execPath, ['src/main/cli.ts', 'demo', '--json'], { timeout: 110_000 });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      firstRun: { outcome: 'partial', isSuccess: true, counts: { create: 17, disable: 4, enable: 1, applied: 503 } },
      secondPlan: { outcome: 'partial', counts: { create: 0, update: 0, enable: 0, disable: 0, remove: 0 } },
      secondRun: { outcome: 'partial', isSuccess: true },
    });
  });
});
