import { watchStops } from './stops.ts';

/** What happened to the inputs of a corpus. */
export interface Tally {
  readonly inputs: number;
  /** How often each result came. */
  readonly results: Readonly<Record<string, number>>;
  /** Inputs that ended in neither data nor a classified error. */
  readonly wrong: readonly string[];
  /** Says that the next input begins now. */
  begin(): void;
  add(input: string, result: string): void;
  /** The inputs that stopped the event loop longest, by CPU time (ms), longest first. */
  stops(): readonly { readonly input: string; readonly ms: number }[];
  close(): void;
}

/** Opens a tally. A result that starts with `unclassified` is wrong. */
export function openTally(): Tally {
  const results: Record<string, number> = {};
  const wrong: string[] = [];
  const stops: { input: string; ms: number }[] = [];
  const watch = watchStops();
  let inputs = 0;
  return {
    results,
    wrong,
    get inputs() {
      return inputs;
    },
    begin: watch.begin,
    stops: () => stops.toSorted((a, b) => b.ms - a.ms).slice(0, 5),
    close: watch.close,
    add(input, result) {
      stops.push({ input, ms: Math.round(watch.longestMs()) });
      watch.begin();
      inputs += 1;
      results[result] = (results[result] ?? 0) + 1;
      if (result.startsWith('unclassified')) wrong.push(`${input}: ${result}`);
    },
  };
}
