import { formatInstant } from '../../core/run/instant.ts';
import type { AlertProblem } from '../../ports/alerts.ts';
import type { TokenStatus } from '../../ports/tokens.ts';
import { ageOf } from './words.ts';

/** Refreshes start at 75 % of the lifetime. At this share they have been failing for a while. */
const lateShare = 0.9;
/** For short-lived tokens: how long a refresh may take. */
const refreshGraceMs = 180_000;
const dueShare = 0.75;

/** Returns the problem of a connection's tokens; undefined when it has none stored. */
export function judgeToken(connection: string, token: TokenStatus, now: number): AlertProblem | 'well' | undefined {
  const action = `rollcall token status ${connection}`;
  const unaffected = `Syncs of other connections continue; nothing was changed on the platform.`;
  const base = { topic: 'token', unaffected, action, details: [token.reason, token.advice].filter(isText) } as const;
  switch (token.state) {
    case 'none':
      return judgeEndpoint(connection, token, now, base);
    case 'reauth-required': {
      const { expiresAt } = token;
      const work =
        expiresAt !== undefined && now < expiresAt
          ? `Syncs of ${connection} work until ${formatInstant(expiresAt)}, and then not before a new token is configured`
          : `No sync of ${connection} works until a new token is configured`;
      const summary = `The platform refuses the refresh token. ${work}`;
      return { ...base, severity: 'critical', code: 'refresh-token-refused', key: 'reauth-required', summary };
    }
    case 'sealed': {
      const summary = `The stored tokens were sealed with another encryptionKey. No sync of ${connection} works until that key or a new refresh token is configured`;
      return { ...base, severity: 'critical', code: 'tokens-sealed', key: 'sealed', summary };
    }
    case 'revoked': {
      const summary = `The tokens were revoked. No sync of ${connection} works until an operator refreshes them`;
      return { ...base, severity: 'warning', code: 'tokens-revoked', key: 'revoked', summary };
    }
    case 'restored': {
      const summary = `The store was restored from a backup. No sync of ${connection} works until an operator confirms the tokens`;
      return { ...base, severity: 'critical', code: 'tokens-restored', key: 'restored', summary };
    }
    default:
      return judgeEndpoint(connection, token, now, base) ?? judgeExpiry(connection, token, now, base);
  }
}

/** One odd answer is left to the next try, unless that is far away. */
const fewAnswers = 2;
/** So many odd answers in a row last for about `refreshGraceMs` (`waitAfter`). */
const manyAnswers = 6;

/** A throttled or unavailable endpoint is no problem while a later try leaves the access token enough time. */
function judgeEndpoint(
  connection: string,
  token: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'unaffected' | 'action'>,
): AlertProblem | undefined {
  const { attempts, retryAt, issuedAt = 0, expiresAt = 0, reason } = token;
  if (retryAt === undefined || attempts === 0) return undefined;
  if (attempts < fewAnswers && now < retryAt + refreshGraceMs) return undefined;
  const isInTime = issuedAt < expiresAt && Math.max(now, retryAt) < lateAt(token);
  if (attempts < manyAnswers && isInTime) return undefined;
  const isValid = now < expiresAt;
  const answers = attempts === 1 ? '1 answer' : `${attempts} answers in a row`;
  const meanwhile = isValid
    ? `the access token works until ${formatInstant(expiresAt)}`
    : `until the endpoint answers correctly, no sync of ${connection} works`;
  const summary = `The token endpoint does not answer correctly (${answers}). The refresh token is kept and presented again; ${meanwhile}`;
  const details = [
    reason,
    `Next try: ${formatInstant(retryAt)}. To retry immediately: rollcall token refresh ${connection}.`,
  ].filter(isText);
  return {
    ...base,
    details,
    severity: isValid ? 'warning' : 'critical',
    code: 'token-endpoint-failing',
    key: 'endpoint',
    title: 'the token endpoint does not answer correctly',
    summary,
  };
}

function judgeExpiry(
  connection: string,
  token: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'details' | 'unaffected' | 'action'>,
): AlertProblem | 'well' {
  const { issuedAt, expiresAt } = token;
  if (expiresAt === undefined || issuedAt === undefined || now < lateAt(token)) return 'well';
  if (now < expiresAt) {
    const dueAt = issuedAt + dueShare * (expiresAt - issuedAt);
    const summary = `The access token expires in ${ageOf(expiresAt - now)} (${formatInstant(expiresAt)}) and could not be refreshed since ${formatInstant(dueAt)}`;
    return { ...base, severity: 'warning', code: 'access-token-expiring', key: 'expiring', summary };
  }
  const summary = `The access token expired ${formatInstant(expiresAt)} and could not be refreshed, so no sync of ${connection} works`;
  return { ...base, severity: 'critical', code: 'access-token-expired', key: 'expired', summary };
}

/** Returns when a refresh that has not succeeded is reported. */
function lateAt({ issuedAt = 0, expiresAt = 0 }: TokenStatus): number {
  const life = expiresAt - issuedAt;
  return issuedAt + Math.max(lateShare * life, dueShare * life + refreshGraceMs);
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
