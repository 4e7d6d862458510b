import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { executePage } from './execute-page.ts';
import { executedPages } from './executed-pages.ts';

// npm run docs:tutorial [-- PAGE…]: runs the commands of the pages and writes what they print now.

const root = join(import.meta.dirname, '../..');
const asked = process.argv.slice(2);
// Commands wait for the platform and for the rate limit, so several pages take less time together.
const queue = new PQueue({ concurrency: 4 });
const write = async (path: string): Promise<void> => {
  const page = await readFile(join(root, path), 'utf8');
  const written = await executePage(page);
  if (written !== page) await writeFile(join(root, path), written);
  process.stdout.write(`${path}: ${written === page ? 'unchanged' : 'written'}\n`);
};
await Promise.all((asked.length > 0 ? asked : await executedPages(root)).map((path) => queue.add(() => write(path))));
