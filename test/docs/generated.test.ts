import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generated } from '../../scripts/docs/generated.ts';

const root = new URL('../../', import.meta.url);

/** What the contract suite sees of the sandbox is compared where the suite runs: test/platform/api. */
const compared = Object.entries(generated).filter(([path]) => path !== 'docs/platform-api-coverage.md');

test.each(compared)('%s is up to date; write it with `npm run docs` when it is not', async (path, render) => {
  expect(await readFile(new URL(path, root), 'utf8')).toBe(await render());
});
