/**
 * What runs, free of any queue. A job gets a context with what it needs and returns what comes next; a runtime decides
 * how. Payloads are references (ids), never people; each job checks its own.
 */
export interface Job<Context> {
  readonly name: string;
  run(payload: unknown, context: Context): Promise<JobOutcome>;
}

export type JobOutcome =
  | { readonly kind: 'done' }
  /** Run the same job again after a wait: it has not come to the end of this piece of work. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Run the same job again for its next piece of work (the next batch). Other jobs may go first. */
  | { readonly kind: 'next' };
