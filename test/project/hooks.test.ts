import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { slowly } from '../support/slowness.ts';
import { copyProject } from './project-copy.ts';

const root = join(import.meta.dirname, '../..');

// What the hook starts is the subject. So the copy compiles one file, and has one rule of architecture.
const architecture = `import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
it('has no example that is called B', async () => {
  expect(await readFile('src/core/example.ts', 'utf8')).not.toContain("'B'");
});
`;

it('npm run hooks lets git refuse a commit that is badly formatted, does not compile or breaks a rule', {
  timeout: slowly(300_000),
}, async () => {
  const copy = await copyProject();
  onTestFinished(copy.remove);
  const settings = await readFile(join(copy.folder, 'tsconfig.json'), 'utf8');
  const include = '"include": ["src/core/example.ts"]';
  await writeFile(join(copy.folder, 'tsconfig.json'), settings.replace(/"include": \[[^\]]*\]/, include));
  await writeFile(join(copy.folder, 'test/architecture.test.ts'), architecture);
  await copy.run('git', 'commit', '--quiet', '--all', '--message', 'Less to check');
  const commit = async (text: string) => {
    await writeFile(join(copy.folder, 'src/core/example.ts'), text);
    await copy.run('git', 'add', 'src/core/example.ts');
    return copy.run('git', 'commit', '--message', 'Example');
  };
  expect(await copy.run('npm', 'run', '--silent', 'hooks')).toMatchObject({ code: 0 });

  const ugly = await commit('export const example = "a"\n');
  const wrong = await commit("export const example: number = 'a';\n");
  const against = await commit("export const example = 'B';\n");
  const good = await commit("export const example = 'a';\n");

  expect(ugly).toMatchObject({ code: 1, stderr: expect.stringContaining('src/core/example.ts') });
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout + wrong.stderr).toContain('TS2322');
  expect(against.code).not.toBe(0);
  expect(against.stdout + against.stderr).toContain('has no example that is called B');
  expect([good.code, good.stderr]).toEqual([0, expect.anything()]);
});

it('no script that npm runs by itself switches the hooks on, and the package does not carry them', async () => {
  const { scripts, files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(scripts.hooks).toContain('.githooks');
  const byItself = ['preinstall', 'install', 'postinstall', 'prepare'].map((name) => scripts[name] ?? '');
  expect(byItself.filter((script) => script.includes('hooks'))).toEqual([]);
  expect(files).not.toContain('.githooks');
});
