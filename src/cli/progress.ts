import { createRequire } from 'node:module';
import type { SingleBar } from 'cli-progress';
import { formatCount, formatDuration, formatInstant, formatNumber, formatTime } from '../core/run/formats.ts';
import { waitingWords } from '../core/run/waiting.ts';
import type { Clock, Progress, ProgressEvent } from '../ports/runtime.ts';
import type { Output } from './cli-io.ts';
import { cleanLine } from './terminal.ts';

export interface WatchFacts {
  /** Never the stream of the report. */
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Bars need a terminal. Beside JSON, only waits are shown. Where logs are shown, they have everything. */
  readonly steps: 'bars' | 'lines' | 'waits' | 'none';
}

export const stoppingNote = 'stopping at the next safe point; run the command again to continue';

/** Shows bars on a terminal and plain lines elsewhere, and a note when the operator interrupts. */
export function openWatch({ output, signal, clock, steps: kind }: WatchFacts): ProgressView {
  const write = (line: string) => void output.write(`${line}\n`);
  const lines = openProgressLines(kind === 'none' ? () => {} : write);
  const waits = { ...lines, progress: (event: ProgressEvent) => event.step === 'waiting' && lines.progress(event) };
  const steps = kind === 'bars' ? openProgressBars(output, clock) : kind === 'waits' ? waits : lines;
  const stopped = () => {
    steps.end();
    write(stoppingNote);
  };
  signal.addEventListener('abort', stopped, { once: true });
  return {
    progress: (event) => {
      if (!signal.aborted) steps.progress(event);
    },
    end() {
      signal.removeEventListener('abort', stopped);
      steps.end();
    },
  };
}

/** Shows the progress of a run. Must be ended. */
export interface ProgressView {
  readonly progress: Progress;
  end(): void;
}

/**
 * Writes one plain line per step, for logs and mails. A step that counts reports at its end how far it came. A batch is
 * reported before it is sent, because that is what the operator needs when nothing follows.
 */
function openProgressLines(write: (line: string) => void): ProgressView {
  let last: ProgressEvent | undefined;
  // A poll repeats the words of its step, also when other steps lie in between.
  const shown = new Map<ProgressEvent['step'], string>();
  const close = () => {
    if (last === undefined) return;
    const line = endLine(last);
    if (line !== undefined) write(line);
    last = undefined;
  };
  return {
    progress(event) {
      if (last?.step !== event.step) close();
      last = event;
      const line = startLine(event);
      if (line === undefined || line === shown.get(event.step)) return;
      shown.set(event.step, line);
      write(line);
    },
    end: close,
  };
}

function endLine(event: ProgressEvent): string | undefined {
  switch (event.step) {
    case 'reading':
      return `read ${formatCount(event.rows, 'row')} from the source`;
    case 'scanning':
      // Before the first page there is nothing to count, also when that page never comes.
      return event.total === undefined && event.users === 0
        ? undefined
        : `scanned ${outOf(event.users, event.total)} on the platform`;
    case 'planning':
      return `compared ${formatCount(event.decided, 'person', 'people')} in detail`;
    case 'reading-back':
      return `read back ${outOf(event.users, event.total)}`;
    case 'waiting':
    case 'continuing':
    case 'looking-up':
    case 'delivering':
    case 'proving':
      return undefined;
  }
}

function startLine(event: ProgressEvent): string | undefined {
  if (event.step === 'waiting') return waitingLine(event);
  if (event.step === 'continuing') return continuingLine(event);
  if (event.step === 'looking-up') return `looking up ${formatCount(event.total, 'user')} before sending`;
  if (event.step === 'delivering') {
    return `delivering batch ${event.batch} of ${event.batches}: ${formatCount(event.changes, 'change')}`;
  }
  if (event.step === 'proving') return `status of batch ${event.batch}: ${cleanLine(event.status)}`;
  return undefined;
}

function outOf(users: number, total: number | undefined): string {
  return total === undefined || total === users
    ? formatCount(users, 'user')
    : `${formatNumber(users)} of ${formatCount(total, 'user')}`;
}

/** Waits of this length say that the operator need not wait for their end (ms). */
const longWaitMs = 60_000;

/** Returns the wait in the words of `waitingWords`. Repeated events return the same words, and are written once. */
function waitingLine({ waiting }: Extract<ProgressEvent, { step: 'waiting' }>): string {
  const { since, until } = waiting;
  const safe = until !== undefined && until - since < longWaitMs ? '' : '. Ctrl-C is safe: the run continues later';
  return `${cleanLine(waitingWords(waiting))}${safe}`;
}

/** Returns which run is continued, because its report comes before the one of the requested run. */
function continuingLine({ run, startedAt }: Extract<ProgressEvent, { step: 'continuing' }>): string {
  return `continuing run ${cleanLine(run)} of ${formatInstant(startedAt)}, which was interrupted`;
}

type Stage = 'waiting' | 'reading' | 'scanning' | 'planning' | 'looking-up' | 'delivering';

interface Drawing {
  readonly stage: Stage;
  readonly value: number;
  /** Undefined: the total is not known, so no bar is drawn. */
  readonly total: number | undefined;
  readonly text: string;
}

/** The batch that is being delivered. Status and read-back events do not contain the number of batches. */
interface Delivery {
  readonly batch: number;
  readonly batches: number;
}

const barWidth = 24;
const labels: Readonly<Record<Stage, string>> = {
  waiting: 'waiting   ',
  reading: 'reading   ',
  scanning: 'scanning  ',
  planning: 'planning  ',
  'looking-up': 'looking up',
  delivering: 'delivering',
};

/** Waits between the steps of a delivery. They keep its bar. */
const ofDelivery: ReadonlySet<string> = new Set(['file', 'not-shown', 'outcome']);

/** Share of a batch's progress that is shown while its status is polled, and while its users are read back. */
const pollingShare = 0.2;
const readingShare = 0.5;

/** Shows one line per stage, redrawn in place. Status polls and read-backs count toward the current batch. */
function openProgressBars(output: Output, clock: Clock): ProgressView {
  let open: { readonly stage: Stage; readonly bar: SingleBar } | undefined;
  let delivery: Delivery = { batch: 1, batches: 1 };
  const close = () => {
    open?.bar.stop();
    open = undefined;
  };
  return {
    progress(event) {
      if (event.step === 'delivering' || event.step === 'proving') {
        const { batch, batches } = event;
        delivery = { batch, batches: Math.max(batches, delivery.batches, batch) };
      }
      const { stage, value, total, text } = draw(event, delivery);
      if (open?.stage !== stage) {
        close();
        open = { stage, bar: newBar(output, stage, clock) };
        open.bar.start(total ?? 0, value, { text });
        return;
      }
      open.bar.setTotal(total ?? 0);
      open.bar.update(value, { text });
    },
    end: close,
  };
}

function newBar(output: Output, stage: Stage, clock: Clock): SingleBar {
  const startedAt = clock.now();
  // Loaded here: only a terminal has bars.
  const Bar: typeof SingleBar = createRequire(import.meta.url)('cli-progress').SingleBar;
  return new Bar({
    stream: output,
    // Its own handlers would end the process during a run.
    gracefulExit: false,
    emptyOnZero: true,
    format: (_, { total, value }, payload: { readonly text: string }) => {
      const share = total > 0 ? Math.min(1, Math.max(0, value / total)) : 0;
      const full = Math.round(share * barWidth);
      const bar = total > 0 ? `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ` : '';
      return `${labels[stage]} ${bar}${payload.text}${evenStages.has(stage) ? timeLeft(share, clock.now() - startedAt) : ''}`;
    },
  });
}

/** Stages with an even pace. */
const evenStages: ReadonlySet<Stage> = new Set(['scanning', 'looking-up']);

/** Estimates the remaining time, once there is enough progress. */
function timeLeft(share: number, spentMs: number): string {
  if (share < 0.02 || share >= 1 || spentMs < 2000) return '';
  const seconds = Math.ceil(((spentMs / share) * (1 - share)) / 1000);
  return `, ${formatDuration(seconds * 1000)} left`;
}

function draw(event: ProgressEvent, { batch, batches }: Delivery): Drawing {
  const delivering = (share: number, what: string): Drawing => ({
    stage: 'delivering',
    value: batch - 1 + share,
    total: batches,
    text: `batch ${formatNumber(batch)} of ${formatNumber(batches)}: ${what}`,
  });
  switch (event.step) {
    case 'waiting': {
      const next = event.nextAt === undefined ? '' : `next check at ${formatTime(event.nextAt)}; `;
      const text = `${next}${waitingLine(event)}`;
      if (ofDelivery.has(event.waiting.for)) return delivering(pollingShare, text);
      return { stage: 'waiting', value: 0, total: undefined, text: text.replace(/^waiting /, '') };
    }
    case 'continuing':
      return { stage: 'waiting', value: 0, total: undefined, text: continuingLine(event) };
    case 'reading':
      return { stage: 'reading', value: event.rows, total: undefined, text: formatCount(event.rows, 'row') };
    case 'scanning': {
      const of = event.total === undefined ? '' : ` of ${formatNumber(event.total)}`;
      const text = event.users === 0 ? 'waits for the platform' : `${formatNumber(event.users)}${of} users`;
      return { stage: 'scanning', value: event.users, total: event.total, text };
    }
    case 'planning': {
      const text = `${formatCount(event.decided, 'person', 'people')} compared in detail`;
      return { stage: 'planning', value: event.decided, total: event.total, text };
    }
    case 'looking-up': {
      const text = `${formatNumber(event.users)} of ${formatCount(event.total, 'user')} before sending`;
      return { stage: 'looking-up', value: event.users, total: event.total, text };
    }
    case 'delivering':
      return delivering(0, formatCount(event.changes, 'change'));
    case 'proving':
      return delivering(pollingShare, `status ${cleanLine(event.status)}`);
    case 'reading-back': {
      const share = event.total === 0 ? 1 : Math.min(1, event.users / event.total);
      const what = `reading back ${formatNumber(event.users)} of ${formatCount(event.total, 'user')}`;
      return delivering(readingShare + (1 - readingShare) * share, what);
    }
  }
}
