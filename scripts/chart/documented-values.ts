/** One documented key of values.yaml. */
export interface DocumentedValue {
  /** The keys from the top. */
  readonly path: readonly string[];
  readonly description: string;
}

/**
 * Returns the keys of a values.yaml that a comment of the form of helm-docs (`# -- text`) precedes. The lines of the
 * comment that follow are joined.
 */
export function documentedValues(text: string): readonly DocumentedValue[] {
  const found: DocumentedValue[] = [];
  const open: { readonly indent: number; readonly key: string }[] = [];
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const begun = /^ *# -- (.+)$/.exec(line)?.[1];
    const more = /^ *# (.+)$/.exec(line)?.[1];
    const [, space = '', key] = /^( *)([A-Za-z]\w*):/.exec(line) ?? [];
    if (begun !== undefined) comment = [begun];
    else if (more !== undefined && comment.length > 0) comment.push(more.trim());
    else {
      if (key !== undefined) {
        while ((open.at(-1)?.indent ?? -1) >= space.length) open.pop();
        open.push({ indent: space.length, key });
        if (comment.length > 0) found.push({ path: open.map((each) => each.key), description: comment.join(' ') });
      }
      comment = [];
    }
  }
  return found;
}
