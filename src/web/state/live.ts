import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { browserNow } from './now.tsx';
import { keyOf, livePaths, useAnswer } from './queries.ts';

export type Overview = Schemas['Overview'];
export type SyncOverview = Overview['syncs'][number];

/** `offline`: nothing came for a while, and what is shown may be old. */
export interface Live {
  readonly state: 'connecting' | 'live' | 'offline';
  /** When the last data came. */
  readonly at: number | undefined;
}

/** A first connection may take this long before the page says that it is offline. */
const againMs = 3000;

/**
 * Follows the overview by server-sent events, and reads other lists again when it changes. A hidden tab lets go of its
 * connection: a browser has six of them for one server.
 */
export function useLive(): Live {
  const client = useQueryClient();
  const [live, setLive] = useState<Live>({ state: 'connecting', at: undefined });
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = '';
    const open = (): void => {
      clearTimeout(timer);
      source?.close();
      source = new EventSource('/api/overview/events');
      source.addEventListener('overview', (event: MessageEvent<string>) => {
        const state = JSON.parse(event.data) as Overview;
        client.setQueryData(keyOf('/api/overview', {}), state);
        setLive({ state: 'live', at: browserNow() });
        const print = printOf(state);
        if (print !== seen && seen !== '') {
          client.invalidateQueries({ predicate: ({ queryKey }) => livePaths.test(String(queryKey[0])) });
        }
        seen = print;
      });
      source.addEventListener('open', () => setLive(({ at }) => ({ state: 'live', at: at ?? browserNow() })));
      source.addEventListener('error', () => {
        setLive(({ at }) => ({ state: 'offline', at }));
        if (source?.readyState !== EventSource.CLOSED) return;
        // The server refused: perhaps the session is over.
        client.invalidateQueries({ queryKey: keyOf('/api/session', {}) });
        timer = setTimeout(open, againMs);
      });
    };
    const follow = (): void => {
      if (document.hidden) {
        clearTimeout(timer);
        source?.close();
        source = undefined;
      } else if (source === undefined) open();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      clearTimeout(timer);
      source?.close();
    };
  }, [client]);
  return live;
}

/** What of the overview makes other lists change. */
function printOf({ syncs, waiting, alerts }: Overview): string {
  const runs = syncs.map(({ activity, lastRun, health }) => [
    [activity.kind, activity.run, activity.phase, activity.batches?.done],
    [lastRun?.id, lastRun?.outcome, health.state],
  ]);
  return JSON.stringify([runs, waiting, alerts]);
}

/** Reads the overview, which the events keep current. */
export function useOverview() {
  return useAnswer('/api/overview', {}, { staleTime: 30_000 });
}

/** Follows one thing by server-sent events until it ends, and puts each state where `useAnswer` finds it. */
export function useFollowed(kind: 'preview' | 'request', id: string, isOpen = true): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOpen) return;
    const source = new EventSource(`/api/${kind}s/${encodeURIComponent(id)}/events`);
    source.addEventListener(kind, (told: MessageEvent<string>) => {
      client.setQueryData(keyOf(`/api/${kind}s/{id}`, { id }), JSON.parse(told.data));
    });
    source.addEventListener('end', () => source.close());
    return () => source.close();
  }, [client, kind, id, isOpen]);
}
