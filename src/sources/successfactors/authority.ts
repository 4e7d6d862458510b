import { createPrivateKey } from 'node:crypto';
import type { SourceBase } from '../../ports/source.ts';
import { type Authority, basicAuthorization, bearerAuthority, fixedAuthority } from '../kit/http/authority.ts';
import { openHeldTokens } from '../kit/http/client-credentials.ts';
import { type OAuthClient, requestToken } from '../kit/http/oauth.ts';
import { signedAssertion } from './saml-assertion.ts';
import type { SuccessFactorsAuth, SuccessFactorsConfig } from './schema.ts';

/** Authenticates with user and password, or with tokens for SAML assertions (RFC 7522). */
export function openSuccessFactorsAuthority(
  config: SuccessFactorsConfig,
  { egress }: Pick<SourceBase, 'egress'>,
): Authority {
  const { auth, companyId, limits, tls, url } = config;
  if (auth.kind === 'basic') {
    return fixedAuthority({ authorization: basicAuthorization(`${auth.user}@${companyId}`, auth.password) });
  }
  const client: OAuthClient = {
    tokenUrl: new URL('/oauth/token', url).href,
    clientId: auth.clientId,
    clientAuth: 'body',
    form: { company_id: companyId },
    timeoutMs: limits.timeout,
    tls,
    egress,
  };
  // SuccessFactors returns the same token again with its remaining lifetime, even after it was refused.
  let mustBeNew = false;
  const assertionAt = openAssertions(auth, client.tokenUrl);
  const authority = bearerAuthority(
    openHeldTokens(client.tokenUrl, (signal, clock) => {
      const grant = {
        grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
        assertion: assertionAt(clock.now()),
        ...(mustBeNew ? { new_token: 'true' } : {}),
      };
      mustBeNew = false;
      return requestToken(client, grant, signal);
    }),
  );
  return {
    ...authority,
    renew(refused, clock, signal) {
      mustBeNew = true;
      return authority.renew(refused, clock, signal);
    },
  };
}

/** Returns the assertion for an instant, in base64. */
function openAssertions(
  auth: Exclude<SuccessFactorsAuth, { kind: 'basic' }>,
  recipient: string,
): (now: number) => string {
  if (auth.kind === 'assertion') return () => auth.assertion.trim();
  const key = createPrivateKey(auth.privateKey);
  const facts = {
    issuer: auth.issuer,
    subject: auth.user,
    audience: 'www.successfactors.com',
    recipient,
    attributes: { api_key: auth.clientId, use_username: String(auth.nameIs === 'username') },
  };
  return (now) => Buffer.from(signedAssertion({ ...facts, now }, key), 'utf8').toString('base64');
}
