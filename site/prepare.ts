import { globSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { withDiagrams } from './diagrams.ts';

/** Pages outside of docs/, and their names in the site. */
const otherPages: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'examples/README.md': 'examples.md',
  'helm/rollcall/README.md': 'helm-chart.md',
  // The front page of the project is that of the site.
  'README.md': 'index.md',
};

/**
 * Copies the documentation of `root` into `target`, as VitePress wants it: `README.md` is `index.md`, pages from outside of docs/ are
 * inside, links follow, and links to code become text, because the site has no address of the code.
 */
export async function prepareSite(root: string, target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  const docs = globSync('docs/**/*.md', { cwd: root });
  const places = new Map([
    ...Object.entries(otherPages),
    ...docs.map((path): [string, string] => [path, path.slice('docs/'.length).replace(/README\.md$/, 'index.md')]),
  ]);
  const pages = [...docs, ...Object.keys(otherPages).filter((path) => path !== 'README.md')];
  for (const path of pages) {
    const text = await readFile(join(root, path), 'utf8');
    const place = join(target, places.get(path) ?? path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, withDiagrams(withLinks(text, path, places)));
  }
  for (const folder of ['pictures', 'screenshots']) {
    await cp(join(root, 'docs', folder), join(target, folder), { recursive: true });
  }
}

/** Rewrites the links of a page to where their targets are in the site. Code is left as it is. */
function withLinks(text: string, path: string, places: ReadonlyMap<string, string>): string {
  const here = dirname(places.get(path) ?? path);
  const outsideCode =
    /(^ *(`{3,4})[\s\S]*?^ *\2$)|(`[^`\n]+`(?!\]))|(?<!!)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|\{\{/gm;
  return text.replace(outsideCode, (whole: string, ...groups: readonly (string | undefined)[]) => {
    // Two braces begin an expression of the site's templates.
    if (whole === '{{') return '&#123;&#123;';
    const [block, , code, words = '', link = ''] = groups;
    if (block !== undefined || code !== undefined || /^([a-z]+:|#)/.test(link)) return whole;
    const [file = '', anchor] = link.split('#');
    const goal = places.get(normalize(join(dirname(path), file)));
    if (goal === undefined) return words;
    const way = relative(here, goal);
    return `[${words}](${way.startsWith('.') ? way : `./${way}`}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}
