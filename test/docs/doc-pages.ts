import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface DocPage {
  readonly path: string;
  readonly text: string;
}

/** Every page that a reader of the project may open. */
export async function readDocPages(): Promise<readonly DocPage[]> {
  const paths = globSync(['*.md', 'docs/**/*.md', 'examples/*.md', 'helm/rollcall/README.md'], { cwd: root }).sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}
