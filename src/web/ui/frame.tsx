import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { Children, Fragment, type ReactNode, useEffect } from 'react';
import { usePage } from '../state/page-context.tsx';
import { Button, ProblemBox } from './actions.tsx';

interface HeadProps {
  readonly title: string;
  /** Beside the title: badges, an address. */
  readonly beside?: ReactNode;
  /** At the other end: what can be done. */
  readonly actions?: ReactNode;
}

/** The head of a page. Its title is also the title of the tab. */
export function PageHead({ title, beside, actions }: HeadProps) {
  const { t } = usePage();
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
  }, [title, t]);
  return (
    <div className="page-head">
      <h1 tabIndex={-1}>{title}</h1>
      {beside}
      {actions === undefined ? null : <div className="actions">{actions}</div>}
    </div>
  );
}

interface SectionProps {
  /** Names the section in the document: `<name>-title` is the id of its head. */
  readonly name: string;
  readonly title: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page under a head. */
export function Section({ name, title, className, children }: SectionProps) {
  return (
    <section className={className} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`}>{title}</h2>
      {children}
    </section>
  );
}

interface PairProps {
  readonly name?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A fact in a list of facts: what it is, and its value. */
export function Pair({ name, className, children }: PairProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}

/** Facts in one line, with a dot between those that are there. */
export function Dots({ children }: { readonly children: ReactNode }) {
  return Children.toArray(children)
    .filter((fact) => fact !== '')
    .map((fact, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the facts keep their order.
      <Fragment key={i}>
        {i === 0 ? '' : ' · '}
        {fact}
      </Fragment>
    ));
}

interface EmptyProps {
  readonly title: string;
  /** What brings it. */
  readonly hint?: ReactNode;
}

/** Says what will be here, and what brings it. */
export function Empty({ title, hint }: EmptyProps) {
  return (
    <div className="empty">
      <p>{title}</p>
      {hint === undefined ? null : <p>{hint}</p>}
    </div>
  );
}

interface LoadedProps<T> {
  /** Of a list that is read page by page: it also leads to the next page. */
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'> &
    Partial<Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>>;
  /** Of a whole page: its head while there is no data. */
  readonly title?: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query. Old data stays while new data loads, and beside the problem when that fails. */
export function Loaded<T>({ query, title, children }: LoadedProps<T>) {
  const { t } = usePage();
  const { data, error, refetch } = query;
  return (
    <>
      {data === undefined && title !== undefined ? <PageHead title={title} /> : null}
      <ProblemBox error={error} onRetry={() => void refetch()} />
      {data === undefined
        ? error === null && (
            <p className="loading" role="status">
              {t.loading}
            </p>
          )
        : children(data)}
      {query.hasNextPage === true ? (
        <p className="more">
          <Button isBusy={query.isFetchingNextPage === true} onClick={() => void query.fetchNextPage?.()}>
            {t.act.loadMore}
          </Button>
        </p>
      ) : null}
    </>
  );
}
