import { useEffect, useRef } from 'react';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { useRouter } from '../router/router.tsx';
import { pageAt } from '../routes.tsx';
import { useLive } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useSession } from '../state/session.ts';
import { Loaded } from '../ui/loaded.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { TopBar } from './top-bar.tsx';

/** The whole page: the sign-in, or the frame with the page of the address. */
export function App() {
  const session = useSession();
  return <Loaded query={session}>{(data) => (data.isSignedIn ? <Frame /> : <SignInPage ways={data.signIn} />)}</Loaded>;
}

function Frame() {
  const { t } = usePage();
  const { place } = useRouter();
  const live = useLive(true);
  const main = useRef<HTMLElement>(null);
  const before = useRef(place.path);
  useEffect(() => {
    if (before.current === place.path) return;
    before.current = place.path;
    // A reader of the screen hears the title of the new page.
    main.current?.querySelector('h1')?.focus({ preventScroll: true });
  }, [place.path]);
  return (
    <>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <TopBar live={live} />
      <OfflineBanner live={live} />
      <main id="main" ref={main} tabIndex={-1}>
        {pageAt(place)}
      </main>
    </>
  );
}
