import { SingleBar } from 'cli-progress';
import { formatTime } from '../core/run/instant.ts';
import type { Clock, ProgressEvent } from '../ports/runtime.ts';
import { formatCount, formatDuration, formatNumber } from './amounts.ts';
import type { Output } from './cli-io.ts';
import { continuingLine, notShownLine, queuedLine, retryingLine } from './progress-lines.ts';
import type { ProgressView } from './progress-view.ts';
import { cleanLine } from './terminal-text.ts';

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

/** Share of a batch's progress that is shown while its status is polled, and while its users are read back. */
const pollingShare = 0.2;
const readingShare = 0.5;

/** Shows one line per stage, redrawn in place. Status polls and read-backs count toward the current batch. */
export function openProgressBars(output: Output, clock: Clock): ProgressView {
  let open: { readonly stage: Stage; readonly bar: SingleBar } | undefined;
  let delivery: Delivery = { batch: 1, batches: 1 };
  const close = () => {
    open?.bar.stop();
    open = undefined;
  };
  return {
    progress(event) {
      delivery = deliveryOf(event, delivery);
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
  return new SingleBar({
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

function deliveryOf(event: ProgressEvent, before: Delivery): Delivery {
  if (event.step !== 'delivering' && event.step !== 'proving') return before;
  return { batch: event.batch, batches: Math.max(event.batches, before.batches, event.batch) };
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
      const text = `another process works on the run; if that process has died, this one continues in ${formatDuration(event.forMs)}`;
      return { stage: 'waiting', value: 0, total: undefined, text };
    }
    case 'continuing':
      return { stage: 'waiting', value: 0, total: undefined, text: continuingLine(event) };
    case 'queued':
      return { stage: 'waiting', value: 0, total: undefined, text: queuedLine(event) };
    case 'retrying':
      return { stage: 'waiting', value: 0, total: undefined, text: retryingLine(event) };
    case 'not-shown':
      return { stage: 'waiting', value: 0, total: undefined, text: notShownLine(event) };
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
      return delivering(pollingShare, `status ${cleanLine(event.status)}${fileWaitWords(event)}`);
    case 'reading-back': {
      const share = event.total === 0 ? 1 : Math.min(1, event.users / event.total);
      const what = `reading back ${formatNumber(event.users)} of ${formatCount(event.total, 'user')}`;
      return delivering(readingShare + (1 - readingShare) * share, what);
    }
  }
}

/** Returns the times of a wait for a file, the end first: a narrow terminal cuts the line. */
function fileWaitWords({ wait }: Extract<ProgressEvent, { step: 'proving' }>): string {
  if (wait === undefined) return '';
  const { sinceMs, nextPollMs, untilMs } = wait;
  return ` until ${formatTime(untilMs)}, then read back (settle.deadline); since ${formatTime(sinceMs)}, next poll ${formatTime(nextPollMs)}`;
}
