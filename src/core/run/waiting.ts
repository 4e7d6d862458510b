import { type ErrorCode, isStoreAway, type RollcallError } from './errors.ts';
import { formatInstant } from './formats.ts';

/** What a run can wait for. */
export type WaitedFor = keyof typeof things;

/** A wait of a run. It stands in the run's facts, and everything that shows it uses `waitingWords`. */
export interface Waiting {
  readonly for: WaitedFor;
  /** Details, as a clause without a full stop: the batch, the number of changes, the last problem. */
  readonly about?: string;
  /** Epoch ms. */
  readonly since: number;
  /** When the wait ends at the latest (epoch ms). Absent: no end is set. */
  readonly until?: number;
  /** The setting that sets the end. */
  readonly setting?: string;
  /** What follows the wait, as a clause: `its users are read back`. */
  readonly then: string;
}

const things = {
  turn: 'its turn to send a file',
  platform: 'the platform',
  file: 'the platform to process a file',
  'not-shown': 'the platform to show changes',
  outcome: 'the outcome of changes that is not known',
  token: 'the token endpoint of the platform',
  source: 'the HR system',
  store: 'the store',
  redis: 'Redis',
  process: 'another process that works on the run',
  worker: 'a worker',
  resume: 'the end of a pause',
} as const;

/** Returns a wait for something, and what follows it. */
export function waitFor(what: WaitedFor, next: string, rest: Omit<Waiting, 'for' | 'then'>): Waiting {
  // biome-ignore lint/suspicious/noThenProperty: it is a text, so no promise takes it for its own.
  return { for: what, ...rest, then: next };
}

/** Returns the wait as one line: for what, since when, until when and by which setting, and what follows. */
export function waitingWords({ for: what, about, since, until, setting, then }: Waiting): string {
  const details = about === undefined ? '' : ` (${about})`;
  const end = until === undefined ? '' : ` until ${formatInstant(until)} at the latest`;
  const by = setting === undefined ? '' : ` (${setting})`;
  return `waiting for ${things[what]}${details} since ${formatInstant(since)}${end}${by}; then ${then}`;
}

/** Returns whether both are one wait, which is then reported once. */
export function isSameWait(one: Waiting | undefined, other: Waiting | undefined): boolean {
  return one?.for === other?.for && one?.until === other?.until && one?.setting === other?.setting;
}

const byCode: Readonly<Partial<Record<ErrorCode, WaitedFor>>> = {
  TOKEN_UNAVAILABLE: 'token',
  SOURCE_UNAVAILABLE: 'source',
};

/** Returns the wait after a temporary error: its step is tried again. */
export function waitAfterError(error: RollcallError, now: number): Waiting {
  const { code, retry, message } = error;
  const what = isStoreAway(error) ? 'store' : (byCode[code] ?? 'platform');
  const until = typeof retry === 'object' ? { until: now + retry.afterMs } : {};
  const about = message.replace(/\.$/, '');
  return waitFor(what, 'the run tries again', { about, since: now, ...until });
}
