/**
 * A unit of work, independent of the queue. A job receives a context and returns the next step; the runtime decides how
 * to schedule it. Payloads are references (ids), never personal data. Each job validates its own payload.
 */
export interface Job<Context> {
  readonly name: string;
  run(payload: unknown, context: Context): Promise<JobOutcome>;
}

export type JobOutcome =
  | { readonly kind: 'done' }
  /** Run the same job again after a wait, because this piece of work is not finished. */
  | { readonly kind: 'again'; readonly afterMs: number }
  /** Run the same job again for its next piece of work (the next batch). Other jobs may run first. */
  | { readonly kind: 'next' };
