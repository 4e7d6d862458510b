import { SingleBar } from 'cli-progress';
import type { Clock, ProgressEvent } from '../ports/runtime.ts';
import { formatCount, formatDuration, formatNumber } from './amounts.ts';
import type { Output } from './cli-io.ts';
import { cleanLine } from './terminal-text.ts';
import type { Watch } from './watch.ts';

type Stage = 'pulling' | 'scanning' | 'planning' | 'delivering';

interface Drawing {
  readonly stage: Stage;
  readonly value: number;
  /** Undefined: nobody knows how much there is, so no bar is drawn. */
  readonly total: number | undefined;
  readonly text: string;
}

const barWidth = 24;
const labels: Readonly<Record<Stage, string>> = {
  pulling: 'pulling   ',
  scanning: 'scanning  ',
  planning: 'planning  ',
  delivering: 'delivering',
};

/** One line per stage, redrawn in place. Settling and reading back belong to the batch that is being delivered. */
export function openProgressBars(output: Output, clock: Clock): Watch {
  let open: { readonly stage: Stage; readonly bar: SingleBar } | undefined;
  let batches = 0;
  const close = () => {
    open?.bar.stop();
    open = undefined;
  };
  return {
    progress(event) {
      if (event.step === 'delivering') batches = event.batches;
      const drawing = draw(event, batches);
      if (drawing === undefined) return;
      const { stage, value, total, text } = drawing;
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
    // Its own handlers would end the process in the middle of a run.
    gracefulExit: false,
    emptyOnZero: true,
    format: (_, { progress, total, value }, payload: { readonly text: string }) => {
      const share = total > 0 ? Math.min(1, Math.max(0, progress)) : 0;
      const full = Math.round(share * barWidth);
      const bar = total > 0 ? `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ` : '';
      const spentMs = clock.now() - startedAt;
      const isTold = total > 0 && value < total && share > 0.02 && spentMs > 2000;
      const left = isTold ? `, ${formatDuration((spentMs / share) * (1 - share))} left` : '';
      return `${labels[stage]} ${bar}${payload.text}${left}`;
    },
  });
}

function draw(event: ProgressEvent, batches: number): Drawing | undefined {
  switch (event.step) {
    case 'pulling':
      return { stage: 'pulling', value: event.rows, total: undefined, text: formatCount(event.rows, 'row') };
    case 'scanning': {
      const of = event.total === undefined ? '' : ` of ${formatNumber(event.total)}`;
      return {
        stage: 'scanning',
        value: event.users,
        total: event.total,
        text: `${formatNumber(event.users)}${of} users`,
      };
    }
    case 'planning':
      return {
        stage: 'planning',
        value: event.decided,
        total: event.total,
        text: `${formatCount(event.decided, 'person', 'people')} compared in detail`,
      };
    case 'delivering':
      return delivery(event.batch, batches, `${formatCount(event.changes, 'change')}`);
    case 'settling':
      return delivery(event.batch, batches, `settling, ${cleanLine(event.status)}`);
    case 'reading-back':
      return {
        stage: 'delivering',
        value: event.users,
        total: event.total,
        text: `reading back ${formatNumber(event.users)} of ${formatCount(event.total, 'user')}`,
      };
  }
}

function delivery(batch: number, batches: number, what: string): Drawing {
  const of = batches === 0 ? '' : ` of ${batches}`;
  return {
    stage: 'delivering',
    value: batch - 1,
    total: Math.max(batches, batch),
    text: `batch ${batch}${of}: ${what}`,
  };
}
