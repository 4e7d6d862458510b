import { answerOf } from '../../api/client.ts';
import { Link, pathTo, useRouter, withFilters } from '../../router/router.tsx';
import { type SyncOverview, useOverview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { HealthBadge } from '../../ui/state-badges.tsx';
import { Ago } from '../../ui/time.tsx';
import { ActivityCell } from '../overview/activity-cell.tsx';
import { DayBars, NextSlot, useDays } from '../overview/sync-table.tsx';
import { WaitingList } from '../overview/waiting-list.tsx';
import { RunTable } from '../runs/run-table.tsx';
import { useRuns } from '../runs/runs-page.tsx';
import { MappingSection } from './mapping-section.tsx';
import { PreviewsSection } from './previews-section.tsx';

/** One sync: how it goes, what it did, and what can be done with it. */
export function SyncPage({ name }: { readonly name: string }) {
  const { t } = usePage();
  const overview = useOverview();
  return (
    <Loaded query={overview}>
      {(data) => {
        const sync = data.syncs.find((one) => one.name === name);
        if (sync === undefined) {
          return (
            <>
              <PageHead title={name} />
              <Empty title={t.syncs.unknown} />
            </>
          );
        }
        return (
          <>
            <PageHead
              title={name}
              beside={<HealthBadge health={sync.health} />}
              actions={<SyncActions sync={sync} />}
            />
            {sync.holds.changes + sync.holds.expired.changes + sync.holds.reads === 0 ? null : (
              <WaitingList overview={{ ...data, syncs: [sync] }} />
            )}
            <Facts sync={sync} />
            <LastRuns name={name} />
            <PreviewsSection sync={name} />
            <MappingSection sync={name} />
          </>
        );
      }}
    </Loaded>
  );
}

function Facts({ sync }: { readonly sync: SyncOverview }) {
  const { t } = usePage();
  const days = useDays(30, sync.name);
  const words = t.overview.syncs;
  const own = days.data?.syncs[0]?.days;
  return (
    <section className="cards">
      <div className="card">
        <dl className="pairs">
          <div>
            <dt>{words.state}</dt>
            <dd>
              <ActivityCell sync={sync} />
            </dd>
          </div>
          <div>
            <dt>{words.fresh}</dt>
            <dd>
              <Ago at={sync.freshAt} />
            </dd>
          </div>
          <div>
            <dt>{words.next}</dt>
            <dd>
              <NextSlot sync={sync} />
            </dd>
          </div>
          <div>
            <dt>{t.syncs.schedule}</dt>
            <dd>{sync.schedule === null ? words.manual : <code>{sync.schedule}</code>}</dd>
          </div>
          <div>
            <dt>{t.syncs.policy}</dt>
            <dd>
              <code>{sync.policy}</code>
            </dd>
          </div>
          <div>
            <dt>{t.syncs.connection}</dt>
            <dd>
              <Link to="/connections">{sync.connection}</Link>
            </dd>
          </div>
        </dl>
      </div>
      <div className="card">
        <h2>{t.syncs.days}</h2>
        {own === undefined ? null : <DayBars days={own} />}
        {sync.health.reason === null ? null : <p className="needs break">{sync.health.reason}</p>}
      </div>
    </section>
  );
}

function LastRuns({ name }: { readonly name: string }) {
  const { t } = usePage();
  const runs = useRuns({ sync: name }, 10);
  return (
    <section aria-labelledby="last-runs">
      <h2 id="last-runs">{t.syncs.lastRuns}</h2>
      <Loaded query={runs}>
        {({ pages }) => {
          const list = pages.flatMap((page) => page.runs).slice(0, 10);
          return list.length === 0 ? (
            <Empty title={t.runs.none}>
              <p>{t.runs.noneHint}</p>
            </Empty>
          ) : (
            <RunTable runs={list} isOfOneSync />
          );
        }}
      </Loaded>
      <p className="faint small">
        <Link to={withFilters('/runs', { sync: name })}>{t.syncs.allRuns}</Link>
      </p>
    </section>
  );
}

function SyncActions({ sync }: { readonly sync: SyncOverview }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  if (!mayAct) return null;
  const params = { path: { sync: sync.name } };
  return (
    <>
      <PreviewButton sync={sync.name} />
      {sync.health.state === 'paused' ? (
        <ActionButton
          label={t.syncs.resume}
          means={t.syncs.resumeMeans}
          onAct={() => answerOf(api.POST('/api/syncs/{sync}/resume', { params }))}
        />
      ) : (
        <ActionButton
          label={t.syncs.pause}
          means={t.syncs.pauseMeans}
          onAct={() => answerOf(api.POST('/api/syncs/{sync}/pause', { params }))}
        />
      )}
      <ActionButton
        label={t.syncs.full}
        means={t.syncs.fullMeans}
        onAct={() => answerOf(api.POST('/api/syncs/{sync}/runs', { params, body: { full: true } }))}
      />
      <ActionButton
        label={t.syncs.run}
        look="main"
        means={t.syncs.runMeans}
        onAct={() => answerOf(api.POST('/api/syncs/{sync}/runs', { params, body: {} }))}
      />
    </>
  );
}

/** Requests a preview, and goes to its page. */
function PreviewButton({ sync }: { readonly sync: string }) {
  const { api, t } = usePage();
  const { navigate } = useRouter();
  return (
    <ActionButton
      label={t.previews.request}
      means={t.previews.requestMeans}
      onAct={async () => {
        const { id } = await answerOf(api.POST('/api/previews', { body: { sync } }));
        navigate(pathTo('previews', id));
      }}
    />
  );
}
