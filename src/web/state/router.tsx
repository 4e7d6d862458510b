import { useCallback, useMemo } from 'react';
import { navigate as go, usePathname, useSearch } from 'wouter/use-browser-location';

export { Link } from 'wouter';

/** Goes to an address of this page. Another page begins at its top. */
export function navigate(to: string, options?: { readonly replace?: boolean }): void {
  const before = location.pathname;
  go(to, options);
  if (location.pathname !== before) scrollTo(0, 0);
}

/** Where the page is, encoded, and what leads elsewhere, as `wouter` takes them. */
export function usePlace(): [string, typeof navigate] {
  return [usePathname(), navigate];
}

type Filters = Readonly<Record<string, string | undefined>>;

/** Filters in the address: a reload or a link shows the same list. Without a value they are not there. */
export function useFilters(): readonly [URLSearchParams, (changes: Filters) => void] {
  const search = useSearch();
  return [useMemo(() => new URLSearchParams(search), [search]), changeFilters];
}

function changeFilters(changes: Filters): void {
  const all = { ...Object.fromEntries(new URLSearchParams(location.search)), ...changes };
  navigate(withFilters(location.pathname, all), { replace: true });
}

/** One filter in the address. */
export function useFilter(name: string): readonly [string | undefined, (value: string | undefined) => void] {
  const [filters] = useFilters();
  const set = useCallback((value: string | undefined) => changeFilters({ [name]: value }), [name]);
  return [filters.get(name) ?? undefined, set];
}

/** The filters with these names, as the API takes them. It refuses what a user typed into the address. */
export function useQueryOf<Query>(...names: readonly (keyof Query & string)[]): Query {
  const [filters] = useFilters();
  return Object.fromEntries(names.map((name) => [name, filters.get(name) ?? undefined])) as Query;
}

/** Returns the parts of a path as they were before `pathTo` encoded them. */
export function decodeParts(parts: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parts).map(([name, text = '']) => [name, decodeURIComponent(text)]));
}

/** Builds a path of this page: `pathTo('people', sync, identification)`. */
export function pathTo(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** Adds filters to a path, without those that are empty. */
export function withFilters(path: string, filters: Filters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined && value !== '') search.set(name, value);
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
