import { type Command, InvalidArgumentError } from 'commander';
import type { ChangeSelection } from '../app/held-changes.ts';
import { type ChangeClass, changeClasses } from '../core/plan/change.ts';
import { readPeopleFile } from './people-file.ts';
import type { Shell } from './shell.ts';

export interface SelectionOptions {
  readonly only?: readonly ChangeClass[];
  readonly except?: readonly string[];
  readonly ids?: string;
  readonly user?: readonly string[];
}

/** Adds the options that select a part of what a run holds. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--only <class>', `only changes of this class: ${changeClasses.join(', ')}; may be repeated`, gatherClass)
    .option('--except <id...>', 'all but these people, by identification')
    .option('--user <id...>', 'only these people, by identification')
    .option('--ids <file>', 'only the people in a file, one identification per line');
}

function gatherClass(text: string, before: readonly ChangeClass[] = []): readonly ChangeClass[] {
  const found = changeClasses.find((name) => name.toLowerCase() === text.replaceAll('-', '').toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${changeClasses.join(', ')}.`);
  return [...before, found];
}

/** Throws `USAGE` for a file that cannot be read or names no person. */
export async function readSelection(shell: Shell, options: SelectionOptions): Promise<ChangeSelection> {
  const { only, except, ids, user } = options;
  const people = [...(user ?? []), ...(ids === undefined ? [] : await readPeopleFile(shell, ids, '--ids'))];
  return {
    ...(only === undefined ? {} : { only }),
    ...(except === undefined ? {} : { except }),
    ...(people.length === 0 ? {} : { ids: people }),
  };
}
