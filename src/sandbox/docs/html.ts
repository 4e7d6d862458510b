/** HTML that is safe to put into a page: made by `html`, or by us. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | readonly Html[];

/** A template of HTML: every value is escaped unless it is `Html` itself; undefined is nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, i) => text + render(parts[i])).join('') };
}

function render(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map((one) => one.html).join('\n');
}

/** For text between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
