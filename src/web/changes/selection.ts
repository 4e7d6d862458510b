import type { ChangeFilter } from './subject.ts';

/**
 * Which changes are chosen. `all`: every change that matches the filter except `ids`, however many; the list need not be
 * loaded for it. `some`: only `ids`.
 */
export interface Selection {
  readonly mode: 'all' | 'some';
  readonly ids: ReadonlySet<string>;
}

export const everything: Selection = { mode: 'all', ids: new Set<string>([]) };
export const nothing: Selection = { mode: 'some', ids: new Set<string>([]) };

/** The API takes this many names in one order. */
export const mostIds = 10_000;

export function isChosen({ mode, ids }: Selection, id: string): boolean {
  return (mode === 'all') !== ids.has(id);
}

export function toggle({ mode, ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { mode, ids: next };
}

/** Returns whether nothing is chosen, as far as that can be known without the list. */
export function isNothing({ mode, ids }: Selection, total: number): boolean {
  return mode === 'some' ? ids.size === 0 : total === 0 || ids.size >= total;
}

/** The part of an order that says which changes. A choice by name does not depend on the filter. */
export function orderPart(
  { mode, ids }: Selection,
  filter: ChangeFilter,
): { readonly ids?: string[]; readonly except?: string[]; readonly filter?: ChangeFilter } {
  if (mode === 'some') return { ids: [...ids].sort() };
  return {
    ...(ids.size === 0 ? {} : { except: [...ids].sort() }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
}
