import type { Clock } from '../../ports/runtime.ts';
import type { ExchangeOutcome, TokenExchange } from '../../ports/tokens.ts';

/** Grace period in ms for an exchange that does not stop when told to. */
export const graceMs = 1000;

/**
 * Calls the exchange once. Always ends within `timeoutMs` plus the grace period. An error means that the outcome is
 * unknown.
 */
export async function exchangeInTime(
  exchange: TokenExchange,
  refreshToken: string,
  clock: Clock,
  timeoutMs: number,
): Promise<ExchangeOutcome> {
  const call = new AbortController();
  const timer = new AbortController();
  const giveUp = async (): Promise<ExchangeOutcome> => {
    await clock.sleep(timeoutMs, timer.signal);
    call.abort(new DOMException('no answer in time', 'TimeoutError'));
    await clock.sleep(graceMs, timer.signal);
    return { kind: 'unknown', reason: `no answer within ${timeoutMs} ms` };
  };
  const attempt = async (): Promise<ExchangeOutcome> => {
    try {
      return await exchange(refreshToken, call.signal);
    } catch (cause) {
      return { kind: 'unknown', reason: `the call failed (${cause instanceof Error ? cause.name : typeof cause})` };
    }
  };
  const timeout = giveUp();
  timeout.catch(() => {}); // Ends by `timer` when the answer came first.
  try {
    return await Promise.race([attempt(), timeout]);
  } finally {
    timer.abort();
  }
}
