import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

/** The clock of the browser; the only place of the page that reads it. */
export const browserNow = (): number => Date.now();

const NowContext = createContext(0);

const tickMs = 1000;

/** Ages move on by themselves, every second while the page is visible. */
export function NowProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(browserNow);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(browserNow());
    }, tickMs);
    return () => clearInterval(timer);
  }, []);
  return <NowContext value={now}>{children}</NowContext>;
}

export function useNow(): number {
  return useContext(NowContext);
}

const idleAfterMs = 60_000;

/** Knows whether the user works with the page: requests of an unattended page do not prolong a session. */
export function watchPresence(target: EventTarget): () => boolean {
  const last = { at: browserNow() };
  const touch = (): void => {
    last.at = browserNow();
  };
  for (const name of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
    target.addEventListener(name, touch, { passive: true });
  }
  return () => browserNow() - last.at > idleAfterMs;
}
