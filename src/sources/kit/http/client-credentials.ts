import { RollcallError } from '../../../core/run/errors.ts';
import { headerTextProblem } from '../../../drivers/http/header-text.ts';
import { assumedLifeMs } from '../../../drivers/http/token-answer.ts';
import type { Clock } from '../../../ports/runtime.ts';
import type { AccessToken, AccessTokens } from '../../../ports/tokens.ts';
import { type OAuthClient, requestToken, type TokenAnswer } from './oauth.ts';

/** A token is renewed after this share of its lifetime. */
const dueShare = 0.75;

/**
 * Opens tokens by client credentials (RFC 6749, 4.4). Nothing rotates and repeated requests are harmless, so each
 * process keeps its own token in memory. Concurrent callers share one request.
 */
export function openClientCredentials(client: OAuthClient): (clock: Clock) => AccessTokens {
  return openHeldTokens(client.tokenUrl, (signal) =>
    requestToken(client, { grant_type: 'client_credentials' }, signal),
  );
}

/** Keeps the tokens that `ask` returns in memory until they are due. `ask` may be called any number of times. */
export function openHeldTokens(
  where: string,
  ask: (signal: AbortSignal, clock: Clock) => Promise<TokenAnswer>,
): (clock: Clock) => AccessTokens {
  let held: { readonly token: AccessToken; readonly dueAt: number } | undefined;
  let flight: Promise<AccessToken> | undefined;
  let generation = 0;
  const fetchToken = async (clock: Clock, signal: AbortSignal): Promise<AccessToken> => {
    const answer = await ask(signal, clock);
    if (answer.kind !== 'granted') throw tokenTrouble(where, answer);
    const { accessToken: secret, lifeMs = assumedLifeMs } = answer;
    if (secret === undefined || headerTextProblem(secret) !== undefined) throw tokenTrouble(where, noAccess);
    generation += 1;
    held = { token: { secret, generation }, dueAt: clock.now() + lifeMs * dueShare };
    return held.token;
  };
  const obtain = (clock: Clock, signal: AbortSignal): Promise<AccessToken> => {
    flight ??= fetchToken(clock, signal).finally(() => {
      flight = undefined;
    });
    return flight;
  };
  return (clock) => ({
    current: async (signal) =>
      held !== undefined && clock.now() < held.dueAt ? held.token : await obtain(clock, signal),
    async renew(refused, signal) {
      if (held?.token.generation === refused) held = undefined;
      return held?.token ?? (await obtain(clock, signal));
    },
    accepted: () => {},
  });
}

const noAccess = { kind: 'lost', reason: 'its answer has no usable access token' } as const;

function tokenTrouble(where: string, answer: Exclude<TokenAnswer, { kind: 'granted' }>): RollcallError {
  const endpoint = `the token endpoint ${where}`;
  if (answer.kind === 'refused') {
    const advice = 'Check client id, secret and scope in the configuration, and that the client is not disabled.';
    const message = `${endpoint} answered ${answer.status} (${answer.error}). ${advice}`;
    return new RollcallError(message, { code: 'SOURCE_REFUSED', retry: 'never' });
  }
  const { reason, afterMs } = answer;
  const message = `${endpoint} returned no token: ${reason}. If this continues, check its address and the network.`;
  const retry = afterMs === undefined ? 'backoff' : { afterMs };
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry });
}
