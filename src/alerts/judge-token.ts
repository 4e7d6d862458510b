import { formatInstant } from '../core/instant.ts';
import type { AlertProblem } from '../ports/alerts.ts';
import type { TokenStatus } from '../ports/tokens.ts';
import { ageOf, instantOf } from './words.ts';

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

function judgeEndpoint(
  connection: string,
  { attempts, retryAt, expiresAt }: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'details' | 'unaffected' | 'action'>,
): AlertProblem | undefined {
  if (retryAt === undefined || (attempts < fewAnswers && now < retryAt + refreshGraceMs) || attempts === 0)
    return undefined;
  const isValid = expiresAt !== undefined && now < expiresAt;
  const answers = attempts === 1 ? '1 answer' : `${attempts} answers in a row`;
  const meanwhile = isValid
    ? `the access token works until ${instantOf(expiresAt)}`
    : `until the endpoint answers correctly, no sync of ${connection} works`;
  const summary = `The token endpoint does not answer correctly (${answers}). The refresh token is kept and presented again; ${meanwhile}`;
  const details = [
    ...base.details,
    `Next try: ${instantOf(retryAt)}. To retry immediately: rollcall token refresh ${connection}.`,
  ];
  return {
    ...base,
    details,
    severity: isValid ? 'warning' : 'critical',
    code: 'token-endpoint-failing',
    key: 'endpoint',
    summary,
  };
}

function judgeExpiry(
  connection: string,
  { issuedAt, expiresAt }: TokenStatus,
  now: number,
  base: Pick<AlertProblem, 'topic' | 'details' | 'unaffected' | 'action'>,
): AlertProblem | 'well' {
  if (expiresAt === undefined || issuedAt === undefined) return 'well';
  const life = expiresAt - issuedAt;
  const lateAt = Math.max(issuedAt + lateShare * life, issuedAt + dueShare * life + refreshGraceMs);
  if (now < lateAt) return 'well';
  if (now < expiresAt) {
    const summary = `The access token expires in ${ageOf(expiresAt - now)} (${instantOf(expiresAt)}) and could not be refreshed since ${instantOf(issuedAt + dueShare * life)}`;
    return { ...base, severity: 'warning', code: 'access-token-expiring', key: 'expiring', summary };
  }
  const summary = `The access token expired ${instantOf(expiresAt)} and could not be refreshed, so no sync of ${connection} works`;
  return { ...base, severity: 'critical', code: 'access-token-expired', key: 'expired', summary };
}

function isText(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
