import { answerOf } from '../api/client.ts';
import { useMay } from '../shell/session.tsx';
import { type SyncOverview, useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { Link, pathTo, withFilters } from '../state/router.tsx';
import { ActionButton } from '../ui/actions.tsx';
import { HealthBadge } from '../ui/badges.tsx';
import { Empty, Loaded, PageHead, Pair, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';
import { MappingSection } from './mapping-section.tsx';
import { WaitingList } from './overview-page.tsx';
import { PreviewButton } from './preview-orders.tsx';
import { PreviewsSection } from './preview-page.tsx';
import { RunTable, useRuns } from './runs-page.tsx';
import { ActivityCell, DayBars, NextSlot, useDays } from './sync-table.tsx';

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
            <p>
              <Link to={pathTo('syncs', name, 'accounts')}>{t.accounts.link}</Link>
            </p>
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
          <Pair name={t.runs.state}>
            <ActivityCell sync={sync} />
          </Pair>
          <Pair name={words.fresh}>
            <Ago at={sync.freshAt} />
          </Pair>
          <Pair name={words.next}>
            <NextSlot sync={sync} />
          </Pair>
          <Pair name={t.syncs.schedule}>{sync.schedule === null ? words.manual : <code>{sync.schedule}</code>}</Pair>
          <Pair name={t.syncs.policy}>
            <code>{sync.policy}</code>
          </Pair>
          <Pair name={t.syncs.connection}>
            <Link to="/connections">{sync.connection}</Link>
          </Pair>
        </dl>
      </div>
      <div className="card">
        <h2>{t.syncs.days}</h2>
        <DayBars days={own} />
        {sync.health.reason === null ? null : <p className="needs break">{sync.health.reason}</p>}
      </div>
    </section>
  );
}

function LastRuns({ name }: { readonly name: string }) {
  const { t } = usePage();
  const runs = useRuns({ sync: name }, 10);
  return (
    <Section name="last-runs" title={t.syncs.lastRuns}>
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
    </Section>
  );
}

function SyncActions({ sync }: { readonly sync: SyncOverview }) {
  const { api, t } = usePage();
  const mayAct = useMay('act', sync.name);
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
          onAct={() => answerOf(api.POST('/api/syncs/{sync}/pause', { params, body: {} }))}
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
