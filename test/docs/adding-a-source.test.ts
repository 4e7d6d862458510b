import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { renderSourceReference } from '../../scripts/docs/source-reference.ts';
import { createExpressions } from '../../src/config/expressions.ts';
import { initTemplate } from '../../src/config/init-template.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { SourceKind, SourceKinds } from '../../src/ports/source.ts';
import { type SourceCase, sourceContract } from '../contracts/source.ts';

// The page is followed literally, in a folder that looks like the project: its own files are the page's, all others are ours.

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = await readFile(join(root, 'docs/adding-a-source.md'), 'utf8');
const files = [...page.matchAll(/^```(?:ts\n\/\/|yaml\n#) (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, path = '', text = '']) => ({
    path,
    text,
  }),
);

await mkdir(join(root, '.rollcall'), { recursive: true });
const folder = await mkdtemp(join(root, '.rollcall/adding-a-source-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

for (const { path, text } of files) await write(path, text);
for (const ours of ['src', 'src/sources', 'test', 'test/sources', 'test/fakes/hris']) {
  for (const name of await readdir(join(root, ours))) await link(join(ours, name));
}
await write('src/sources/kinds.ts', kindsWith(await readFile(join(root, 'src/sources/kinds.ts'), 'utf8')));
await write('src/sources/registry.ts', await readFile(join(root, 'src/sources/registry.ts'), 'utf8'));
await write(
  'tsconfig.json',
  JSON.stringify({
    extends: '../../tsconfig.json',
    include: files.map(({ path }) => path).filter((path) => path.endsWith('.ts')),
  }),
);

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Our file or folder of that name, unless the page, or a deeper link, has one. */
async function link(path: string): Promise<void> {
  const isTaken = [
    'src/sources',
    'test/sources',
    'test/fakes',
    'src/sources/kinds.ts',
    'src/sources/registry.ts',
  ].includes(path);
  if (isTaken || files.some((file) => file.path === path || file.path.startsWith(`${path}/`))) return;
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await symlink(relative(dirname(join(folder, path)), join(root, path)), join(folder, path));
}

/** The table of kinds with the line that the page says. */
function kindsWith(table: string): string {
  const [line = 'no line on the page'] = /^ {2}\['orchard', .*\],$/m.exec(page) ?? [];
  return table.replace(/^\]\);$/m, `${line}\n]);`);
}

const importFrom = async <Exports>(path: string): Promise<Exports> =>
  (await import(/* @vite-ignore */ join(folder, path))) as Exports;
const { orchardCase } = await importFrom<{ orchardCase: SourceCase }>('test/sources/orchard/under-test.ts');
const { sourceKinds } = await importFrom<{ sourceKinds: readonly SourceKind[] }>('src/sources/registry.ts');
const { knownKinds } = await importFrom<{ knownKinds: SourceKinds }>('src/sources/kinds.ts');

sourceContract(orchardCase);

test('the page has the whole kind, and it is registered', () => {
  expect(files.map(({ path }) => path.split('/')[0])).toEqual(expect.arrayContaining(['src', 'test']));
  expect(globSync('src/sources/orchard/*', { cwd: folder }).length).toBeGreaterThan(3);
  expect(sourceKinds.map(({ kind }) => kind)).toContain('orchard');
});

test('the code of the page compiles', async () => {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const run = promisify(execFile)(tsc, ['--noEmit', '-p', folder], { cwd: root });
  const said = await run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );

  expect(said.split('\n').filter((line) => line.includes('adding-a-source-') || line.startsWith('error'))).toEqual([]);
});

test('what it begins with loads, and its keys are in the reference', async () => {
  const { config, instructions } = initTemplate(sourceKinds, 'orchard');
  await write('rollcall.yaml', config);
  const env = { ROLLCALL_ACCESS_TOKEN: 'abc', ORCHARD_TOKEN: 'def' };

  const { syncs } = await loadConfig(join(folder, 'rollcall.yaml'), {
    env,
    sourceKinds: knownKinds,
    expressions: createExpressions(),
  });

  expect(syncs.people?.source.kind).toBe('orchard');
  expect(instructions).toContain('ORCHARD_TOKEN');
  expect(renderSourceReference(sourceKinds)).toMatch(
    /## `orchard`: [\s\S]*- `token` \(text, required\)\. An API token /,
  );
});
