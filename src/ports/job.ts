/**
 * A job says WHAT runs; a runtime says how. Jobs know no queue: they get their context and return what is next.
 * Payloads are references (ids), never people; each job checks its own.
 */
export interface Job<Context> {
  readonly name: string;
  run(payload: unknown, context: Context): Promise<JobOutcome>;
}

export type JobOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'continue';
      readonly job: string;
      readonly payload: unknown;
      readonly afterMs: number;
      /** Two continuations with one key are one: a hint for queues, the store decides. */
      readonly key: string;
    };
