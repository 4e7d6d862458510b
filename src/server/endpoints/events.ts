import { z } from 'zod';
import type { AppIo } from '../../app/app-io.ts';
import { readRequest } from '../../app/request-ends.ts';
import { readRunProgress } from '../../app/runs.ts';
import { readSyncStates } from '../../app/syncs.ts';
import { runProgress, runProgressView } from '../../views/runs.ts';
import { requestState, requestStateView, type SyncState, syncList, syncView } from '../../views/syncs.ts';
import { hidingPeople } from '../../views/wire.ts';
import { definerOf, type Endpoint } from '../endpoint.ts';
import type { StreamedState } from '../events.ts';
import type { Sight } from '../http/admit.ts';
import { isIn, requestId, runId } from './parameters.ts';

const description =
  'Server-sent events. Each event is the whole state: one immediately, and one after each change, at most one per second. After 15 seconds without an event, the server sends a comment. After the final state comes the event `end`. With the Last-Event-ID of the final state the answer is 204. A closing server ends the stream: connect again.';

interface Stream<All>
  extends Pick<Endpoint, 'id' | 'path' | 'part' | 'summary'>,
    Partial<Pick<Endpoint, 'params' | 'refusals'>> {
  readonly answer: z.ZodType;
  /** Name of the events. */
  readonly event: string;
  /** Reads what all callers share. `id`: that of the path, if it has one. */
  readonly read: (app: AppIo, id: string) => Promise<All>;
  /** Returns the part that a caller sees. */
  readonly show: (all: All, sight: Sight, app: AppIo) => StreamedState;
}

export function defineStream<All>({ event, read, show, part, ...stream }: Stream<All>): Endpoint {
  const hide = hidingPeople(stream.answer);
  return definerOf(part)({
    ...stream,
    description,
    headers: z.object({
      'last-event-id': z.string().max(64).optional().describe('Id of the last event that was received'),
    }),
    isEventStream: true,
    handle: ({ params, headers, caller, ending, sight }, { app, events }) => {
      const { id = '' } = params as { readonly id?: string };
      const seen = async (): Promise<StreamedState> => {
        const all = await events.share(JSON.stringify([event, id]), () => read(app, id));
        const { state, isFinal } = show(all, sight, app);
        return { state: sight.seesPeople ? state : hide(state), isFinal };
      };
      // Streams of callers with the same sight share their view of it.
      const topic = { event, key: JSON.stringify([event, id, sight]), read: seen };
      return events.open(topic, { caller: caller.name, lastId: headers['last-event-id'], signal: ending });
    },
  });
}

/** Returns the syncs that the caller sees. */
export function syncsSeen(states: readonly SyncState[], sight: Sight) {
  return { syncs: states.filter(({ name }) => isIn(sight, name)).map(syncView) };
}

export const eventEndpoints: readonly Endpoint[] = [
  defineStream({
    id: 'stream-syncs',
    path: '/api/events',
    part: 'syncs',
    summary: 'Follow every sync: events `syncs`',
    answer: syncList,
    event: 'syncs',
    read: (app) => readSyncStates(app),
    show: (states, sight) => ({ state: syncsSeen(states, sight), isFinal: false }),
  }),
  defineStream({
    id: 'stream-run',
    path: '/api/runs/{id}/events',
    part: 'runs',
    summary: 'Follow a run to its end: events `run`',
    params: z.object({ id: runId }),
    answer: runProgress,
    refusals: [404, 409],
    event: 'run',
    read: (app, id) => readRunProgress(app, id),
    show: (progress) => ({ state: runProgressView(progress), isFinal: progress.run.phase === 'done' }),
  }),
  defineStream({
    id: 'stream-request',
    path: '/api/requests/{id}/events',
    part: 'syncs',
    summary: 'Follow a request to the end of its run: events `request`',
    params: z.object({ id: requestId }),
    answer: requestState,
    refusals: [404],
    event: 'request',
    read: (app, id) => readRequest(app, id),
    show: (found) => {
      return { state: requestStateView(found), isFinal: found.state === 'ended' || found.state === 'canceled' };
    },
  }),
];
