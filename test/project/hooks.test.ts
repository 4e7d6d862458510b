import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyProject } from './project-copy.ts';

const root = join(import.meta.dirname, '../..');

// Three compilations: a busy machine takes its time.
it('npm run hooks lets git refuse a commit that is badly formatted or does not compile', {
  timeout: 300_000,
}, async () => {
  const copy = await copyProject();
  const commit = async (text: string) => {
    await writeFile(join(copy.folder, 'src/core/example.ts'), text);
    await copy.run('git', 'add', 'src/core/example.ts');
    return copy.run('git', 'commit', '--message', 'Example');
  };
  expect(await copy.run('npm', 'run', '--silent', 'hooks')).toMatchObject({ code: 0 });

  const ugly = await commit('export const example = "a"\n');
  const wrong = await commit("export const example: number = 'a';\n");
  const good = await commit("export const example = 'a';\n");

  expect(ugly).toMatchObject({ code: 1, stderr: expect.stringContaining('src/core/example.ts') });
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout + wrong.stderr).toContain('TS2322');
  expect([good.code, good.stderr]).toEqual([0, expect.anything()]);
});

it('no script that npm runs by itself switches the hooks on, and the package does not carry them', async () => {
  const { scripts, files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(scripts.hooks).toContain('.githooks');
  const byItself = ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => scripts[name] ?? '');
  expect(byItself.filter((script) => script.includes('hooks'))).toEqual([]);
  expect(files).not.toContain('.githooks');
});
