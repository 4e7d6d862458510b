/** What a step of a run asks for next. The runtime decides who does it and when; the store says where it stands. */
export type Step =
  | { readonly kind: 'next'; readonly verb: Verb; readonly batch?: string; readonly afterMs: number }
  | { readonly kind: 'ended' };

export type Verb = 'plan' | 'deliver' | 'settle' | 'finish';

export function next(verb: Verb, batch?: string, afterMs = 0): Step {
  return batch === undefined ? { kind: 'next', verb, afterMs } : { kind: 'next', verb, batch, afterMs };
}

export const ended: Step = { kind: 'ended' };
