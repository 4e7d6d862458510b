import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sendAnswers } from './answers.ts';
import { readDocuments } from './documents.ts';
import { readFiles } from './files.ts';
import { openTally, type Tally } from './tally.ts';

/** The parts of the corpus, by the name that selects one. */
const parts: Readonly<Record<string, (tally: Tally) => Promise<void>>> = {
  answers: sendAnswers,
  documents: readDocuments,
  files: readFiles,
};

/** One line of the report. Times are in ms. */
export interface HostileReport {
  readonly part: string;
  readonly inputs: number;
  readonly wrong: readonly string[];
  readonly results: Readonly<Record<string, number>>;
  /** By the clock, and so with the time in which other processes had the CPU. */
  readonly longestStopMs: number;
  /** The inputs that stopped the event loop longest, by CPU time. */
  readonly stops: ReturnType<Tally['stops']>;
  readonly tookMs: number;
}

/**
 * Plays every hostile input and prints one JSON line per part: `npm run hostile [PART…]`. Exits with 1 when an input
 * ends in neither data nor a classified error. An uncaught error ends the process, as it ends a worker.
 */
async function main(names: readonly string[]): Promise<void> {
  for (const [part, play] of Object.entries(parts)) {
    if (names.length > 0 && !names.includes(part)) continue;
    const tally = openTally();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const startedAt = performance.now();
    await play(tally);
    delay.disable();
    const { inputs, wrong, results } = tally;
    const stops = tally.stops();
    tally.close();
    const tookMs = Math.round(performance.now() - startedAt);
    const report: HostileReport = {
      part,
      inputs,
      wrong,
      results,
      longestStopMs: Math.round(delay.max / 1e6),
      stops,
      tookMs,
    };
    process.stdout.write(`${JSON.stringify(report)}\n`);
    if (wrong.length > 0) process.exitCode = 1;
  }
}

await main(process.argv.slice(2));
