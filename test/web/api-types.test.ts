import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderApiTypes } from '../../scripts/web/generate-api-types.ts';
import { describeApi } from '../../src/server/open-api.ts';

it('the types of the page are those of the API; run `npm run docs` when they are not', async () => {
  const written = await readFile(join(import.meta.dirname, '../../src/web/api/schema.ts'), 'utf8');
  expect(written).toBe(renderApiTypes(describeApi('')));
});
