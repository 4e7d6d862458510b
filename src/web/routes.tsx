import type { ReactNode } from 'react';
import { AlertsPage } from './pages/alerts/alerts-page.tsx';
import { AuditPage } from './pages/audit/audit-page.tsx';
import { ConnectionsPage } from './pages/connections/connections-page.tsx';
import { HoldPage } from './pages/holds/hold-page.tsx';
import { HoldsPage } from './pages/holds/holds-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { PeoplePage } from './pages/people/people-page.tsx';
import { PersonPage } from './pages/people/person-page.tsx';
import { PreviewPage } from './pages/previews/preview-page.tsx';
import { RunChangesPage } from './pages/runs/run-changes-page.tsx';
import { RunPage } from './pages/runs/run-page.tsx';
import { RunsPage } from './pages/runs/runs-page.tsx';
import { SyncPage } from './pages/syncs/sync-page.tsx';
import { matchPath, type Place } from './router/router.tsx';

type Parts = Readonly<Record<string, string>>;

/** The pages by address. The server answers each address of `src/server/page/routes.ts` with this program. */
const routes: readonly (readonly [string, (parts: Parts, search: URLSearchParams) => ReactNode])[] = [
  ['/', () => <OverviewPage />],
  ['/runs', () => <RunsPage />],
  ['/runs/:run', ({ run = '' }) => <RunPage key={run} id={run} />],
  ['/runs/:run/changes', ({ run = '' }) => <RunChangesPage key={run} id={run} />],
  ['/holds', () => <HoldsPage />],
  ['/holds/:hold', ({ hold = '' }) => <HoldPage key={hold} id={hold} />],
  ['/people', (_parts, search) => <PeoplePage asked={search.get('q') ?? ''} />],
  [
    '/people/:sync/:person',
    ({ sync = '', person = '' }) => <PersonPage key={`${sync} ${person}`} sync={sync} id={person} />,
  ],
  ['/previews/:preview', ({ preview = '' }) => <PreviewPage key={preview} id={preview} />],
  ['/syncs/:sync', ({ sync = '' }) => <SyncPage key={sync} name={sync} />],
  ['/alerts', () => <AlertsPage />],
  ['/audit', () => <AuditPage />],
  ['/connections', () => <ConnectionsPage />],
  ['/sign-in', () => <OverviewPage />],
];

export function pageAt({ path, search }: Place): ReactNode {
  for (const [pattern, page] of routes) {
    const parts = matchPath(pattern, path);
    if (parts !== undefined) return page(parts, new URLSearchParams(search));
  }
  return <NotFoundPage />;
}
