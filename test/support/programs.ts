import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache/programs');

/** What tests start in processes of their own. */
const programs = [
  'src/main/cli.ts',
  'test/chaos/run-and-die.ts',
  'test/chaos/refresh-and-die.ts',
  'test/chaos/use-token.ts',
  'test/contracts/store-worker.ts',
] as const;

/**
 * Packages of many small files, and what the bundler adds. Those with native parts, scripts or instances that others
 * compare stay outside.
 */
const bundled = new Set(['@oxc-project', 'commander', 'kysely', 'ky', 'undici', 'yaml', 'zod']);

/** The code finds its data, threads and package.json beside its own source, wherever it runs. */
const besideItsSource: Plugin = {
  name: 'beside-its-source',
  transform: {
    filter: { code: /import\.meta\./ },
    handler: (code, id) => {
      if (id.includes('/node_modules/')) return null;
      const place = { url: pathToFileURL(id).href, dirname: dirname(id), filename: id };
      return code.replaceAll(/import\.meta\.(url|dirname|filename)/g, (_, key: keyof typeof place) =>
        JSON.stringify(place[key]),
      );
    },
  },
};

/** Returns a program in as few files as possible: half of each short process is loading 1,200 modules. */
export function programOf(source: (typeof programs)[number]): string {
  return join(folder, `${basename(source, '.ts')}.js`);
}

/** Builds the programs, unless they are up to date. */
export async function setup(): Promise<void> {
  const inputs = [
    'src/**/*.ts',
    'jobs/*.ts',
    'test/chaos/*.ts',
    'test/support/**/*.ts',
    'package-lock.json',
    'package.json',
  ];
  const changedAt = Math.max(...globSync(inputs, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs));
  if (programs.every((source) => builtAt(programOf(source)) > changedAt)) return;
  const build = await rolldown({
    cwd: root,
    input: programs.map((source) => join(root, source)),
    platform: 'node',
    plugins: [besideItsSource],
    external: (id) => /^[^./]/.test(id) && !bundled.has(id.split('/')[0] ?? ''),
    logLevel: 'silent',
  });
  const fresh = `${folder}-${process.pid}`;
  await build.write({ dir: fresh, format: 'esm' });
  await build.close();
  mkdirSync(folder, { recursive: true });
  // Names of chunks tell their content, so processes that start meanwhile find theirs. The programs come last.
  const files = readdirSync(fresh).sort((a, b) => Number(isProgram(a)) - Number(isProgram(b)));
  for (const file of files) renameSync(join(fresh, file), join(folder, file));
  rmSync(fresh, { recursive: true });
}

const isProgram = (file: string): boolean => programs.some((source) => basename(programOf(source)) === file);

function builtAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
