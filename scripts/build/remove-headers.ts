import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// After an installation: the package of Node.js has 67 MB of headers for compilers, and no package here is compiled.
const cwd = join(import.meta.dirname, '../../node_modules/node/node_modules');
for (const headers of globSync('*/include', { cwd })) rmSync(join(cwd, headers), { recursive: true });
