import { useCallback, useMemo } from 'react';
import { useFilters } from '../router/router.tsx';
import { ChangeFilters } from './change-filters.tsx';
import { type ChangeChoice, ChangeList } from './change-list.tsx';
import { type ChangeOrder, type ChangeSubject, filterOf, orderOf } from './subject.ts';

/** What of the changes is shown, as the address says it. */
export function useChangeView(kind: ChangeSubject['kind'], id: string) {
  const [search, change] = useFilters();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = useMemo(() => orderOf(search), [search]);
  const subject = useMemo(() => ({ kind, id }), [kind, id]);
  const onOrder = useCallback((next: ChangeOrder) => change({ sort: next.sort, order: next.order }), [change]);
  return { subject, filter, order, onOrder, by: search.get('by') ?? undefined, change };
}

interface Props {
  readonly view: ReturnType<typeof useChangeView>;
  readonly sync: string;
  readonly label: string;
  readonly onTotal: (total: number, all: number) => void;
  /** Only for a run or preview, whose changes have different states. */
  readonly hasStates?: boolean;
  readonly choice?: ChangeChoice;
}

/** The changes of a run, hold or preview, with their filters and groups. */
export function ChangesView({ view, sync, label, onTotal, hasStates = false, choice }: Props) {
  const { subject, filter, order, onOrder, by, change } = view;
  return (
    <>
      <ChangeFilters {...{ subject, filter, order, by, hasStates }} onChange={change} />
      <ChangeList
        {...{ subject, sync, filter, order, label, onOrder, onTotal }}
        {...(choice === undefined ? {} : { choice })}
      />
    </>
  );
}
