import type { Clock } from '../ports/runtime.ts';
import type { Output } from './cli-io.ts';
import { openProgressBars } from './progress-bars.ts';
import { openProgressLines } from './progress-lines.ts';
import type { ProgressView } from './progress-view.ts';

export interface WatchFacts {
  /** Never the stream of the report. */
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Bars need a terminal. Nothing is shown where logs or JSON take their place. */
  readonly steps: 'bars' | 'lines' | 'none';
}

export const stoppingNote = 'stopping at the next safe point; run the command again to continue';

/** Shows bars on a terminal and plain lines elsewhere, and a note when the operator interrupts. */
export function openWatch({ output, signal, clock, steps: kind }: WatchFacts): ProgressView {
  const write = (line: string) => void output.write(`${line}\n`);
  const steps =
    kind === 'bars' ? openProgressBars(output, clock) : openProgressLines(kind === 'lines' ? write : () => {});
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
