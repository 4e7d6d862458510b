import type { RunningServer } from './server-parts.ts';

/**
 * Runs the work beside a server. When `outer` aborts, the server stops accepting and finishes its requests; then the work
 * is asked to stop at its next safe point. Returns when both have ended.
 */
export async function workBesideServer(
  server: RunningServer | undefined,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (server === undefined) return work(outer);
  const stopping = new AbortController();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  const stop = (): void => {
    close().then(
      () => stopping.abort(outer.reason),
      () => stopping.abort(outer.reason),
    );
  };
  if (outer.aborted) stop();
  outer.addEventListener('abort', stop, { once: true });
  try {
    await work(stopping.signal);
  } finally {
    outer.removeEventListener('abort', stop);
    await close();
  }
}
