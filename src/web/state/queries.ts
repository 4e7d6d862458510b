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
import { type Api, ApiProblem, answerOf } from '../api/client.ts';
import { usePage } from './page-context.tsx';

const tries = 3;

/** Queries of lists that change while runs work. A new overview reads them again. */
export const liveKeys: ReadonlySet<string> = new Set([
  'runs',
  'run',
  'holds',
  'hold',
  'changes',
  'alerts',
  'days',
  'connections',
]);

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
    if (error instanceof ApiProblem && error.problem.status === 401) {
      client.invalidateQueries({ queryKey: ['session'] });
    }
  };
  return client;
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false;
  const { status } = error.problem;
  return status === 0 || status === 429 || status >= 500;
}

type Asked<T> = Parameters<typeof answerOf<T>>[0];

/** Reads one answer of the API. The key names it in the memory of answers. */
export function useAnswer<T>(
  queryKey: QueryKey,
  ask: (api: Api, signal: AbortSignal) => Asked<T>,
  options: Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<T> {
  const { api } = usePage();
  return useQuery<T>({ ...options, queryKey, queryFn: ({ signal }) => answerOf(ask(api, signal)) });
}

export function usePages<T extends { readonly next: Cursor | null }, Cursor extends string | number>(
  queryKey: QueryKey,
  ask: (api: Api, cursor: Cursor | undefined, signal: AbortSignal) => Asked<T>,
  options: { readonly enabled?: boolean; readonly placeholderData?: typeof keepPreviousData } = {},
) {
  const { api } = usePage();
  return useInfiniteQuery({
    ...options,
    queryKey,
    initialPageParam: undefined as Cursor | undefined,
    queryFn: ({ signal, pageParam }) => answerOf<T>(ask(api, pageParam as Cursor | undefined, signal)),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
