import type { Clock, Progress } from '../ports/runtime.ts';
import type { Output } from './cli-io.ts';
import { openProgressBars } from './progress-bars.ts';
import { openProgressLines } from './progress-lines.ts';

/** Shows the steps of a run while it is under way. Must be ended. */
export interface Watch {
  readonly progress: Progress;
  end(): void;
}

export interface WatchFacts {
  /** Never where the report goes. */
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Bars need a terminal; nothing is shown where logs, or a machine that reads, take their place. */
  readonly steps: 'bars' | 'lines' | 'none';
}

export const stoppingNote = 'stopping at the next safe place; run the command again to go on';

/** Bars on a terminal, plain lines elsewhere; and when the person wants to stop, a word on what happens now. */
export function openWatch({ output, signal, clock, steps: kind }: WatchFacts): Watch {
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
