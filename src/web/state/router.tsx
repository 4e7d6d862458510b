import { type AnchorHTMLAttributes, type MouseEvent, useCallback, useMemo, useSyncExternalStore } from 'react';

const moved = 'rollcall:moved';

function watch(onMove: () => void): () => void {
  for (const event of ['popstate', moved]) addEventListener(event, onMove);
  return () => {
    for (const event of ['popstate', moved]) removeEventListener(event, onMove);
  };
}

/** Goes to an address of this page. Another page begins at its top. */
export function navigate(to: string, { replace = false } = {}): void {
  const before = location.pathname;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  if (location.pathname !== before) scrollTo(0, 0);
  dispatchEvent(new Event(moved));
}

export function usePath(): string {
  return useSyncExternalStore(watch, () => location.pathname);
}

function useSearch(): string {
  return useSyncExternalStore(watch, () => location.search);
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

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string };

/** A real link, so that it can be copied and opened in a tab. A plain click stays in the page. */
export function Link({ to, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || rest.target !== undefined) return;
    event.preventDefault();
    navigate(to);
  };
  return <a {...rest} href={to} onClick={follow} />;
}

/** Returns the parts of a path that match `/runs/:run`, decoded; undefined when it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? '';
    if (part.startsWith(':')) parts[part.slice(1)] = decode(text);
    else if (part !== text) return undefined;
  }
  return parts;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
