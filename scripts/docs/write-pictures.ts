import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drawPictures } from './pictures.ts';

// npm run docs:pictures: the pictures of docs/pictures, from what the commands print now.

const folder = join(import.meta.dirname, '../../docs/pictures');
for (const [name, picture] of await drawPictures()) await writeFile(join(folder, name), picture);
