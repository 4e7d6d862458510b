import type { Answer, ParamsOf } from '../api/client.ts';

type Search = '/api/holds/{id}/changes/search';
export type FoundChange = Answer<'get', Search>['changes'][number];
type ChangeSubject = { readonly kind: 'run' | 'hold' | 'preview'; readonly id: string };
type Query = ParamsOf<'get', Search>;

/** What of the changes is shown, as the API takes it. */
export type ChangeFilter = Given<Pick<Query, 'kind' | 'class' | 'state' | 'reason' | 'field' | 'value' | 'text'>>;
type ChangeOrder = Given<Pick<Query, 'sort' | 'order'>>;

/** A part that is not given is absent. */
type Given<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The changes of a run, hold or preview: which of them, and in which order. */
export interface ChangeView {
  readonly subject: ChangeSubject;
  readonly filter: ChangeFilter;
  readonly order: ChangeOrder;
}

const filterNames = ['kind', 'class', 'state', 'reason', 'field', 'value', 'text'] as const;

/** Reads from the address what of the changes is shown. */
export function viewOf(subject: ChangeSubject, search: URLSearchParams): ChangeView {
  const given = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (search.has(name) ? [[name, search.get(name)]] : [])));
  return { subject, filter: given(filterNames), order: given(['sort', 'order']) };
}

/** Returns the address of all changes that match, as a file. */
export function exportAddress({ subject: { kind, id }, filter, order }: ChangeView, format: 'csv' | 'json'): string {
  const search = new URLSearchParams({ format, ...filter, ...order });
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

/** A selection, and what changes it. */
export interface ChangeChoice {
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
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
