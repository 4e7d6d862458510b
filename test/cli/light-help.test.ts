import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

it('loads neither use cases nor a store, a source or a platform for the help', async () => {
  const folder = await temporaryFolder();
  const program = join(import.meta.dirname, '../../src/main/cli.ts');
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'], { env });
  expect(stdout).toContain('Every day:');
  const loaded = new Set<string>();
  for (const file of await readdir(folder)) {
    const { result }: Coverage = JSON.parse(await readFile(join(folder, file), 'utf8'));
    for (const { url } of result) loaded.add(/\/src\/(\w+)\//.exec(url)?.[1] ?? '');
  }
  for (const room of ['app', 'delivery', 'run', 'sandbox', 'server', 'sources', 'store', 'views'])
    expect([...loaded]).not.toContain(room);
});
