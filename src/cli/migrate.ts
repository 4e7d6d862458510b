import type { StoreMigration } from '../ports/store-migration.ts';
import { formatCount } from './amounts.ts';
import type { AddCommand } from './command.ts';
import type { Shell } from './shell.ts';

export const addMigrate: AddCommand = (program, host) => {
  program
    .command('migrate')
    .description(
      'migrate the store to the tables of this version now; every other command does this when it opens the store',
    )
    .action(host.action(migrate));
};

async function migrate(shell: Shell): Promise<number> {
  const { place, from, to, applied } = await shell.io.migrateStore(shell.configPath);
  shell.printJson({ store: place, from: from ?? null, to, applied });
  shell.print(renderMigration({ place, from, to, applied }));
  return 0;
}

function renderMigration({ place, from, to, applied }: StoreMigration): string {
  if (applied.length === 0) return `nothing to do: the store ${place} is at ${to}`;
  const how = `${formatCount(applied.length, 'migration')}: ${applied.join(', ')}`;
  if (from === undefined) return `the store ${place} was new and is now at ${to} (${how})`;
  return `the store ${place} went from ${from} to ${to} (${how})`;
}
