import { useInfiniteQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import type { paths, Schemas } from '../../api/schema.ts';
import { useFilters } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { Button } from '../../ui/button.tsx';
import { DayFilter } from '../../ui/day-filter.tsx';
import { Empty } from '../../ui/empty.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { SyncSelect } from '../../ui/sync-select.tsx';
import { WordSelect } from '../../ui/word-select.tsx';
import { RunTable } from './run-table.tsx';

type Query = NonNullable<paths['/api/runs']['get']['parameters']['query']>;

/** Runs, newest first, with filters in the address. */
export function RunsPage() {
  const { t } = usePage();
  const [filters, change] = useFilters();
  const given = (name: string): string | undefined => filters.get(name) ?? undefined;
  const query = {
    sync: given('sync'),
    outcome: given('outcome'),
    trigger: given('trigger') as Query['trigger'],
    since: given('since'),
    until: given('until'),
  };
  const runs = useRuns(query);
  const isFiltered = Object.values(query).some((value) => value !== undefined);
  return (
    <>
      <PageHead title={t.runs.title} />
      <div className="filters">
        <SyncSelect value={query.sync} onChange={(sync) => change({ sync })} />
        <WordSelect
          label={t.runs.outcome}
          value={query.outcome}
          words={t.words.outcome}
          onChange={(outcome) => change({ outcome })}
        />
        <WordSelect
          label={t.runs.trigger}
          value={query.trigger}
          words={t.words.trigger}
          onChange={(trigger) => change({ trigger })}
        />
        <DayFilter label={t.runs.since} edge="start" value={query.since} onChange={(since) => change({ since })} />
        <DayFilter label={t.runs.until} edge="end" value={query.until} onChange={(until) => change({ until })} />
        {isFiltered ? (
          <Button
            look="bare"
            onClick={() => change({ sync: '', outcome: '', trigger: '', since: undefined, until: undefined })}
          >
            {t.act.clear}
          </Button>
        ) : null}
      </div>
      <Loaded query={runs}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.runs);
          return all.length === 0 ? (
            <Empty title={isFiltered ? t.runs.noMatch : t.runs.none}>
              {isFiltered ? null : <p>{t.runs.noneHint}</p>}
            </Empty>
          ) : (
            <>
              <RunTable runs={all} />
              <LoadMore query={runs} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

export function useRuns(query: Query, limit = 50) {
  const { api } = usePage();
  return useInfiniteQuery({
    queryKey: ['runs', query, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      answerOf<Schemas['RunPage']>(
        api.GET('/api/runs', { signal, params: { query: { ...query, limit, cursor: pageParam } } }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}
