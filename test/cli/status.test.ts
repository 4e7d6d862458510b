import { expect, test } from 'vitest';
import { useConnectedShells, writePeople } from './test-shell.ts';

const openConnectedShell = useConnectedShells();
const eight = Array.from({ length: 8 }, (_, i) => `${200 + i},Person,Support,active`);

test('status says how runs go, what waits, and the commands that show it', async () => {
  const shell = await openConnectedShell(eight);
  expect((await shell.run(['status'])).stdout).toMatch(/people +never ran +idle +– +never +manual/);
  await shell.run(['apply', 'people']);
  await writePeople(
    shell,
    eight.map((person) => person.replace('active', 'terminated')),
  );
  await shell.run(['apply', 'people']);
  const { stdout, code } = await shell.run(['status']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/people +succeeding +needs approval +8 changes/);
  expect(stdout).toContain('rollcall holds --sync people');
  const { syncs } = (await shell.run(['status', '--json'])).json<{ syncs: object[] }>();
  expect(syncs).toMatchObject([
    { sync: 'people', health: { state: 'succeeding' }, state: 'needs-approval', holds: { changes: 8, reads: 0 } },
  ]);

  await writePeople(shell, ['200,Person', 'x']);
  const { run } = (await shell.run(['apply', 'people', '--json'])).json<{ run: string }>();
  const failing = await shell.run(['status']);
  expect(failing.stdout).toMatch(/people +failing \(1×, since /);
  expect(failing.stdout).toContain(`rollcall show ${run}`);
});
