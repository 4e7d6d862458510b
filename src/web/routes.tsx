import type { ReactNode } from 'react';
import { HoldPage } from './pages/holds/hold-page.tsx';
import { HoldsPage } from './pages/holds/holds-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { matchPath } from './router/router.tsx';

type Parts = Readonly<Record<string, string>>;

/** The pages by address. The server answers each address of `src/server/page/routes.ts` with this program. */
const routes: readonly (readonly [string, (parts: Parts) => ReactNode])[] = [
  ['/', () => <OverviewPage />],
  ['/holds', () => <HoldsPage />],
  ['/holds/:hold', ({ hold = '' }) => <HoldPage key={hold} id={hold} />],
  ['/sign-in', () => <OverviewPage />],
];

export function pageAt(path: string): ReactNode {
  for (const [pattern, page] of routes) {
    const parts = matchPath(pattern, path);
    if (parts !== undefined) return page(parts);
  }
  return <NotFoundPage />;
}
