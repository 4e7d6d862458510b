/** Returns a signal that never aborts, for a call without one. */
export function unaborted(): AbortSignal {
  return new AbortController().signal;
}
