import { readFile, writeFile } from 'node:fs/promises';
import { sourceKinds } from '../../src/sources/registry.ts';
import { collectCases, renderSourceTables, withSourceTables } from './source-table.ts';

// Writes the tables of docs/sources/README.md: `npm run docs`.
const page = new URL('../../docs/sources/README.md', import.meta.url);
const tables = renderSourceTables(sourceKinds, await collectCases());
await writeFile(page, withSourceTables(await readFile(page, 'utf8'), tables));
