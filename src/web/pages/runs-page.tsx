import type { ParamsOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.d.ts';
import { useOverview } from '../state/live.ts';
import { useNow } from '../state/now.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer, usePages } from '../state/queries.ts';
import { Link, pathTo, useQueryOf, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Counts, OutcomeBadge } from '../ui/badges.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { DaysFilter, Filters, isFiltered, SyncFilter, WordFilter } from '../ui/filters.tsx';
import { Empty, Loaded, PageHead } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';

type Query = ParamsOf<'get', '/api/runs'>;
type Run = Schemas['Run'];

/** Runs, newest first, with filters in the address. */
export function RunsPage() {
  const { t } = usePage();
  const query = useQueryOf<Query>('sync', 'outcome', 'trigger', 'since', 'until');
  const runs = useRuns(query, 50);
  return (
    <>
      <PageHead title={t.nav.runs} />
      <Filters query={query}>
        <SyncFilter />
        <WordFilter name="outcome" label={t.runs.outcome} words={t.words.outcome} />
        <WordFilter name="trigger" label={t.runs.trigger} words={t.words.trigger} />
        <DaysFilter />
      </Filters>
      <Loaded query={runs}>
        {({ rows }) =>
          isFiltered(query) && rows.length === 0 ? <Empty title={t.runs.noMatch} /> : <RunTable runs={rows} />
        }
      </Loaded>
    </>
  );
}

export function useRuns(query: Query, limit: number) {
  return usePages('/api/runs', { ...query, limit }, ({ runs }) => runs);
}

/** Reads a run; with `everyMs`, again and again until it has ended. */
export function useRun(id: string, everyMs?: number) {
  return useAnswer(
    '/api/runs/{id}',
    { id },
    { refetchInterval: ({ state }) => (everyMs !== undefined && state.data?.endedAt === null ? everyMs : false) },
  );
}

export function RunTable({ runs, isOfOneSync }: Pick<Schemas['RunPage'], 'runs'> & { readonly isOfOneSync?: true }) {
  const { t } = usePage();
  return (
    <DataTable
      rows={runs}
      keyOf={({ id }) => id}
      empty={<Empty title={t.runs.none} hint={t.runs.noneHint} />}
      columns={[
        {
          title: t.runs.started,
          kind: 'head',
          className: 'nowrap',
          cell: ({ id, startedAt }) => (
            <>
              <Link to={pathTo('runs', id)}>
                <At at={startedAt} />
              </Link>
              <small className="faint">
                <Ago at={startedAt} />
              </small>
            </>
          ),
        },
        isOfOneSync === true
          ? undefined
          : { title: t.overview.syncs.name, cell: ({ sync }) => <Link to={pathTo('syncs', sync)}>{sync}</Link> },
        { title: t.runs.outcome, cell: (run) => <OutcomeBadge run={run} /> },
        { title: t.runs.changes, cell: ({ counts }) => <Counts counts={counts} /> },
        { title: t.runs.trigger, cell: ({ trigger }) => wordOf(t.words.trigger, trigger) },
        { title: t.runs.read, className: 'nowrap', cell: (run) => <ReadWords run={run} /> },
        { title: t.runs.duration, className: 'nowrap', cell: (run) => <Duration run={run} /> },
        {
          title: t.act.reason,
          className: 'faint long',
          cell: (run) => (
            <>
              {run.reason === null ? '' : t.reason(run.reason)} <NextOfRun run={run} />
            </>
          ),
        },
      ]}
    />
  );
}

/** The step that follows the newest run of a sync: what it holds is reviewed, what failed is shown. */
function NextOfRun({ run: { id, sync, counts } }: { readonly run: Run }) {
  const { t } = usePage();
  const state = useOverview().data?.syncs.find(({ name }) => name === sync);
  const waiting = state?.lastRun?.id === id ? state.holds.changes : 0;
  if (waiting + counts.failed === 0) return null;
  return (
    <div>
      {waiting === 0 ? null : <Link to={withFilters('/holds', { sync })}>{t.overview.waiting.review(waiting)}</Link>}{' '}
      {counts.failed === 0 ? null : (
        <Link to={withFilters(`${pathTo('runs', id)}/changes`, { state: 'failed' })}>
          {t.runs.failed(counts.failed)}
        </Link>
      )}
    </div>
  );
}

export function ReadWords({ run }: { readonly run: Run }) {
  const { t } = usePage();
  if (run.users !== null) return t.runs.named(run.users);
  return run.read === null ? <span className="faint">–</span> : wordOf(t.words.read, run.read);
}

export function Duration({ run }: { readonly run: Run }) {
  const { f } = usePage();
  const now = useNow();
  const end = run.endedAt === null ? now : Date.parse(run.endedAt);
  return f.duration(Math.max(0, end - Date.parse(run.startedAt)));
}
