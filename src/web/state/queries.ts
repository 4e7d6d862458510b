import { QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../api/problem.ts';

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
