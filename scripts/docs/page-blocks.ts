/** A fenced block of a page, or the hidden commands of a comment. */
export interface PageBlock {
  /** The word after the fence: `sh`, `text`, `yaml`. Comments have `hidden`, with commands, `world`, `stop` and `postgres`. */
  readonly lang: string;
  /** Content without the indent of the fence. A `world` has further arguments of the sandbox, a `stop` has a command. */
  readonly text: string;
  readonly indent: string;
  /** Lines of the content in the page, from 0; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** What a comment `<!-- run: … -->` before the block says, such as `skip` or `exits 3`. Empty without one. */
  readonly directive: string;
}

/** Finds the fenced blocks of a Markdown page, in order. Understands fences of three or four backticks, also indented ones. */
export function pageBlocks(page: string): readonly PageBlock[] {
  const lines = page.split('\n');
  const blocks: PageBlock[] = [];
  let directive = '';
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const event = /^\s*<!-- run: (world|stop|postgres)(?: (.*))? -->$/.exec(line);
    if (event !== null) {
      const [, lang = '', text = ''] = event;
      blocks.push({ lang, text, indent: '', start: index + 1, end: index + 1, directive: '' });
      continue;
    }
    const fence = /^(\s*)(`{3,4})([\w-]*)/.exec(line);
    const hidden = /^\s*<!-- run: hidden(?: (.*))?$/.exec(line);
    if (fence === null && hidden === null) {
      const said = /^\s*<!-- run: (.*) -->$/.exec(line)?.[1];
      if (line.trim() !== '') directive = said ?? '';
      continue;
    }
    const ends = fence === null ? '-->' : (fence[2] ?? '');
    const end = lines.findIndex((other, at) => at > index && other.trim() === ends);
    if (end === -1) throw new Error(`line ${index + 1}: the block has no end`);
    const indent = fence?.[1] ?? '';
    const content = lines.slice(index + 1, end);
    const text = content.map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each)).join('\n');
    const said = hidden === null ? directive : (hidden[1] ?? '');
    blocks.push({ lang: fence?.[3] ?? 'hidden', text, indent, start: index + 1, end, directive: said });
    directive = '';
    index = end;
  }
  return blocks;
}

/** Returns the page with other content in some of its blocks. */
export function withContents(page: string, contents: ReadonlyMap<PageBlock, string>): string {
  const lines = page.split('\n');
  const backwards = [...contents].sort(([a], [b]) => b.start - a.start);
  for (const [{ start, end, indent }, text] of backwards) {
    if (start === end) continue;
    lines.splice(start, end - start, ...text.split('\n').map((line) => (line === '' ? line : indent + line)));
  }
  return lines.join('\n');
}
