import { writeFile } from 'node:fs/promises';
import { generated } from './docs/generated.ts';

const root = new URL('../', import.meta.url);

for (const [path, render] of Object.entries(generated)) await writeFile(new URL(path, root), await render());
