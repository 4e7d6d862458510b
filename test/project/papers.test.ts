import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const papers = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** The anchors of a page, as GitHub makes them from its headings. */
async function anchorsOf(path: string): Promise<ReadonlySet<string>> {
  const headings = [...(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

it.each(papers)('every link in %s leads to a file and a heading that exist', async (paper) => {
  for (const [, link = ''] of (await read(paper)).matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? paper : join(dirname(paper), path);
    expect(existsSync(join(root, target)), `${paper} links to ${link}`).toBe(true);
    if (anchor !== undefined) expect([...(await anchorsOf(target))], `${paper} links to ${link}`).toContain(anchor);
  }
});

it('every npm command and file that CONTRIBUTING.md names exists', async () => {
  const { scripts } = JSON.parse(await read('package.json'));
  const text = await read('CONTRIBUTING.md');
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
  expect(named.filter((name) => !(`${name}` in scripts))).toEqual([]);
  const files = [...text.matchAll(/`((?:src|test|docs|scripts|helm|schema|jobs|\.\w+)\/[\w./-]+)`/g)].map(
    ([, path]) => path,
  );
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((path) => !/[A-Z]{3}/.test(`${path}`) && !existsSync(join(root, `${path}`)))).toEqual([]);
});

it('git ignores the packed file, which the README runs', async () => {
  expect(await read('README.md')).toContain('npx --package ./rollcall-*.tgz rollcall');
  expect((await read('.gitignore')).split('\n')).toContain('/rollcall-*.tgz');
});
