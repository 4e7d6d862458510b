import { Argument, type Command, Option } from 'commander';
import type { Shell } from './shell.ts';

/** Answers one command. `given`: its arguments in order, its options, and the command itself. Returns the exit code. */
export type CommandBody = (shell: Shell, ...given: never[]) => number | Promise<number>;

/** An option: flags, meaning, parser and default. An `Option` has choices, or a default without a parser. */
export type OptionRow =
  | readonly [flags: string, meaning: string, parse?: (text: string, before: never) => unknown, otherwise?: unknown]
  | Option;

/** One command of the command line, as a row of data. */
export interface CommandRow {
  /** What the operator types: `alerts mute`. A group comes before its commands. */
  readonly words: string;
  readonly meaning: string;
  /** Short form of the meaning, for the list of commands. */
  readonly summary?: string;
  /** An `Argument` has choices. */
  readonly arguments?: readonly (readonly [name: string, meaning: string] | Argument)[];
  readonly options?: readonly OptionRow[];
  /** Imports what answers the command, so that `--help` loads no use case. Absent for a group without an action. */
  readonly body?: () => Promise<CommandBody>;
  /** Not listed, and accepts any words: it only says which command to use instead. */
  readonly isHidden?: boolean;
}

/** Commands below one heading of the help. */
export interface CommandGroup {
  readonly heading: string;
  /** The word before each of these commands. */
  readonly below?: { readonly word: string; readonly meaning: string };
  readonly rows: readonly CommandRow[];
}

/** Adds the commands of a group to the program. */
export function addGroup(
  program: Command,
  { heading, below, rows }: CommandGroup,
  action: CommandHost['action'],
): void {
  program.commandsGroup(heading);
  if (below === undefined) {
    for (const row of rows) addCommand(program, row, action);
    return;
  }
  addCommand(program, { words: below.word, meaning: below.meaning }, action);
  for (const row of rows) addCommand(program, { ...row, words: `${below.word} ${row.words}` }, action);
}

/** Adds the command to the program, or to its group. `action` makes an action of commander from a body. */
function addCommand(program: Command, row: CommandRow, action: CommandHost['action']): void {
  const { words, meaning, summary, options = [], body, isHidden = false } = row;
  const [name = '', ...before] = words.split(' ').reverse();
  const group = before.reduceRight(
    (parent, word) => parent.commands.find((one) => one.name() === word) ?? parent,
    program,
  );
  const command = group.command(name, { hidden: isHidden }).description(meaning).allowUnknownOption(isHidden);
  if (summary !== undefined) command.summary(summary);
  for (const argument of row.arguments ?? []) {
    if (argument instanceof Argument) command.addArgument(argument);
    else command.argument(...argument);
  }
  for (const row of options) {
    const option = row instanceof Option ? row : optionOf(row);
    command.addOption(option);
    refuseSecond(command, option);
  }
  const usage = command.createHelp().commandUsage(command);
  command.showHelpAfterError(`Usage: ${usage}\nMore: rollcall ${words} --help`);
  if (body !== undefined) command.action(action(body));
}

function optionOf([flags, meaning, parse, otherwise]: Exclude<OptionRow, Option>): Option {
  const option = new Option(flags, meaning).default(otherwise);
  return parse === undefined ? option : option.argParser(parse as (text: string, before: unknown) => unknown);
}

/** Refuses a second value, of which commander would keep only the last. A parser with two parameters gathers values. */
function refuseSecond(command: Command, option: Option): void {
  const { parseArg, argChoices } = option;
  const isGathering = option.variadic || (argChoices === undefined && (parseArg?.length ?? 0) > 1);
  if (isGathering || !(option.required || option.optional)) return;
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) command.error(`error: option '${option.flags}' is given twice. Give it once.`, { exitCode: 2 });
    isGiven = true;
  });
}

export interface CommandHost {
  /** Commands of the platform's API: one per operation. */
  readonly apiRows: readonly CommandRow[];
  /** Returns an action of commander that calls the body with what the operator gave, and keeps its exit code. */
  readonly action: (body: NonNullable<CommandRow['body']>) => (...given: unknown[]) => Promise<void>;
}
