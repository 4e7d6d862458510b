import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePage } from '../state/page-context.tsx';
import { keyOf, useAnswer } from '../state/queries.ts';
import type { ChangeView, FoundChange } from './subject.ts';

const pageSize = 200;

/** The first and the last row on the screen. */
interface Range {
  readonly first: number;
  readonly last: number;
}

const start: Range = { first: 0, last: 0 };

/** Reads pages of changes from the server as the user scrolls. The first page also tells the total. */
export function useChanges(view: ChangeView, { first, last }: Range = start, enabled = true) {
  const { api } = usePage();
  const client = useQueryClient();
  const { kind, id } = view.subject;
  const path = `/api/${kind}s/{id}/changes/search` as const;
  const from = Math.floor(first / pageSize);
  const to = Math.floor(Math.max(first, last) / pageSize);
  const pages = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, i) => from + i)])];
  const results = useQueries({
    queries: pages.map((page) => {
      const params = { id, ...view.filter, ...view.order, limit: pageSize, offset: page * pageSize };
      return {
        queryKey: keyOf(path, params),
        queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.get(path, params, signal),
        staleTime: 300_000,
        enabled,
      };
    }),
  });
  const versions = new Set(results.flatMap(({ data }) => data?.version ?? []));
  const isMixed = versions.size > 1;
  useEffect(() => {
    // The list changed between two pages: rows may have moved, so all of them are read again.
    if (isMixed) client.invalidateQueries({ queryKey: [path] });
  }, [isMixed, client, path]);
  const head = results[0]?.data;
  return {
    /** Undefined until the first answer. */
    total: head?.total,
    all: head?.all ?? 0,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    /** Undefined for a row that is not loaded. */
    rowAt: (index: number): FoundChange | undefined => {
      const result = results[pages.indexOf(Math.floor(index / pageSize))];
      return result?.data?.changes[index % pageSize];
    },
  };
}

/** Counts changes by a property, with the same filter as the list. */
export function useChangeGroups({ subject: { kind, id }, filter }: ChangeView, by: string) {
  const options = { placeholderData: keepPreviousData };
  return useAnswer(`/api/${kind}s/{id}/changes/groups`, { id, ...filter, by }, options).data;
}
