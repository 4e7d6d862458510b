import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch } from 'wouter';
import type { PageRoute } from '../views/page-routes.ts';
import { openApi } from './api/client.ts';
import { type Session, SignInPage, useSession } from './shell/session.tsx';
import { NowProvider, useNow, watchPresence } from './state/now.tsx';
import { PageProvider, readPreferences, usePage } from './state/page-context.tsx';
import { keyOf, openQueries } from './state/queries.ts';
import { decodeParts, Link, usePlace } from './state/router.tsx';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/changes.css';
import './styles/runs.css';
import './styles/people.css';
import { AccountsPage } from './pages/accounts-page.tsx';
import { AlertsPage } from './pages/alerts-page.tsx';
import { ConnectionsPage } from './pages/connections-page.tsx';
import { CorrectionsPage } from './pages/corrections-page.tsx';
import { HoldPage } from './pages/hold-page.tsx';
import { HoldsPage } from './pages/holds-page.tsx';
import { OverviewPage } from './pages/overview-page.tsx';
import { PeoplePage, PersonPage } from './pages/people-page.tsx';
import { PreviewPage } from './pages/preview-page.tsx';
import { AuditPage, ChangesPage, LeaversPage, ReportPage } from './pages/records-page.tsx';
import { RunPage } from './pages/run-page.tsx';
import { RunChangesPage } from './pages/run-results.tsx';
import { RunsPage } from './pages/runs-page.tsx';
import { SetUpPage } from './pages/set-up-page.tsx';
import { SyncPage } from './pages/sync-page.tsx';
import { KeysProvider } from './shell/shortcut-keys.tsx';
import { TopBar } from './shell/top-bar.tsx';
import { type Live, useLive } from './state/live.ts';
import { Icon } from './ui/badges.tsx';
import { Empty, Loaded, PageHead } from './ui/frame.tsx';

type Parts = Readonly<Record<string, string>>;

/** What is shown at each address of the page. */
const pages: Readonly<Record<PageRoute, (parts: Parts) => ReactNode>> = {
  '/': () => <OverviewPage />,
  '/runs': () => <RunsPage />,
  '/runs/:run': ({ run = '' }) => <RunPage key={run} id={run} />,
  '/runs/:run/changes': ({ run = '' }) => <RunChangesPage key={run} id={run} />,
  '/changes': () => <ChangesPage />,
  '/reports': () => <ReportPage />,
  '/leavers': () => <LeaversPage />,
  '/holds': () => <HoldsPage />,
  '/holds/:hold': ({ hold = '' }) => <HoldPage key={hold} id={hold} />,
  '/people': () => <PeoplePage />,
  '/people/:sync/:person': ({ sync = '', person = '' }) => (
    <PersonPage key={`${sync} ${person}`} sync={sync} id={person} />
  ),
  '/previews/:preview': ({ preview = '' }) => <PreviewPage key={preview} id={preview} />,
  '/syncs/:sync': ({ sync = '' }) => <SyncPage key={sync} name={sync} />,
  '/syncs/:sync/accounts': ({ sync = '' }) => <AccountsPage key={sync} sync={sync} />,
  '/syncs/:sync/data-quality': ({ sync = '' }) => <CorrectionsPage key={sync} sync={sync} />,
  '/syncs/:sync/set-up': ({ sync = '' }) => <SetUpPage key={sync} sync={sync} />,
  '/alerts': () => <AlertsPage />,
  '/audit': () => <AuditPage />,
  '/connections': () => <ConnectionsPage />,
  '/sign-in': () => <OverviewPage />,
};

function NotFoundPage() {
  const { t } = usePage();
  return (
    <>
      <PageHead title={t.problem.notFound} />
      <Empty title={t.problem.notFoundHint} hint={<Link to="/">{t.problem.toOverview}</Link>} />
    </>
  );
}

/** The whole page: the sign-in, or the frame with the page of the address. */
function App() {
  return (
    <Loaded query={useSession()}>{(data) => (data.isSignedIn ? <Frame /> : <SignInPage ways={data.signIn} />)}</Loaded>
  );
}

function Frame() {
  const { t } = usePage();
  const [path] = usePlace();
  const live = useLive();
  const main = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    // A reader of the screen hears the title of the new page.
    main.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <TopBar live={live} />
      <OfflineBanner live={live} />
      <main id="main" ref={main} tabIndex={-1}>
        {/* Matched as it is encoded: a decoded part may have a slash. */}
        <Switch location={path}>
          {Object.entries(pages).map(([route, page]) => (
            <Route key={route} path={route}>
              {(parts) => page(decodeParts(parts))}
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </main>
    </>
  );
}

/** A restart of the server, or the change to another replica, takes less. */
const delayMs = 2000;

function OfflineBanner({ live }: { readonly live: Live }) {
  const { t, f } = usePage();
  const now = useNow();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (live.state !== 'offline') return setShown(false);
    const timer = setTimeout(() => setShown(true), delayMs);
    return () => clearTimeout(timer);
  }, [live.state]);
  if (!isShown) return null;
  const at = live.at === undefined ? undefined : f.instant(new Date(live.at).toISOString(), now);
  return (
    <div className="banner" role="status">
      <Icon name="warn" />
      {at === undefined ? t.live.bannerNothing : t.live.banner(at)}
    </div>
  );
}

const queries = openQueries();
const api = openApi({
  csrf: () => queries.getQueryData<Session>(keyOf('/api/session', {}))?.csrf ?? undefined,
  isBackground: watchPresence(window),
});
const place = document.getElementById('page');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <PageProvider api={api} storage={localStorage} first={readPreferences(localStorage, navigator.languages)}>
          <NowProvider>
            <Router hook={usePlace}>
              <KeysProvider>
                <App />
              </KeysProvider>
            </Router>
          </NowProvider>
        </PageProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
