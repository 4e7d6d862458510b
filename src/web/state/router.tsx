import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';

/** The address as the page reads it. */
export interface Place {
  readonly path: string;
  readonly search: string;
}

interface Router {
  readonly place: Place;
  navigate(to: string, options?: { readonly replace?: boolean }): void;
}

const RouterContext = createContext<Router | undefined>(undefined);

const here = (): Place => ({ path: location.pathname, search: location.search });

export function RouterProvider({ children }: { readonly children: ReactNode }) {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const onPop = (): void => setPlace(here());
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const navigate = useCallback<Router['navigate']>((to, { replace = false } = {}) => {
    const before = location.pathname;
    if (replace) history.replaceState(null, '', to);
    else history.pushState(null, '', to);
    if (location.pathname !== before) scrollTo(0, 0);
    setPlace(here());
  }, []);
  const router = useMemo(() => ({ place, navigate }), [place, navigate]);
  return <RouterContext value={router}>{children}</RouterContext>;
}

export function useRouter(): Router {
  const router = useContext(RouterContext);
  if (router === undefined) throw new Error('useRouter needs RouterProvider');
  return router;
}

/** Filters in the address: a reload or a link shows the same list. */
export function useFilters(): readonly [
  URLSearchParams,
  (changes: Readonly<Record<string, string | undefined>>) => void,
] {
  const { place, navigate } = useRouter();
  const filters = useMemo(() => new URLSearchParams(place.search), [place.search]);
  const change = useCallback(
    (changes: Readonly<Record<string, string | undefined>>) => {
      const next = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || value === '') next.delete(name);
        else next.set(name, value);
      }
      const search = next.toString();
      navigate(`${location.pathname}${search === '' ? '' : `?${search}`}`, { replace: true });
    },
    [navigate],
  );
  return [filters, change];
}

/** One filter in the address. Without a value it is not there. */
export function useFilter(name: string): readonly [string | undefined, (value: string | undefined) => void] {
  const [filters, change] = useFilters();
  const set = useCallback((value: string | undefined) => change({ [name]: value }), [change, name]);
  return [filters.get(name) ?? undefined, set];
}

/** The filters with these names, as the API takes them. It refuses what a user typed into the address. */
export function useQueryOf<Query>(...names: readonly (keyof Query & string)[]): Query {
  const [filters] = useFilters();
  return Object.fromEntries(names.map((name) => [name, filters.get(name) ?? undefined])) as Query;
}

type LinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: string };

/** A real link, so that it can be copied and opened in a tab. A plain click stays in the page. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const { navigate } = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (event.defaultPrevented || !isPlain || rest.target !== undefined) return;
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
export function withFilters(path: string, filters: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined && value !== '') search.set(name, value);
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
