/** The time that the expressions of one read take together. One object per read. */
export interface EvaluationBudget {
  /** Ends evaluations in progress when it aborts. */
  readonly signal: AbortSignal;
  /** The time so far (ms). The evaluator adds to it. */
  spentMs: number;
}

/** An expression that failed, or that exceeded a limit. The message never contains a value of the record. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

export function openBudget(signal: AbortSignal): EvaluationBudget {
  return { signal, spentMs: 0 };
}
