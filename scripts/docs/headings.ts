/** Returns the anchor of a heading, as code hosts make it: lower case, without punctuation, hyphens for spaces. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the page without its fenced blocks and comments. */
export function proseOf(page: string): string {
  return page.replace(/^( *)(`{3,4})[\s\S]*?^ *\2$/gm, '').replace(/<!--[\s\S]*?-->/g, '');
}

/** Returns the anchors of a page. A second heading of the same text gets `-1`, as on code hosts. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}
