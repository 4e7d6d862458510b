import { access, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { RollcallError } from '../core/run/errors.ts';
import type { AddCommand } from './command.ts';
import { fromHere, type Shell } from './shell.ts';

interface InitOptions {
  readonly source: string;
  readonly force?: boolean;
}

export const addInit: AddCommand = (program, host) => {
  program
    .command('init')
    .description('write a commented configuration for a source, with sample files')
    .option('--source <name>', 'a kind or preset of `rollcall source list`', 'csv')
    .option('--force', 'overwrite existing files')
    .action(host.action(init));
};

async function init(shell: Shell, { source, force = false }: InitOptions): Promise<number> {
  const { config, samples, instructions } = await shell.io.starterFiles(source);
  const configPath = fromHere(shell.io, shell.configPath);
  const folder = dirname(configPath);
  const files = [
    { path: configPath, text: config },
    ...samples.map(({ path, text }) => ({ path: join(folder, path), text })),
  ];
  if (!force) await refuseToOverwrite(files.map(({ path }) => path));
  await mkdir(folder, { recursive: true });
  for (const { path, text } of files) await writeFile(path, text, { flag: force ? 'w' : 'wx' });
  const names = files.map(({ path }) => relative(shell.io.cwd, path) || basename(path));
  shell.printJson({ written: names });
  shell.print([...names.map((name) => `wrote ${name}`), '', instructions.trimEnd()].join('\n'));
  return 0;
}

/** Checks all paths before the first file is written. */
async function refuseToOverwrite(paths: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) there.push(path);
  }
  if (there.length === 0) return;
  const message = `${there.join(' and ')} would be overwritten, so nothing was written. Use --force to overwrite.`;
  throw new RollcallError(message, { code: 'USAGE' });
}
