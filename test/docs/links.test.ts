import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, proseOf } from '../../scripts/docs/headings.ts';
import { readDocPages, root } from './doc-pages.ts';

const pages = await readDocPages();

/** Links of a page to places in the project. */
function linksOf(text: string): readonly string[] {
  const prose = proseOf(text).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

async function problemOf(path: string, target: string): Promise<string | undefined> {
  const [file = '', anchor] = target.split('#');
  const place = file === '' ? path : normalize(join(dirname(path), file));
  if (!existsSync(join(root, place))) return `${path}: ${target} does not exist`;
  if (anchor === undefined || !place.endsWith('.md')) return undefined;
  const anchors = anchorsOf(await readFile(join(root, place), 'utf8'));
  return anchors.has(anchor) ? undefined : `${path}: ${place} has no heading #${anchor}`;
}

test('every link of the documentation leads to a file and a heading', async () => {
  const problems = await Promise.all(
    pages.flatMap(({ path, text }) => linksOf(text).map((target) => problemOf(path, target))),
  );

  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test('every page of docs/ is linked from another page', () => {
  const linked = new Set(
    pages.flatMap(({ path, text }) =>
      linksOf(text).map((target) => normalize(join(dirname(path), target.split('#')[0] ?? ''))),
    ),
  );
  const alone = pages.filter(({ path }) => path.startsWith('docs/') && !linked.has(path)).map(({ path }) => path);

  expect(alone.filter((path) => path !== 'docs/README.md' && !path.startsWith('docs/decisions/'))).toEqual([]);
});
