import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openApi } from './api/client.ts';
import { RouterProvider } from './router/router.tsx';
import { App } from './shell/app.tsx';
import { NowProvider, watchPresence } from './state/now.tsx';
import { PageProvider } from './state/page-context.tsx';
import { readPreferences } from './state/preferences.ts';
import { openQueries } from './state/queries.ts';
import type { Session } from './state/session.ts';
import './styles/base.css';
import './styles/layout.css';
import './styles/parts.css';
import './styles/changes.css';
import './styles/runs.css';
import './styles/watch.css';
import './styles/people.css';

const queries = openQueries();
const api = openApi({
  csrf: () => queries.getQueryData<Session>(['session'])?.csrf ?? undefined,
  isBackground: watchPresence(window),
});
const place = document.getElementById('page');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <PageProvider api={api} storage={localStorage} first={readPreferences(localStorage, navigator.languages)}>
          <NowProvider>
            <RouterProvider>
              <App />
            </RouterProvider>
          </NowProvider>
        </PageProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
