import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './bundle.ts';

const dist = join(root, 'dist');
// What an older build left would be packed too.
for (const name of ['parts', 'src']) rmSync(join(dist, name), { recursive: true, force: true });

// Threads are programs of their own, in the place where the compiler would put them.
await bundle({
  programs: {
    'src/main/cli': 'src/main/cli.ts',
    'src/config/expression-worker': 'src/config/expression-worker.ts',
    'src/drivers/sql/sqlite-thread': 'src/drivers/sql/sqlite-thread.ts',
  },
  folder: dist,
  data: 'in folder',
  hasSourceMaps: !process.argv.includes('--no-source-maps'),
});
// The bundler copies no files that are not code: starters, presets, the template of `rollcall init`, parts of a page.
for (const path of globSync(['src/**/*.yaml', 'src/sandbox/docs/*.{css,js}'], { cwd: root }))
  cpSync(join(root, path), join(dist, path));
