import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '../..');
const outputFolder = join(root, 'dist/web');

/** Everything that decides how the built page looks. */
const inputs = ['src/web/**/*', 'src/core/run/formats.ts', 'scripts/web/*', 'package-lock.json'];

/** Builds the page into dist/web. Does nothing when it was built after the last change of its sources. */
async function buildPage({ isForced = false } = {}): Promise<void> {
  if (!isForced && isBuilt()) return;
  const newFolder = join(root, `dist/web-${process.pid}`);
  await build({
    root: join(root, 'src/web'),
    // Without a configuration file: a tool that searches for one writes beside the packages.
    configFile: false,
    envDir: false,
    publicDir: join(root, 'src/web/public'),
    logLevel: 'warn',
    build: {
      outDir: newFolder,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      // These know light-dark() and popovers.
      cssTarget: ['chrome123', 'firefox125', 'safari17.5'],
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        onwarn: (warning, warn) => {
          // React Query marks its files for servers that render React.
          if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
        },
      },
    },
  });
  replaceFiles(newFolder);
}

/** Replaces the built page file by file, the document last: a server that starts meanwhile finds a whole page. */
function replaceFiles(newFolder: string): void {
  const files = [...filesIn(newFolder)].sort((a, b) => Number(a === 'index.html') - Number(b === 'index.html'));
  for (const file of files) {
    mkdirSync(dirname(join(outputFolder, file)), { recursive: true });
    renameSync(join(newFolder, file), join(outputFolder, file));
  }
  for (const file of filesIn(outputFolder)) if (!files.includes(file)) rmSync(join(outputFolder, file));
  rmSync(newFolder, { recursive: true });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

function isBuilt(): boolean {
  const builtAt = changedAt(join(outputFolder, 'index.html'));
  const sources = globSync(inputs, { cwd: root }).map((path) => changedAt(join(root, path)));
  return builtAt > Math.max(...sources);
}

/** Returns 0 for a file that does not exist. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === import.meta.filename) {
  // React has another, much larger build for every other value.
  process.env.NODE_ENV = 'production';
  await buildPage({ isForced: process.argv.includes('--force') });
}
