import type { Schemas } from '../api/schema.ts';
import { useAnswer } from './queries.ts';

export type Session = Schemas['Session'];
export type Right = Session['rights'][number];

export function useSession() {
  return useAnswer(['session'], (api, signal) => api.GET('/api/session', { signal }), {
    staleTime: 60_000,
    refetchInterval: 120_000,
  });
}

/** Returns whether the user has a right, in this sync or in some sync. What needs a missing right is not shown. */
export function useMay(right: Right, sync?: string): boolean {
  const { data } = useSession();
  const rights = sync === undefined ? data?.rights : data?.bySync[sync];
  return rights?.includes(right) === true;
}
