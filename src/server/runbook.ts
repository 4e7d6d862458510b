import { anchorOf, type CodeKind, type ListedCode, listedCodes } from '../core/run/codes/code-list.ts';
import { htmlPage } from './http/page.ts';

const titles: Readonly<Record<CodeKind, string>> = {
  alert: 'Alerts',
  finding: 'Findings',
  rule: 'Decisions',
  error: 'Errors',
  api: 'Refused requests',
};

/**
 * Returns the page to which alerts link: one section for each code, with anchors for its topic and its rules of
 * Prometheus. It contains no data.
 */
export function renderRunbook(): string {
  const parts = (Object.keys(titles) as CodeKind[]).map((kind) => {
    const sections = listedCodes.filter((one) => one.kind === kind).map(renderSection);
    return `<h2>${titles[kind]}</h2>\n${sections.join('\n')}`;
  });
  return htmlPage(
    'Rollcall: what to do',
    `<header><h1>What to do</h1><a href="/">Overview</a></header>
<main>
<p>No alert is urgent for the data. The next run continues where the last one stopped, and no change is sent twice.</p>
${parts.join('\n')}
</main>`,
  );
}

function renderSection(listed: ListedCode): string {
  const { code, meaning, cause, cure, rules, topic } = listed;
  // Notices of earlier releases link to the topic, which is the anchor of its first code unless a code has that name.
  const isFirst =
    topic !== undefined &&
    listedCodes.find((one) => one.topic === topic) === listed &&
    !listedCodes.some(({ code: other }) => other === topic);
  const names = [...(isFirst ? [topic] : []), ...rules.filter((rule) => isFirstOf(rule, listed))];
  const anchors = names.map((name) => `<a id="${name}"></a>`).join('');
  return `<section id="${anchorOf(code)}">${anchors}<h3>${code}</h3><p>${toHtml(meaning)}</p><p>Cause: ${toHtml(cause)}</p><p>What to do:</p><ul>${items(cure)}</ul></section>`;
}

function isFirstOf(rule: string, listed: ListedCode): boolean {
  return listedCodes.find(({ rules }) => rules.includes(rule)) === listed;
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
  const note = '<!-- Generated from src/core/run/codes by `npm run docs`; edit there. -->';
  return `${before}${begin}\n${note}\n\n${lines.join('\n')}\n\n${end}${after}`;
}

function items(texts: readonly string[]): string {
  return texts.map((text) => `<li>${toHtml(text)}</li>`).join('');
}

/** Escapes the text, and shows what is in backquotes as code. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>');
}
