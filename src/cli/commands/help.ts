import type { Command, Option } from 'commander';
import {
  codeTitles,
  docsOfCode,
  findCode,
  guessCode,
  type ListedCode,
  listedCodes,
} from '../../core/run/codes/code-list.ts';
import { usageError } from '../../core/run/errors.ts';
import type { CliIo } from '../cli-io.ts';
import type { Shell } from '../shell.ts';
import type { Style } from '../terminal.ts';

export function explainCode(shell: Shell, word: string | undefined): number {
  if (word === undefined) {
    return shell.answer({ codes: listedCodes.map(codeJson) }, renderCodes(listedCodes, shell.style));
  }
  const found = findCode(word);
  if (found === undefined) {
    const guess = guessCode(word);
    const hint = guess === undefined ? '.' : `; did you mean ${guess}?`;
    const message = `${word} is not a code of Rollcall${hint} Run "${shell.style.command('explain')}" to list all codes`;
    throw usageError(message);
  }
  return shell.answer(codeJson(found), renderCode(found, shell.style));
}

function codeJson({ code, kind, meaning, cause, cure, page, rules }: ListedCode) {
  return { code, kind, meaning, cause, cure, docs: docsOfCode(code), more: `docs/${page}`, rules };
}

/** Renders one code: its meaning, cause and cure. */
function renderCode(listed: ListedCode, { colors }: Style): string {
  const { code, kind, meaning, cause, cure, page, rules } = listed;
  const one = kind === 'api' ? 'refused request' : kind === 'rule' ? 'decision' : kind;
  const names = rules.length === 0 ? [] : [`rules: ${rules.join(', ')}`];
  return [
    `${colors.bold(code)} (${one})`,
    `  ${plain(meaning)}`,
    '',
    'cause:',
    `  ${plain(cause)}`,
    '',
    'what to do:',
    ...cure.map((step) => `  - ${plain(step)}`),
    '',
    ...names,
    `more: ${docsOfCode(code)}, docs/${page}`,
  ].join('\n');
}

/** Renders every code with its meaning, by kind. */
function renderCodes(codes: readonly ListedCode[], { colors, command }: Style): string {
  const sections = Object.entries(codeTitles).map(([kind, title]) => {
    const own = codes.filter((one) => one.kind === kind);
    const width = Math.max(...own.map(({ code }) => code.length));
    const lines = own.map(({ code, meaning }) => `  ${code.padEnd(width)}  ${plain(meaning)}`);
    return [colors.bold(title), ...lines].join('\n');
  });
  return [...sections, `cause and cure of one code:  ${command('explain CODE')}`].join('\n\n');
}

/** Commands stand in backquotes in the entries, and in quotation marks on a terminal. */
function plain(text: string): string {
  return text.replaceAll('`', '"');
}

/** A shell's script. It asks `rollcall completion words` for what may follow the words of the line. */
const scripts = {
  bash: `# In ~/.bashrc: source <(rollcall completion bash)
_rollcall() {
  local IFS=$'\\n'
  COMPREPLY=($(rollcall completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _rollcall rollcall`,
  // The last line: as a file of the fpath, the script itself is the function that is called first.
  zsh: `#compdef rollcall
# In ~/.zshrc, after compinit: source <(rollcall completion zsh)
# Or in a folder of the fpath, before compinit: rollcall completion zsh > _rollcall
_rollcall() {
  local -a found
  found=("\${(@f)$(rollcall completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -- $found || _files
}
if [[ $funcstack[1] == _rollcall ]]; then _rollcall; else compdef _rollcall rollcall; fi`,
  fish: `# rollcall completion fish > ~/.config/fish/completions/rollcall.fish
function __rollcall_words
  set -l before (commandline -opc)
  set -l found (rollcall completion words -- $before[2..-1] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c rollcall -f -a '(__rollcall_words)'`,
} as const;

export function printScript(shell: Shell, name: keyof typeof scripts): number {
  const script = scripts[name];
  return shell.answer({ shell: name, script }, script);
}

export async function printWords(shell: Shell, words: readonly string[], _: unknown, self: Command): Promise<number> {
  const [program = self] = parentsOf(self).slice(-1);
  const last = words.at(-1) ?? '';
  const found = await followersOf(program, words.slice(0, -1), last, shell);
  const fitting = found.filter((word) => word.startsWith(last));
  if (fitting.length > 0) shell.print(fitting.join('\n'));
  return 0;
}

function parentsOf({ parent }: Command): readonly Command[] {
  return parent === null ? [] : [parent, ...parentsOf(parent)];
}

/** Returns what may stand after the words: values of an option, options, subcommands, or values of the next argument. */
async function followersOf(
  program: Command,
  before: readonly string[],
  last: string,
  { io, configPath }: Shell,
): Promise<readonly string[]> {
  let command = program;
  let isValue: Option | undefined;
  let config = configPath;
  let given = 0;
  for (const word of before) {
    if (isValue?.long === '--config') config = word;
    if (isValue !== undefined) isValue = undefined;
    else if (word.startsWith('-')) {
      const option = optionsOf(command).find(({ long, short }) => long === word || short === word);
      isValue = option?.isBoolean() === true ? undefined : option;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) given += 1;
      else command = next;
    }
  }
  if (isValue !== undefined) return isValue.argChoices ?? namesFor(isValue.attributeName(), config, io);
  if (last.startsWith('-')) return optionsOf(command).flatMap(({ long }) => long ?? []);
  const subcommands = command.createHelp().visibleCommands(command);
  const names = given === 0 ? subcommands.map((one) => one.name()) : [];
  const argument = command.registeredArguments[given];
  return [...names, ...(argument?.argChoices ?? (await namesFor(argument?.name() ?? '', config, io)))];
}

function optionsOf(command: Command): readonly Option[] {
  return [command, ...parentsOf(command)].flatMap(({ options }) => options).filter(({ hidden }) => !hidden);
}

async function namesFor(what: string, config: string, io: CliIo): Promise<readonly string[]> {
  if (what === 'sync') return io.namesIn(config, 'syncs');
  return what === 'connection' ? io.namesIn(config, 'connections') : [];
}
