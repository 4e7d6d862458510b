import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { keyText, useFollowed } from '../../state/follow.ts';
import { usePage } from '../../state/page-context.tsx';

export type Preview = Schemas['Preview'];

/** Reads a preview, and follows it while it is made. */
export function usePreview(id: string) {
  const { api } = usePage();
  const query = useQuery({
    queryKey: ['preview', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/previews/{id}', { signal, params: { path: { id } } })),
    staleTime: 60_000,
  });
  const state = query.data?.state;
  const isOpen = state === 'waiting' || state === 'working';
  useFollowed(isOpen ? `/api/previews/${encodeURIComponent(id)}/events` : undefined, 'preview', keyText('preview', id));
  return query;
}
