import type { SourceKind, SourceKinds } from '../../src/ports/source.ts';

/** Offers these kinds, which are loaded already. */
export function offering(kinds: readonly SourceKind[]): SourceKinds {
  return {
    names: kinds.map(({ kind }) => kind),
    load: async (wanted) => kinds.filter(({ kind }) => wanted(kind)),
  };
}
