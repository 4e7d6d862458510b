import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Api, answerOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import type { ChangeFilter, ChangeOrder, ChangeSubject, FoundChange } from './subject.ts';

const pageSize = 200;

type FoundChanges = Schemas['FoundChanges'];

/** The rows around what is visible. A row that is not loaded is undefined. */
export interface ChangeRows {
  /** Undefined until the first answer. */
  readonly total: number | undefined;
  readonly all: number;
  readonly error: Error | null;
  rowAt(index: number): FoundChange | undefined;
}

interface Asked {
  readonly subject: ChangeSubject;
  readonly filter: ChangeFilter;
  readonly order: ChangeOrder;
  /** The first and last row on the screen. */
  readonly first: number;
  readonly last: number;
}

function search(
  api: Api,
  { kind, id }: ChangeSubject,
  query: ChangeFilter & ChangeOrder & Window,
  signal: AbortSignal,
) {
  return answerOf<FoundChanges>(
    api.GET(`/api/${kind}s/{id}/changes/search`, { signal, params: { path: { id }, query } }),
  );
}

interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** Reads pages of changes from the server as the user scrolls. The first page also tells the total. */
export function useChanges({ subject, filter, order, first, last }: Asked): ChangeRows {
  const { api } = usePage();
  const client = useQueryClient();
  const from = Math.floor(first / pageSize);
  const to = Math.floor(Math.max(first, last) / pageSize);
  const pages = [...new Set([0, ...Array.from({ length: to - from + 1 }, (_, i) => from + i)])];
  const key = ['changes', subject.kind, subject.id, filter, order];
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        search(api, subject, { ...filter, ...order, limit: pageSize, offset: page * pageSize }, signal),
      staleTime: 300_000,
    })),
  });
  const versions = new Set(results.flatMap(({ data }) => data?.version ?? []));
  const isMixed = versions.size > 1;
  const { kind, id } = subject;
  useEffect(() => {
    // The list changed between two pages: rows may have moved, so all of them are read again.
    if (isMixed) client.invalidateQueries({ queryKey: ['changes', kind, id] });
  }, [isMixed, client, kind, id]);
  const head = results[0]?.data;
  return {
    total: head?.total,
    all: head?.all ?? 0,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    rowAt: (index) => {
      const result = results[pages.indexOf(Math.floor(index / pageSize))];
      return result?.data?.changes[index % pageSize];
    },
  };
}

/** Counts changes by a property, with the same filter as the list. */
export function useChangeGroups(subject: ChangeSubject, filter: ChangeFilter, by: string | undefined) {
  const { kind, id } = subject;
  return useAnswer<Schemas['ChangeGroups']>(
    ['changes', kind, id, 'groups', filter, by],
    (api, signal) => {
      const params = { path: { id }, query: { ...filter, by: by ?? 'reason' } };
      return api.GET(`/api/${kind}s/{id}/changes/groups`, { signal, params });
    },
    { enabled: by !== undefined, placeholderData: keepPreviousData },
  );
}
