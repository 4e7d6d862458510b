/** The part of an error answer that the page shows. */
export interface Problem {
  /** 0: the server did not answer. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly requestId: string;
}

/** A request that was refused, or had no answer. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly problem: Problem;
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.code);
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function problemOfError(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return { status: 0, code: 'PAGE', detail: error instanceof Error ? error.message : String(error), requestId: '' };
}
