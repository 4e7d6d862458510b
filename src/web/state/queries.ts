import {
  type keepPreviousData,
  QueryCache,
  QueryClient,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { type Answer, ApiProblem, type Gets, type ParamsOf } from '../api/client.ts';
import { usePage } from './page-context.tsx';

const tries = 3;

/** What changes while runs work. A new overview reads it again. */
export const livePaths = /^\/api\/(?:runs|holds|changes|alerts|connections|overview\/days)/;

/** Opens the memory of answers. A refused session shows the sign-in at once. */
export function openQueries(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => leaveIfOver(error) }),
    defaultOptions: {
      queries: {
        staleTime: 5000,
        // The server may run on this machine: the browser cannot know whether it answers.
        networkMode: 'always',
        retry: (count, error) => count < tries && isPassing(error),
        retryDelay: (count, error) =>
          error instanceof ApiProblem && error.retryAfterSeconds !== undefined
            ? error.retryAfterSeconds * 1000
            : 500 * 2 ** count,
      },
      mutations: { networkMode: 'always', onError: (error) => leaveIfOver(error) },
    },
  });
  const leaveIfOver = (error: unknown): void => {
    if (error instanceof ApiProblem && error.status === 401) {
      client.invalidateQueries({ queryKey: keyOf('/api/session', {}) });
    }
  };
  return client;
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false;
  const { status } = error;
  return status === 0 || status === 429 || status >= 500;
}

type Params<Path extends Gets> = ParamsOf<'get', Path>;

/** Names an answer in the memory of answers. */
export function keyOf<Path extends Gets>(path: Path, params: Params<Path>): QueryKey {
  return [path, params];
}

/** Reads one answer of the API. */
export function useAnswer<Path extends Gets>(
  path: Path,
  params: Params<Path>,
  options: Omit<UseQueryOptions<Answer<'get', Path>>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<Answer<'get', Path>> {
  const { api } = usePage();
  return useQuery({
    ...options,
    queryKey: keyOf(path, params),
    queryFn: ({ signal }) => api.get(path, params, signal),
  });
}

interface PagesOptions {
  readonly enabled?: boolean;
  readonly placeholderData?: typeof keepPreviousData;
  /** The parameter that leads to the next page. */
  readonly cursor?: 'cursor' | 'after' | 'offset';
}

/** Reads a list page by page, as the user asks for more. `first`: the first page, for what it says about all of them. */
export function usePages<Path extends Gets, Row>(
  path: Path,
  params: Params<Path>,
  rowsOf: (page: Answer<'get', Path>) => readonly Row[],
  { cursor = 'cursor', ...options }: PagesOptions = {},
) {
  const { api } = usePage();
  return useInfiniteQuery({
    ...options,
    queryKey: keyOf(path, params),
    initialPageParam: undefined as string | number | undefined,
    queryFn: ({ signal, pageParam }) => api.get(path, { ...params, [cursor]: pageParam }, signal),
    getNextPageParam: (page) => (page as { readonly next: string | number | null }).next ?? undefined,
    select: ({ pages }) => ({ first: pages[0], rows: pages.flatMap(rowsOf) }),
  });
}
