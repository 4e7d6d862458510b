import type { paths, Schemas } from '../api/schema.ts';

export type FoundChange = Schemas['FoundChanges']['changes'][number];
export type ChangeSubject = { readonly kind: 'run' | 'hold' | 'preview'; readonly id: string };
type Query = NonNullable<paths['/api/holds/{id}/changes/search']['get']['parameters']['query']>;

/** What of the changes is shown, as the API takes it. */
export type ChangeFilter = Given<Pick<Query, 'kind' | 'class' | 'state' | 'reason' | 'field' | 'value' | 'text'>>;
export type ChangeOrder = Given<Pick<Query, 'sort' | 'order'>>;

/** A part that is not given is absent. */
type Given<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

const filterNames = ['kind', 'class', 'state', 'reason', 'field', 'value', 'text'] as const;

export function filterOf(search: URLSearchParams): ChangeFilter {
  const parts = filterNames.flatMap((name) => {
    const value = search.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(parts) as ChangeFilter;
}

export function orderOf(search: URLSearchParams): ChangeOrder {
  const [sort, order] = [search.get('sort'), search.get('order')];
  return {
    ...(sort === null ? {} : { sort: sort as Exclude<Query['sort'], undefined> }),
    ...(order === 'desc' ? { order } : {}),
  };
}

/** Returns the address of all changes that match, as a file. */
export function exportAddress(
  { kind, id }: ChangeSubject,
  format: 'csv' | 'json',
  filter: ChangeFilter & ChangeOrder,
): string {
  const search = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filter)) if (typeof value === 'string') search.set(name, value);
  return `/api/${kind}s/${encodeURIComponent(id)}/changes/export?${search}`;
}

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
