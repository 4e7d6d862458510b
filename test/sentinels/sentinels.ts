/** Texts that a test plants and then searches for. Every one is found by its own number. */
export interface Sentinels {
  /** A text of another system: error bodies, headers, statuses, file names. */
  said(where: string): string;
  /** A value of an employee: shown as a change, and nowhere else. */
  cell(where: string): string;
  /** How many were planted. */
  count(): number;
  /** The planted texts that occur in what a sink received, with where they were planted. */
  found(text: string, kinds: readonly ('said' | 'cell')[]): readonly string[];
}

export function openSentinels(): Sentinels {
  const planted = new Map<string, { readonly where: string; readonly kind: 'said' | 'cell' }>();
  const plant = (kind: 'said' | 'cell', where: string): string => {
    // Always six digits: a shorter number would be found inside a longer one.
    const text = `Zqx${kind}${planted.size + 100_000}`;
    planted.set(text.toLowerCase(), { where, kind });
    return text;
  };
  return {
    said: (where) => plant('said', where),
    cell: (where) => plant('cell', where),
    count: () => planted.size,
    found(text, kinds) {
      const hits = new Set(text.toLowerCase().match(/zqx(?:said|cell)\d{6}/g) ?? []);
      return [...hits].flatMap((hit) => {
        const one = planted.get(hit);
        return one !== undefined && kinds.includes(one.kind) ? [`${hit} (${one.where})`] : [];
      });
    },
  };
}
