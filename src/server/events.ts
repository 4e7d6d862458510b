import { createHash } from 'node:crypto';
import { describeError } from '../core/run/errors.ts';
import type { Clock, Logger } from '../ports/runtime.ts';
import { Refusal } from './http/problem.ts';

/** The state of what a stream is about. */
export interface StreamedState {
  readonly state: unknown;
  /** True when it cannot change any more. */
  readonly isFinal: boolean;
}

/** What a stream of events is about. */
export interface StreamTopic {
  /** Name of the events. */
  readonly event: string;
  /** Equal for streams that may share a read of the store. */
  readonly key: string;
  readonly read: () => Promise<StreamedState>;
}

/** Time between two reads of the store, for all streams about the same. */
const lookEveryMs = 1000;
/** Proxies close connections on which nothing comes for a minute or less. */
const heartbeatMs = 15_000;
/** Time after which a client connects again. */
const retryMs = 3000;

/** Open streams of one process, and of one caller. Each holds a connection. */
const mostStreams = 200;
const mostOfCaller = 20;
const tryAgainSeconds = 30;

export interface EventStreams {
  /** Returns what was read for the key in the last second, or reads it: many streams cost one reading. */
  share<Value>(key: string, read: () => Promise<Value>): Promise<Value>;
  /**
   * Returns the text of a stream, and undefined when the client has the final state already. Each event is the whole state,
   * sent first and after each change. Throws what the first read throws, and 429 when too many streams are open. The stream
   * ends with the event `end` after the final state, and without it when `signal` aborts or the store cannot be read.
   */
  open(topic: StreamTopic, from: StreamStart): Promise<AsyncIterable<string> | undefined>;
}

export interface StreamStart {
  readonly caller: string;
  /** `Last-Event-ID`: the state that the client has. */
  readonly lastId: string | undefined;
  /** Aborts when the client disconnects, or the server begins to close. */
  readonly signal: AbortSignal;
}

export function openEventStreams({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }): EventStreams {
  const open = new Map<string, number>();
  const shared = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();

  const enter = (caller: string, signal: AbortSignal): void => {
    const all = [...open.values()].reduce((sum, count) => sum + count, 0);
    const own = open.get(caller) ?? 0;
    if (all >= mostStreams || own >= mostOfCaller) {
      const which = own >= mostOfCaller ? `${mostOfCaller} streams of this token` : `${mostStreams} streams`;
      const detail = `${which} are open already: close one, or retry after ${tryAgainSeconds} s`;
      throw new Refusal(429, 'TOO_MANY_STREAMS', detail, tryAgainSeconds);
    }
    open.set(caller, own + 1);
    const leave = (): void => void open.set(caller, Math.max(0, (open.get(caller) ?? 0) - 1));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  };

  const share = <Value>(key: string, ask: () => Promise<Value>): Promise<Value> => {
    const now = clock.now();
    const known = shared.get(key);
    // A key stands for one kind of value.
    if (known !== undefined && Math.abs(now - known.at) < lookEveryMs) return known.value as Promise<Value>;
    for (const [other, { at }] of shared) if (Math.abs(now - at) >= lookEveryMs) shared.delete(other);
    const value = ask();
    value.catch(() => {});
    shared.set(key, { at: now, value });
    return value;
  };

  const read = ({ key, read: ask }: StreamTopic) =>
    share(key, async () => {
      const { state, isFinal } = await ask();
      const data = JSON.stringify(state);
      // Equal states have equal ids, in every process.
      return { id: createHash('sha256').update(data).digest('base64url').slice(0, 16), data, isFinal };
    });

  async function* follow(
    topic: StreamTopic,
    first: Awaited<ReturnType<typeof read>>,
    { lastId, signal }: StreamStart,
  ): AsyncGenerator<string> {
    let sent = lastId;
    let spokeAt = clock.now();
    yield `retry: ${retryMs}\n\n`;
    for (let now = first; ; now = await read(topic)) {
      if (now.id !== sent) {
        yield `id: ${now.id}\nevent: ${topic.event}\ndata: ${now.data}\n\n`;
        [sent, spokeAt] = [now.id, clock.now()];
      } else if (clock.now() - spokeAt >= heartbeatMs) {
        yield ': nothing new\n\n';
        spokeAt = clock.now();
      }
      if (now.isFinal) {
        yield 'event: end\ndata: {}\n\n';
        return;
      }
      await clock.sleep(lookEveryMs, signal);
    }
  }

  async function* untilClosed(chunks: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
    try {
      yield* chunks;
    } catch (error) {
      // The client connects again, and then gets the reason as an answer.
      if (!signal.aborted) logger.warn({ error: describeError(error) }, 'an event stream ended early');
    }
  }

  return {
    share,
    async open(topic, from) {
      const first = await read(topic);
      if (first.isFinal && first.id === from.lastId) return undefined;
      enter(from.caller, from.signal);
      return untilClosed(follow(topic, first, from), from.signal);
    },
  };
}
