import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vitepress';
import { prepareSite } from './prepare.ts';

// npm run docs:build: the site into dist-site/pages. It loads nothing from another host, and needs no server but one for files.

const root = join(import.meta.dirname, '..');
await prepareSite(root, join(root, 'dist-site/source'));
await rm(join(root, 'dist-site/pages'), { recursive: true, force: true });
await build(import.meta.dirname);
