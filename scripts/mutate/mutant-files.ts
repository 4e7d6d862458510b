import { join } from 'node:path';

/** What one test reaches. */
export interface Reach {
  readonly test: string;
  /** CPU time of the test, in ms: the same on a busy machine. */
  readonly ms: number;
  /** How many switches of mutants it passes. */
  readonly steps: number;
  /** Ids of the mutants that it reaches. */
  readonly ids: readonly string[];
}

/** What the runs of tests leave in the folder of a run. */
export const files = {
  /** Lines of `Reach`. */
  reach: (folder: string) => join(folder, 'reach.jsonl'),
  /** JSON of a `Round`. */
  round: (folder: string) => join(folder, 'round.json'),
  /** Lines: id of a mutant, a tab, the test that killed it. */
  killed: (folder: string) => join(folder, 'killed.tsv'),
  /** Lines: id of a mutant that is reached while a module is loaded. */
  static: (folder: string) => join(folder, 'static.txt'),
  /** Names of tests that fail when they are repeated. */
  once: (folder: string) => join(folder, 'not-repeatable.txt'),
};

/** What each test tries in a round. */
export type Round = Readonly<Record<string, { readonly steps: number; readonly ids: readonly string[] }>>;
