import { personOf } from '../app/changes/person-of.ts';
import type { HoldsReport } from '../app/holds.ts';
import { differencesOf } from '../core/plan/field-differences.ts';
import type { AddCommand } from './command.ts';
import { instant } from './json-reports.ts';
import { parseWholeNumber } from './parse-options.ts';
import { renderHolds } from './render-holds.ts';
import type { Shell } from './shell.ts';

interface HoldsOptions {
  readonly sync?: string;
  readonly limit: number;
}

export const addHolds: AddCommand = (program, host) => {
  program
    .command('holds')
    .description(
      'list the changes that wait for approval in all syncs, by person, with the commands that approve or reject them',
    )
    .option('--sync <name>', 'only this sync')
    .option('--limit <n>', 'maximum number of people to list for each hold', parseWholeNumber, 50)
    .action(host.action(holds));
};

async function holds(shell: Shell, { sync, limit }: HoldsOptions): Promise<number> {
  return shell.withApp({}, async (app) => {
    const report = await app.holds(sync === undefined ? { limit } : { sync, limit });
    shell.printJson(holdsJson(report));
    shell.print(renderHolds(report, shell.style));
    return 0;
  });
}

/** The object of `holds --json`. */
function holdsJson({ holds: open, reads }: HoldsReport) {
  return {
    holds: open.map(({ hold, isApprovable, waiting, budget = null, changes }) => ({
      hold: hold.id,
      sync: hold.sync,
      run: hold.run,
      class: hold.class,
      reason: hold.reason,
      count: waiting,
      heldAt: instant(hold.heldAt),
      expiresAt: instant(hold.expiresAt),
      isApprovable,
      budget,
      people: changes.map((change) => {
        const { name = null, email = null } = personOf(change);
        const { identification, kind, reason, hash, before } = change;
        const enabled = before?.enabled ?? null;
        return { identification, name, email, kind, reason, hash, enabled, fields: differencesOf(change) };
      }),
      more: waiting - changes.length,
    })),
    reads: reads.map(({ startedAt, reason = null, ...read }) => ({ ...read, reason, startedAt: instant(startedAt) })),
  };
}
