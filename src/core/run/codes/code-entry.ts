/**
 * What a code means and what to do about it. Commands are in backquotes; SYNC, RUN, PERSON, CONNECTION and NAME are
 * placeholders.
 */
export interface CodeEntry {
  /** What happened, in one sentence. */
  readonly meaning: string;
  readonly cause: string;
  /** Steps in the order in which to try them. */
  readonly cure: readonly string[];
  /** The page of docs with more, from the folder of docs/codes.md. */
  readonly page: string;
}
