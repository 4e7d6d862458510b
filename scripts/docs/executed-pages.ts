import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Pages say in their first lines that their commands are run. */
export const executedMark =
  '<!-- The commands of this page are run by a test, and its outputs are theirs: npm run docs:tutorial -->';

/** Returns the pages of docs/ whose commands are run, sorted. */
export async function executedPages(root: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of glob('docs/**/*.md', { cwd: root })) {
    if ((await readFile(join(root, path), 'utf8')).includes(executedMark)) paths.push(path);
  }
  return paths.sort();
}
