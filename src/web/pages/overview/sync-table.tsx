import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import type { SyncOverview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { Bars } from '../../ui/bars.tsx';
import { Empty } from '../../ui/empty.tsx';
import { HealthBadge } from '../../ui/state-badges.tsx';
import { Ago, At } from '../../ui/time.tsx';
import { ActivityCell } from './activity-cell.tsx';

export type DayCounts = Schemas['DayList']['syncs'][number]['days'][number];

/** Reads what each sync did in the last days. */
export function useDays(days: number, sync?: string) {
  const { api, f } = usePage();
  return useQuery({
    queryKey: ['days', days, sync, f.timeZone],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/api/overview/days', { signal, params: { query: { days, sync, timezone: f.timeZone } } })),
    staleTime: 60_000,
  });
}

export function SyncTable({ syncs }: { readonly syncs: readonly SyncOverview[] }) {
  const { t } = usePage();
  const days = useDays(7);
  const words = t.overview.syncs;
  return (
    <section aria-labelledby="syncs-title">
      <h2 id="syncs-title">{words.title}</h2>
      {syncs.length === 0 ? (
        <Empty title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      ) : (
        <div className="table">
          <table className="folding">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.health}</th>
                <th scope="col">{words.state}</th>
                <th scope="col" title={words.freshTitle}>
                  {words.fresh}
                </th>
                <th scope="col">{words.days}</th>
                <th scope="col">{words.next}</th>
              </tr>
            </thead>
            <tbody>
              {syncs.map((sync) => (
                <SyncRow
                  key={sync.name}
                  sync={sync}
                  days={days.data?.syncs.find(({ name }) => name === sync.name)?.days}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function SyncRow({ sync, days }: { readonly sync: SyncOverview; readonly days: readonly DayCounts[] | undefined }) {
  const { t } = usePage();
  const words = t.overview.syncs;
  return (
    <tr>
      <th scope="row">
        <Link to={pathTo('syncs', sync.name)}>{sync.name}</Link>
        <small className="faint">{sync.connection}</small>
      </th>
      <td data-label={words.health}>
        <HealthBadge health={sync.health} />
      </td>
      <td data-label={words.state}>
        <ActivityCell sync={sync} />
      </td>
      <td data-label={words.fresh}>
        <Ago at={sync.freshAt} />
      </td>
      <td data-label={words.days}>{days === undefined ? null : <DayBars days={days} />}</td>
      <td data-label={words.next}>
        <NextSlot sync={sync} />
      </td>
    </tr>
  );
}

/** When the schedule starts the next run, or why it starts none. */
export function NextSlot({ sync: { nextSlotAt, health, schedule } }: { readonly sync: SyncOverview }) {
  const words = usePage().t.overview.syncs;
  return <At at={nextSlotAt} missing={health.state === 'paused' ? words.paused : (schedule ?? words.manual)} />;
}

export function DayBars({ days }: { readonly days: readonly DayCounts[] }) {
  const { t, f } = usePage();
  const changes = ({ create, update, enable, disable, remove }: DayCounts): number =>
    create + update + enable + disable + remove;
  const all = days.reduce((sum, day) => sum + changes(day), 0);
  const failed = days.reduce((sum, { failedRuns }) => sum + failedRuns, 0);
  return (
    <Bars
      label={t.overview.syncs.chart(all, failed)}
      bars={days.map((day) => ({
        key: day.day,
        value: changes(day),
        isBad: day.failedRuns > 0,
        title: t.overview.syncs.day(f.day(day.day), changes(day), day.runs),
      }))}
    />
  );
}
