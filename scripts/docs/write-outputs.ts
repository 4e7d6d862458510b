import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { executePage } from './execute-page.ts';
import { executedPages } from './executed-pages.ts';

// npm run docs:tutorial [-- PAGE…]: runs the commands of the pages and writes what they print now.

const root = join(import.meta.dirname, '../..');
const asked = process.argv.slice(2);
for (const path of asked.length > 0 ? asked : await executedPages(root)) {
  const page = await readFile(join(root, path), 'utf8');
  const written = await executePage(page);
  if (written !== page) await writeFile(join(root, path), written);
  process.stdout.write(`${path}: ${written === page ? 'unchanged' : 'written'}\n`);
}
