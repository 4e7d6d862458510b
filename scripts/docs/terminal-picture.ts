/** A text of a terminal in one style. */
interface Span {
  readonly text: string;
  readonly style: string;
}

/** Classes of the SVG by the codes of terminals (SGR). */
const styles: Readonly<Record<string, string>> = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'dim',
};

/** Codes that end a style. */
const ends: Readonly<Record<string, readonly string[]>> = {
  22: ['bold', 'dim'],
  39: ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'],
};

const cell = { width: 7.8, height: 18 };
const margin = { side: 18, top: 46, bottom: 18 };

/**
 * Draws the output of a command as a terminal window. The picture follows the reader's light or dark mode by itself.
 * Longer lines than `columns` are cut, with an ellipsis.
 */
export function drawTerminal(
  output: string,
  { columns, title }: { readonly columns: number; readonly title: string },
): string {
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => cutSpans(spansOf(line), columns));
  const width = Math.ceil(columns * cell.width + 2 * margin.side);
  const height = margin.top + lines.length * cell.height + margin.bottom;
  const rows = lines.map((spans, row) => {
    const y = margin.top + (row + 0.75) * cell.height;
    const parts = spans.map(({ text, style }) =>
      style === '' ? escapeXml(text) : `<tspan class="${style}">${escapeXml(text)}</tspan>`,
    );
    return parts.length === 0 ? '' : `<text x="${margin.side}" y="${y}">${parts.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(title)}">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.window { fill: #ffffff; stroke: #d0d7de } .bar { fill: #f6f8fa } .title { fill: #59636e } .dot { fill: #d0d7de }
.bold { font-weight: 700 } .dim { fill: #59636e } .red { fill: #cf222e } .green { fill: #1a7f37 } .yellow { fill: #9a6700 }
.blue { fill: #0969da } .magenta { fill: #8250df } .cyan { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .window { fill: #0d1117; stroke: #30363d } .bar { fill: #161b22 } .title, .dim { fill: #9198a1 } .dot { fill: #30363d }
.red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #58a6ff } .magenta { fill: #bc8cff } .cyan { fill: #39c5cf }
}
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M1 30V8.5A7.5 7.5 0 0 1 8.5 1H${width - 8.5}A7.5 7.5 0 0 1 ${width - 1} 8.5V30Z"/>
<circle class="dot" cx="18" cy="16" r="5"/><circle class="dot" cx="36" cy="16" r="5"/><circle class="dot" cx="54" cy="16" r="5"/>
<text class="title" x="${width / 2}" y="20" text-anchor="middle">${escapeXml(title)}</text>
${rows.filter((row) => row !== '').join('\n')}
</svg>
`;
}

function spansOf(line: string): readonly Span[] {
  const spans: Span[] = [];
  const open = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals mark styles with ESC.
  for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (text !== undefined) spans.push({ text, style: [...open].join(' ') });
    for (const code of (codes ?? '').split(';')) {
      if (code === '0' || (code === '' && codes === '')) open.clear();
      for (const style of ends[code] ?? []) open.delete(style);
      const style = styles[code];
      if (style !== undefined) open.add(style);
    }
  }
  return spans;
}

function cutSpans(spans: readonly Span[], columns: number): readonly Span[] {
  const kept: Span[] = [];
  let left = columns;
  for (const { text, style } of spans) {
    if (left <= 0) break;
    const letters = [...text];
    kept.push({ text: letters.length > left ? `${letters.slice(0, left - 1).join('')}…` : text, style });
    left -= letters.length;
  }
  return kept;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
