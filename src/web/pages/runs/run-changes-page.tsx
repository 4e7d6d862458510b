import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { answerOf } from '../../api/client.ts';
import { ChangeFilters } from '../../changes/change-filters.tsx';
import { ChangeList } from '../../changes/change-list.tsx';
import { type ChangeOrder, filterOf, orderOf } from '../../changes/subject.ts';
import { Link, pathTo, useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { OutcomeBadge } from '../../ui/state-badges.tsx';
import type { RunDetail } from './run-detail.ts';

/** Every change of a run. */
export function RunChangesPage({ id }: { readonly id: string }) {
  const { api } = usePage();
  const run = useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => answerOf(api.GET('/api/runs/{id}', { signal, params: { path: { id } } })),
  });
  return (
    <Loaded query={run} title={id}>
      {(data) => <Changes run={data} />}
    </Loaded>
  );
}

function Changes({ run }: { readonly run: RunDetail }) {
  const { t } = usePage();
  const [search, change] = useFilters();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = useMemo(() => orderOf(search), [search]);
  const subject = useMemo(() => ({ kind: 'run' as const, id: run.id }), [run.id]);
  const [total, setTotal] = useState<number>();
  const onOrder = useCallback((next: ChangeOrder) => change({ sort: next.sort, order: next.order }), [change]);
  return (
    <>
      <p className="crumbs">
        <Link to="/runs">{t.runs.title}</Link> / <Link to={pathTo('runs', run.id)}>{run.sync}</Link>
      </p>
      <PageHead
        title={t.runs.changesOf(run.sync)}
        beside={<OutcomeBadge outcome={run.outcome} phase={run.phase} />}
        actions={total === undefined ? undefined : <span className="faint">{t.runs.matching(total)}</span>}
      />
      <ChangeFilters
        subject={subject}
        filter={filter}
        order={order}
        by={search.get('by') ?? undefined}
        onChange={change}
        hasStates
      />
      <ChangeList
        subject={subject}
        sync={run.sync}
        filter={filter}
        order={order}
        label={t.runs.changesOf(run.sync)}
        onOrder={onOrder}
        onTotal={setTotal}
      />
    </>
  );
}
