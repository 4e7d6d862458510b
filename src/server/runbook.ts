import { htmlPage } from './dashboard/html-page.ts';
import { runbookEntries } from './runbook-entries.ts';

/** Returns the page to which alerts link: one section for each topic and rule. It contains no data. */
export function renderRunbook(): string {
  const sections = runbookEntries.map(({ topic, rules, title, look, steps }) => {
    const ids = [...(topic === undefined ? [] : [topic]), ...rules];
    const [id, ...others] = ids;
    const anchors = others.map((other) => `<a id="${other}"></a>`).join('');
    return `<section id="${id}">${anchors}<h2>${toHtml(title)}</h2><p>Look:</p><ul>${items(look)}</ul><p>Then:</p><ul>${items(steps)}</ul></section>`;
  });
  return htmlPage(
    'Rollcall: what to do',
    `<header><h1>What to do</h1><a href="/">Overview</a></header>
<main>
<p>Nothing here is urgent for the data. The next run does what was not done, and nothing is sent twice.</p>
${sections.join('\n')}
</main>`,
  );
}

const [begin, end] = ['<!-- runbook: begin -->', '<!-- runbook: end -->'];

/** Returns the Markdown with the table between its two comments made anew from the entries. */
export function renderRunbookTable(markdown: string): string {
  const rows = runbookEntries.map(({ topic, rules, look, steps }) => {
    const names = [...(topic === undefined ? [] : [topic]), ...rules].map((name) => `\`${name}\``);
    return `| ${names.join(', ')} | ${look.join(', ')} | ${steps.join(' ')} |`;
  });
  const [before = '', rest = ''] = markdown.split(begin);
  const [, after = ''] = rest.split(end);
  const note = '<!-- Generated from src/server/runbook-entries.ts by `npm run docs`; edit there. -->';
  const table = ['| Alert | Look | Then |', '| --- | --- | --- |', ...rows].join('\n');
  return `${before}${begin}\n${note}\n\n${table}\n\n${end}${after}`;
}

function items(texts: readonly string[]): string {
  return texts.map((text) => `<li>${toHtml(text)}</li>`).join('');
}

/** Escapes the text, and shows what is in backquotes as code. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>');
}
