import { browserNow } from './now.tsx';

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
