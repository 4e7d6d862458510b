import { useOverview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ConnectionsCard } from './connections-card.tsx';
import { SyncTable } from './sync-table.tsx';
import { WaitingList } from './waiting-list.tsx';
import { AlertsCard, WorkCard } from './work-card.tsx';

/** What waits for the user first, then every sync with its health and its state. */
export function OverviewPage() {
  const { t } = usePage();
  const overview = useOverview();
  return (
    <>
      <PageHead title={t.overview.title} />
      <Loaded query={overview}>
        {(data) => (
          <>
            <WaitingList overview={data} />
            <SyncTable syncs={data.syncs} />
            <div className="cards">
              <AlertsCard alerts={data.alerts} />
              <ConnectionsCard />
              <WorkCard work={data.work} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
