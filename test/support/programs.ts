import { globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, root } from '../../scripts/build/bundle.ts';

const folder = join(root, 'node_modules/.cache/programs');

/** What tests start in processes of their own, and the library that examples import. */
const programs = [
  'src/main/cli.ts',
  'src/platform/index.ts',
  'test/chaos/run-and-die.ts',
  'test/chaos/refresh-and-die.ts',
  'test/chaos/use-token.ts',
  'test/contracts/store-worker.ts',
] as const;

/** Returns a program, bundled. */
export function programOf(source: (typeof programs)[number]): string {
  return join(folder, `${basename(source, '.ts')}.js`);
}

/** Builds the programs, unless they are up to date. */
export async function setup(): Promise<void> {
  const inputs = [
    'scripts/build/bundle.ts',
    'src/**/*.ts',
    'jobs/*.ts',
    'test/chaos/*.ts',
    'test/support/**/*.ts',
    'package-lock.json',
    'package.json',
  ];
  const changedAt = Math.max(...globSync(inputs, { cwd: root }).map((path) => statSync(join(root, path)).mtimeMs));
  if (programs.every((source) => builtAt(programOf(source)) > changedAt)) return;
  const fresh = `${folder}-${process.pid}`;
  await bundle({
    programs: Object.fromEntries(programs.map((source) => [basename(source, '.ts'), source])),
    folder: fresh,
    data: 'in source',
  });
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
