import { join } from 'node:path';

/** What one test reaches: ids of mutants, and how often. */
export interface Reach {
  readonly test: string;
  /** How long the test took. */
  readonly ms: number;
  readonly hits: Readonly<Record<string, number>>;
}

/** What the runs of tests leave in the folder of a run. */
export const files = {
  /** Lines of `Reach`. */
  reach: (folder: string) => join(folder, 'reach.jsonl'),
  /** JSON: for each test the ids of the mutants that it tries in this round, with the hits of an unchanged run. */
  round: (folder: string) => join(folder, 'round.json'),
  /** Lines: id of a mutant, a tab, the test that killed it. */
  killed: (folder: string) => join(folder, 'killed.tsv'),
  /** Lines: id of a mutant that is reached while a module is loaded. */
  static: (folder: string) => join(folder, 'static.txt'),
  /** Names of tests that fail when they are repeated. */
  once: (folder: string) => join(folder, 'not-repeatable.txt'),
};

/** For each test, ids of mutants and their hits without a change. */
export type Round = Readonly<Record<string, readonly (readonly [id: string, hits: number])[]>>;
