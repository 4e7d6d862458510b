import type { OwnedRun } from './runs.ts';

/** A text that another system sent, such as the body of a refusal. It may hold personal data. */
export interface RawText {
  readonly at: number;
  /** What it belongs to: `batch 3`, `end of the run`. */
  readonly about: string;
  readonly text: string;
}

/**
 * Raw answers of other systems beside the run that received them. They are never part of findings, logs, alerts or job
 * data.
 */
export interface RawTexts {
  /**
   * Keeps a text, sealed. Keeps nothing without `encryptionKey`, nothing beyond 200 texts per run, and at most 4,000
   * characters of each. They are deleted with the details of the run.
   */
  add(owned: OwnedRun, text: RawText): Promise<void>;
  /** Returns the texts of a run in order. Throws `STORE_INVALID` for texts that were sealed with another key. */
  ofRun(run: string): Promise<readonly RawText[]>;
}
