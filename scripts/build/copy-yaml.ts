import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

// The compiler copies no files that are not code: starters, presets and the template of `rollcall init`.
for (const path of globSync('src/**/*.yaml', { cwd: root })) cpSync(join(root, path), join(root, 'dist', path));
