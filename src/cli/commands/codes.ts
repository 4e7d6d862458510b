import {
  anchorOf,
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
    shell.printJson({ codes: listedCodes.map(codeJson) });
    shell.print(renderCodes(listedCodes, shell.style));
    return 0;
  }
  const found = findCode(word);
  if (found === undefined) {
    const guess = guessCode(word);
    const hint = guess === undefined ? '.' : `; did you mean ${guess}?`;
    const message = `${word} is not a code of Rollcall${hint} Run "${shell.style.command('explain')}" to list all codes`;
    throw new RollcallError(message, { code: 'USAGE' });
  }
  shell.printJson(codeJson(found));
  shell.print(renderCode(found, shell.style));
  return 0;
}

function codeJson({ code, kind, meaning, cause, cure, page, rules }: ListedCode) {
  return { code, kind, meaning, cause, cure, docs: docsOfCode(code), more: `docs/${page}`, rules };
}

const kinds: readonly { readonly kind: CodeKind; readonly title: string; readonly text: string }[] = [
  {
    kind: 'alert',
    title: 'Alerts',
    text: 'Alerts come as notices and from rules of Prometheus. No alert is urgent for the data: the next run continues, and no change is sent twice.',
  },
  {
    kind: 'finding',
    title: 'Findings',
    text: 'Facts that a run or plan reports about a person, a record or itself. `rollcall show RUN --findings` lists them.',
  },
  {
    kind: 'rule',
    title: 'Decisions',
    text: 'Rules that decide about one person: the first one that matches applies. `rollcall why SYNC PERSON` names it. Decisions that are also reported as a finding are listed with the findings.',
  },
  { kind: 'error', title: 'Errors', text: 'Why a command or a run failed.' },
  {
    kind: 'api',
    title: 'Refused requests',
    text: 'Why the HTTP API refused a request. The code is in the key `code` of the answer.',
  },
];

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
  const sections = kinds.map(({ kind, title }) => {
    const own = codes.filter((one) => one.kind === kind);
    const width = Math.max(...own.map(({ code }) => code.length));
    const lines = own.map(({ code, meaning }) => `  ${code.padEnd(width)}  ${plain(meaning)}`);
    return [colors.bold(title), ...lines].join('\n');
  });
  return [...sections, `cause and cure of one code:  ${command('explain CODE')}`].join('\n\n');
}

/** Returns the text of `docs/codes.md`: every code with meaning, cause and cure. */
export function renderCodesReference(): string {
  const parts = kinds.map(({ kind, title, text }) => {
    const entries = listedCodes.filter((one) => one.kind === kind).map(renderEntry);
    return [`## ${title}`, text, ...entries].join('\n\n');
  });
  return `# Codes

<!-- Generated from src/core/run/codes by \`npm run docs\`; edit there. -->

Every alert, finding and error has a code that stays the same between releases. \`rollcall explain CODE\` shows the same on a
terminal. In commands, replace \`SYNC\`, \`RUN\`, \`PERSON\` and \`CONNECTION\` with your own names.

${parts.join('\n\n')}
`;
}

function renderEntry({ code, meaning, cause, cure, page, rules }: ListedCode): string {
  const steps = cure.length === 1 ? (cure[0] ?? '') : `\n\n${cure.map((step) => `- ${step}`).join('\n')}`;
  const names = rules.length === 0 ? [] : [`Rules of Prometheus: ${rules.map((rule) => `\`${rule}\``).join(', ')}.`];
  // Site generators replace the underscore in their own anchors.
  const target = code.includes('_') ? [`<a id="${anchorOf(code)}"></a>`] : [];
  return [
    ...target,
    `### ${code}`,
    meaning,
    `**Cause.** ${cause}`,
    `**What to do.** ${steps}`.replace(/ \n/, '\n'),
    ...names,
    `**More.** [${page}](${page})`,
  ].join('\n\n');
}

/** Commands stand in backquotes in the entries, and in quotation marks on a terminal. */
function plain(text: string): string {
  return text.replaceAll('`', '"');
}
