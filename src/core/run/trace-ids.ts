import { createHash } from 'node:crypto';

/** The ids of a run's trace: 16 and 8 bytes in hexadecimal, as W3C Trace Context has them. */
export interface TraceIds {
  readonly trace: string;
  /** The span of the whole run, the parent of every step. */
  readonly span: string;
}

/**
 * Returns the ids of the trace of a run. They follow from the run's id, so that every process that advances the run adds
 * to the same trace, and an operator with the id of the run finds it.
 */
export function traceIdsOf(run: string): TraceIds {
  const digest = createHash('sha256').update(`rollcall trace ${run}`).digest('hex');
  return { trace: digest.slice(0, 32), span: digest.slice(32, 48) };
}
