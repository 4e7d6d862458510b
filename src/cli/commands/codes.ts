import {
  type CodeKind,
  docsOfCode,
  findCode,
  guessCode,
  type ListedCode,
  listedCodes,
} from '../../core/run/codes/code-list.ts';
import { RollcallError } from '../../core/run/errors.ts';
import type { CommandRow } from '../command.ts';
import type { Shell } from '../shell.ts';
import type { Style } from '../terminal.ts';

export const explain: CommandRow = {
  words: 'explain',
  meaning: 'explain the code of a finding, an error or an alert: its meaning, its cause, and what to do',
  arguments: [['[code]', 'the code, such as row-rejected or REAUTH_REQUIRED; without it, all codes are listed']],
  run: explainCode,
};

function explainCode(shell: Shell, word: string | undefined): number {
  if (word === undefined) {
    return shell.answer({ codes: listedCodes.map(codeJson) }, renderCodes(listedCodes, shell.style));
  }
  const found = findCode(word);
  if (found === undefined) {
    const guess = guessCode(word);
    const hint = guess === undefined ? '.' : `; did you mean ${guess}?`;
    const message = `${word} is not a code of Rollcall${hint} Run "${shell.style.command('explain')}" to list all codes`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  return shell.answer(codeJson(found), renderCode(found, shell.style));
}

function codeJson({ code, kind, meaning, cause, cure, page, rules }: ListedCode) {
  return { code, kind, meaning, cause, cure, docs: docsOfCode(code), more: `docs/${page}`, rules };
}

/** Kinds of code in the order of their lists, with their titles. */
export const codeTitles = {
  alert: 'Alerts',
  finding: 'Findings',
  rule: 'Decisions',
  error: 'Errors',
  api: 'Refused requests',
} as const satisfies Readonly<Record<CodeKind, string>>;

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
