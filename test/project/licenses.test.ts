import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readProductionPackages } from '../../scripts/licenses/packages.ts';
import { refuseLicenses } from '../../scripts/licenses/policy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('docs/licenses.md lists the production packages', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/licenses.md'), 'utf8');
  expect(page).toMatch(/\| fastify \| [\d.]+ \| MIT \|/);
  expect(page).not.toContain('| vitest |');
});

/** A project with one production package for each manifest, and one development package with a copyleft license. */
async function projectWith(manifests: Readonly<Record<string, object>>): Promise<string> {
  const root = await temporaryFolder();
  const packages: Record<string, object> = {
    '': {},
    'node_modules/tool': { version: '1.0.0', dev: true, license: 'GPL-3.0' },
  };
  for (const [name, manifest] of Object.entries(manifests)) {
    packages[`node_modules/${name}`] = { version: '1.0.0' };
    await mkdir(join(root, 'node_modules', name), { recursive: true });
    await writeFile(join(root, 'node_modules', name, 'package.json'), JSON.stringify(manifest));
  }
  await writeFile(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  return root;
}

it('accepts permissive licenses in every form, a choice with one of them, and any license of a development package', async () => {
  const packages = await readProductionPackages(
    await projectWith({
      text: { license: 'MIT' },
      object: { license: { type: 'ISC' } },
      list: { licenses: [{ type: 'GPL-2.0' }, { type: 'MIT' }] },
      choice: { license: '(Apache-2.0 OR GPL-3.0-only)' },
      sum: { license: 'MIT AND BSD-3-Clause' },
    }),
  );
  expect(packages).toHaveLength(5);
  expect(() => refuseLicenses(packages)).not.toThrow();
});

it.each([
  ['copyleft', { license: 'AGPL-3.0-only' }, 'AGPL-3.0-only'],
  ['a sum with copyleft', { license: '(MIT AND LGPL-3.0-or-later)' }, 'LGPL-3.0-or-later'],
  ['none', {}, 'states no license'],
  ['unknown', { license: 'SEE LICENSE IN LICENSE.txt' }, 'SEE LICENSE'],
  ['an expression that is not understood', { license: '(MIT OR ISC) AND (GPL-2.0 OR X)' }, 'GPL-2.0'],
])('refuses a production package whose license is %s, by name', async (_, manifest, words) => {
  const packages = await readProductionPackages(
    await projectWith({ '@acme/part': manifest, fine: { license: 'MIT' } }),
  );
  expect(() => refuseLicenses(packages)).toThrow('\n  @acme/part@1.0.0: ');
  expect(() => refuseLicenses(packages)).toThrow(words);
  expect(() => refuseLicenses(packages)).not.toThrow('fine@');
});
