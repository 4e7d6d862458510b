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
