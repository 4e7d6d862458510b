import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './doc-pages.ts';

async function sources(): Promise<string> {
  const texts: string[] = [];
  for await (const path of glob('src/{main,work,drivers,core,watch}/**/*.ts', { cwd: root })) {
    texts.push(await readFile(join(root, path), 'utf8'));
  }
  return texts.join('\n');
}

test('the pages quote log texts that the program has', async () => {
  const operations = await readFile(join(root, 'docs/operations.md'), 'utf8');
  const kubernetes = await readFile(join(root, 'docs/kubernetes.md'), 'utf8');
  const [line = ''] = /^- In the logs: .*$/m.exec(operations) ?? [];
  const quoted = [
    ...[...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    ...[...kubernetes.matchAll(/`CONFLICT … ([^`]+)`/g)].map(([, text = '']) => text),
  ];
  expect(quoted.length).toBeGreaterThan(4);
  const program = await sources();
  expect(quoted.filter((text) => !program.includes(text))).toEqual([]);
});
