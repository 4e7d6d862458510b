import { normalText } from '../core/person/text.ts';
import type { AddCommand } from './command.ts';
import { renderPerson } from './render-person.ts';
import type { Shell } from './shell.ts';

export const addWhy: AddCommand = (program, host) => {
  program
    .command('why')
    .description('explain one employee: the source, the mapping, the platform, the ledger, and the decision')
    .argument('<sync>', 'name of the sync')
    .argument('<identification>', 'identification of the employee')
    .action(host.action(why));
};

async function why(shell: Shell, sync: string, identification: string): Promise<number> {
  return shell.withApp({}, async (app) => {
    const trace = await app.why(sync, normalText(identification), shell.signal);
    shell.printJson({ sync, ...trace });
    shell.print(renderPerson(trace, sync, shell.style));
    return 0;
  });
}
