import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemOfError } from '../api/problem.ts';
import { usePage } from '../state/page-context.tsx';
import { PageHead } from './page-head.tsx';
import { ProblemBox } from './problem-box.tsx';

interface Props<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isFetching'>;
  /** Of a whole page: its head while there is no data. */
  readonly title?: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query. Old data stays while new data loads, and beside the problem when that fails. */
export function Loaded<T>({ query, title, children }: Props<T>) {
  const { t } = usePage();
  const { data, error, refetch } = query;
  return (
    <>
      {data === undefined && title !== undefined ? <PageHead title={title} /> : null}
      {error === null ? null : <ProblemBox problem={problemOfError(error)} onRetry={() => void refetch()} />}
      {data === undefined
        ? error === null && (
            <p className="loading" role="status">
              {t.loading}
            </p>
          )
        : children(data)}
    </>
  );
}
