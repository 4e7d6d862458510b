import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useConnectedShells, writePeople } from '../cli/test-shell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const openConnectedShell = useConnectedShells();
const eight = Array.from({ length: 8 }, (_, i) => `${200 + i},Person,Support,active`);

/** The program that the image puts on the PATH, with the path of this source in place of the built one. */
async function programOfImage(): Promise<string> {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  const [, text = '', target = ''] = /printf '([^']+)' > (\/usr\/local\/bin\/rollcall)/.exec(dockerfile) ?? [];
  expect(target).toBe('/usr/local/bin/rollcall');
  expect(dockerfile).toContain(`chmod 755 ${target}`);
  const folder = await temporaryFolder();
  const script = text.replaceAll('\\n', '\n').replace('/app/dist/src/main/cli.js', resolve('src/main/cli.ts'));
  await writeFile(join(folder, 'rollcall'), script);
  await chmod(join(folder, 'rollcall'), 0o755);
  return folder;
}

test('the documented commands of kubectl exec find the program and its configuration, and the audit tells who decided', async () => {
  const shell = await openConnectedShell(eight);
  await shell.run(['apply', 'people']);
  await writePeople(
    shell,
    eight.map((person) => person.replace('active', 'terminated')),
  );
  const { id: run } = (await shell.run(['apply', 'people', '--json'])).json<{ id: string }>();
  const text = await readFile('docs/kubernetes.md', 'utf8');
  const documented = [...text.matchAll(/^kubectl exec (.*)-- rollcall (approve .*?)(?: +#.*)?$/gm)];
  const unattended = documented.filter(([, options]) => !options?.includes('-it')).map(([, , words]) => words ?? '');
  const bin = await programOfImage();
  // As kubectl exec: no terminal, the environment of the container, another folder, no --config.
  const inPod = async (line: string) => {
    const child = spawn('sh', ['-c', `rollcall ${line}`], {
      cwd: bin,
      env: {
        PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
        ROLLCALL_CONFIG: join(shell.folder, 'rollcall.yaml'),
        ROLLCALL_ACCESS_TOKEN: shell.sandbox.accessToken,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    const [code] = await once(child, 'close');
    return { code, stdout };
  };

  expect(documented.length).toBeGreaterThan(unattended.length);
  for (const [, options, words] of documented) {
    expect(words, 'login names in a pod are all the same').toContain('--as ');
    expect(options?.includes('-it') || words?.includes('--yes'), 'without a terminal a person cannot confirm').toBe(
      true,
    );
  }
  expect(unattended).toHaveLength(1);
  expect(await inPod((unattended[0] ?? '').replace('RUN', run))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('approved 8 changes'),
  });
  const { entries } = (await shell.run(['audit', '--run', run, '--json'])).json<{ entries: { by: string }[] }>();
  expect(entries).toMatchObject([{ as: 'ana', action: 'approve', reason: 'ticket 4711' }]);
  expect(entries[0]?.by).not.toBe('ana');
});
