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

/** Returns whether the user has a right. What needs a missing right is not shown. */
export function useMay(right: Right): boolean {
  return useSession().data?.rights.includes(right) === true;
}
