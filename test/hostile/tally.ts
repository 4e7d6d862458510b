/** What happened to the inputs of a corpus. */
export interface Tally {
  readonly inputs: number;
  /** How often each result came. */
  readonly results: Readonly<Record<string, number>>;
  /** Inputs that ended in neither data nor a classified error. */
  readonly wrong: readonly string[];
  add(input: string, result: string): void;
}

/** Opens a tally. A result that starts with `unclassified` is wrong. */
export function openTally(): Tally {
  const results: Record<string, number> = {};
  const wrong: string[] = [];
  let inputs = 0;
  return {
    results,
    wrong,
    get inputs() {
      return inputs;
    },
    add(input, result) {
      inputs += 1;
      results[result] = (results[result] ?? 0) + 1;
      if (result.startsWith('unclassified')) wrong.push(`${input}: ${result}`);
    },
  };
}
