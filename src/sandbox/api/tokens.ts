import { TokenRequest } from '../../platform/table/index.ts';
import type { Answer, Call, Handler } from '../call.ts';
import { Refusal } from '../call.ts';

/** RFC 6749 section 5.1: answers with tokens are never cached. */
const tokenHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

const revoke: Handler = ({ bearer }, { tokens, applicationToken }) => {
  if (bearer === undefined) throw new Refusal(401, 'Unauthorized', 'The access token is missing or malformed');
  if (bearer === applicationToken) throw new Refusal(403, 'Forbidden', 'An application token cannot be revoked here');
  tokens.revokeAccess(bearer);
  return { body: { message: 'The token is now invalid' } };
};

const refresh: Handler = (call, { tokens, applicationToken, quirks, accessTokenLifeMs }) => {
  if (call.bearer !== applicationToken) {
    return grantError(401, 'invalid_client', 'The application token is missing or wrong');
  }
  const problem = requestProblem(call);
  if (problem !== undefined) return problem;
  if (call.faults.has('invalid_grant')) return invalidGrant('revoked');
  const { refresh_token } = TokenRequest.parse(call.body);
  const grant = tokens.rotate(refresh_token);
  if (grant.kind === 'refused') return invalidGrant(grant.reason);
  return {
    headers: tokenHeaders,
    body: {
      access_token: grant.pair.accessToken,
      token_type: 'Bearer',
      expires_in: quirks.expiresIn === 'seconds' ? Math.floor(accessTokenLifeMs / 1000) : accessTokenLifeMs,
      refresh_token: grant.pair.refreshToken,
    },
  };
};

/** Contract: JSON only; query parameters are ignored. */
function requestProblem({ contentType, body }: Call): Answer | undefined {
  if (!contentType.startsWith('application/json')) {
    return grantError(400, 'invalid_request', 'The body must be application/json');
  }
  if (TokenRequest.safeParse(body).success) return undefined;
  const grantType = (body as { grant_type?: unknown } | null | undefined)?.grant_type;
  return grantType === undefined || grantType === 'refresh_token'
    ? grantError(400, 'invalid_request', 'grant_type and refresh_token are required')
    : grantError(400, 'unsupported_grant_type', 'grant_type must be refresh_token');
}

function invalidGrant(reason: string): Answer {
  return grantError(400, 'invalid_grant', `The refresh token is ${reason}`);
}

function grantError(status: number, error: string, description: string): Answer {
  return { status, headers: tokenHeaders, body: { error, error_description: description } };
}

export const tokenHandlers = { revoke, token: refresh } as const;
