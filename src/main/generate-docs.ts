import { writeFile } from 'node:fs/promises';
import { renderCliReference } from '../cli/render-reference.ts';
import { renderJsonSchema } from '../config/json-schema.ts';
import { renderConfigReference } from '../config/reference.ts';

/** Files that are generated, and from what: `npm run docs` writes them, tests compare them. */
const generated: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': renderConfigReference,
  'docs/cli.md': () => renderCliReference([]),
  'schema/rollcall.schema.json': renderJsonSchema,
};

const root = new URL('../../', import.meta.url);
for (const [path, render] of Object.entries(generated)) await writeFile(new URL(path, root), render());
