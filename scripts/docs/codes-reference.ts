import {
  anchorOf,
  type CodeKind,
  codeTitles,
  type ListedCode,
  listedCodes,
} from '../../src/core/run/codes/code-list.ts';

const texts: Readonly<Record<CodeKind, string>> = {
  alert:
    'Alerts come as notices and from rules of Prometheus. No alert is urgent for the data: the next run continues, and no change is sent twice.',
  finding:
    'Facts that a run or plan reports about a person, a record or itself. `rollcall show RUN --findings` lists them.',
  rule: 'Rules that decide about one person: the first one that matches applies. `rollcall why SYNC PERSON` names it. Decisions that are also reported as a finding are listed with the findings.',
  error: 'Why a command or a run failed.',
  api: 'Why the HTTP API refused a request. The code is in the key `code` of the answer.',
};

/** Returns the text of `docs/codes.md`: every code with meaning, cause and cure. */
export function renderCodesReference(): string {
  const parts = Object.entries(codeTitles).map(([kind, title]) => {
    const entries = listedCodes.filter((one) => one.kind === kind).map(renderEntry);
    return [`## ${title}`, texts[kind as CodeKind], ...entries].join('\n\n');
  });
  return `# Codes

<!-- Generated from src/core/run/codes/codes.json by \`npm run docs\`; edit there. -->

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

const [begin, end] = ['<!-- runbook: begin -->', '<!-- runbook: end -->'];

/** Returns the Markdown with the list between its two comments written again: every alert with a link to its code. */
export function renderRunbookList(markdown: string): string {
  const lines = listedCodes
    .filter(({ kind }) => kind === 'alert')
    .map(({ code, rules, meaning }) => {
      const names = rules.length === 0 ? '' : ` (${rules.map((rule) => `\`${rule}\``).join(', ')})`;
      return `- [${code}](codes.md#${anchorOf(code)})${names}: ${meaning}`;
    });
  const [before = '', rest = ''] = markdown.split(begin);
  const [, after = ''] = rest.split(end);
  const note = '<!-- Generated from src/core/run/codes/codes.json by `npm run docs`; edit there. -->';
  return `${before}${begin}\n${note}\n\n${lines.join('\n')}\n\n${end}${after}`;
}
