/** A fenced block of a page, or the hidden commands of a comment. */
export interface PageBlock {
  /** The word after the fence: `sh`, `text`, `yaml`. A comment `<!-- run: hidden … -->` is `hidden`. */
  readonly lang: string;
  readonly text: string;
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
    const fence = /^\s*(`{3,4})([\w-]*)/.exec(line);
    const isHidden = line.trim() === '<!-- run: hidden';
    if (fence === null && !isHidden) {
      const said = /^\s*<!-- run: (.*) -->$/.exec(line)?.[1];
      if (line.trim() !== '') directive = said ?? '';
      continue;
    }
    const ends = isHidden ? '-->' : (fence?.[1] ?? '');
    const end = lines.findIndex((other, at) => at > index && other.trim() === ends);
    if (end === -1) throw new Error(`line ${index + 1}: the block has no end`);
    const text = lines.slice(index + 1, end).join('\n');
    blocks.push({ lang: isHidden ? 'hidden' : (fence?.[2] ?? ''), text, start: index + 1, end, directive });
    directive = '';
    index = end;
  }
  return blocks;
}

/** Returns the page with other content in some of its blocks. */
export function withContents(page: string, contents: ReadonlyMap<PageBlock, string>): string {
  const lines = page.split('\n');
  const backwards = [...contents].sort(([a], [b]) => b.start - a.start);
  for (const [{ start, end }, text] of backwards) lines.splice(start, end - start, ...text.split('\n'));
  return lines.join('\n');
}
