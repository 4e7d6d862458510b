import { createHash, createPrivateKey, createSign, type KeyLike, randomUUID } from 'node:crypto';
import { statusField } from '../../core/person/lifecycle.ts';
import type { SourceBase } from '../../ports/source.ts';
import {
  type Authority,
  basicAuthorization,
  bearerAuthority,
  fixedAuthority,
  withSessionCookies,
} from '../kit/http/authority.ts';
import { type OAuthClient, openHeldTokens, requestToken } from '../kit/http/oauth.ts';
import { readOverHttp } from '../kit/http/source-client.ts';
import { defineKind } from '../kit/kind.ts';
import { xmlAttribute, xmlText } from '../kit/xml-text.ts';
import { type SuccessFactorsAuth, SuccessFactorsConfig } from './config.ts';
import { busyWaitMs, idPaths, readPeople } from './read.ts';
import { personStatusInputs, userStatusInputs } from './to-person.ts';

/** Authenticates with user and password, or with tokens for SAML assertions (RFC 7522). */
function openSuccessFactorsAuthority(config: SuccessFactorsConfig, { egress }: Pick<SourceBase, 'egress'>): Authority {
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

export interface AssertionFacts {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  /** The token endpoint. */
  readonly recipient: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Validity of an assertion before and after its creation, because clocks differ. */
const validForMs = 600_000;
const validSinceMs = 300_000;

const samlNs = 'urn:oasis:names:tc:SAML:2.0:assertion';
const dsNs = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * Builds a bearer assertion (SAML 2.0 core 2.3.3, RFC 7522 section 3) with an enveloped signature, RSA-SHA256 over
 * SHA-256. It is written in the form of Exclusive XML Canonicalization (attributes sorted, namespaces where they are
 * first used, no empty tags). So the text itself is hashed and signed, and no XML library is needed.
 */
export function signedAssertion(facts: AssertionFacts, privateKey: KeyLike): string {
  const id = `_${randomUUID()}`;
  const issuer = `<saml:Issuer>${xmlText(facts.issuer)}</saml:Issuer>`;
  const opening = `<saml:Assertion xmlns:saml="${samlNs}" ID="${id}" IssueInstant="${instant(facts.now)}" Version="2.0">${issuer}`;
  const rest = `${statements(facts)}</saml:Assertion>`;
  // The transform "enveloped signature" removes the signature; the rest is hashed.
  const digest = createHash('sha256').update(`${opening}${rest}`).digest('base64');
  const signedInfo = signedInfoOf(id, digest);
  const value = createSign('RSA-SHA256')
    .update(`<ds:SignedInfo xmlns:ds="${dsNs}">${signedInfo}`)
    .sign(privateKey, 'base64');
  const signature =
    `<ds:Signature xmlns:ds="${dsNs}"><ds:SignedInfo>${signedInfo}` +
    `<ds:SignatureValue>${value}</ds:SignatureValue></ds:Signature>`;
  return `${opening}${signature}${rest}`;
}

/** Returns what follows the opening tag of SignedInfo, with its closing tag. */
function signedInfoOf(id: string, digest: string): string {
  const algorithm = (name: string, uri: string): string => `<ds:${name} Algorithm="${uri}"></ds:${name}>`;
  return (
    algorithm('CanonicalizationMethod', exclusive) +
    algorithm('SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256') +
    `<ds:Reference URI="#${id}"><ds:Transforms>` +
    algorithm('Transform', `${dsNs}enveloped-signature`) +
    algorithm('Transform', exclusive) +
    `</ds:Transforms>${algorithm('DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha256')}` +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`
  );
}

function statements({ now, subject, recipient, audience, attributes }: AssertionFacts): string {
  const until = instant(now + validForMs);
  const named = Object.entries(attributes).map(
    ([name, value]) =>
      `<saml:Attribute Name="${xmlAttribute(name)}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">` +
      `<saml:AttributeValue>${xmlText(value)}</saml:AttributeValue></saml:Attribute>`,
  );
  return (
    '<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">' +
    `${xmlText(subject)}</saml:NameID>` +
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
    `<saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${xmlAttribute(recipient)}">` +
    '</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>' +
    `<saml:Conditions NotBefore="${instant(now - validSinceMs)}" NotOnOrAfter="${until}"><saml:AudienceRestriction>` +
    `<saml:Audience>${xmlText(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${instant(now)}" SessionIndex="${randomUUID()}"><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef>' +
    '</saml:AuthnContext></saml:AuthnStatement>' +
    `<saml:AttributeStatement>${named.join('')}</saml:AttributeStatement>`
  );
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** SAP SuccessFactors: people with their employments, or users, by OData v2. */
export const successfactors = defineKind({
  kind: 'successfactors',
  title: 'SAP SuccessFactors people (PerPerson) or users, by OData v2',
  capabilities: { delta: true, point: true, terminated: 'always', future: 'configurable' },
  config: SuccessFactorsConfig,
  folder: import.meta.dirname,
  open(config, base) {
    const authority = openSuccessFactorsAuthority(config, base);
    return {
      derives: { [statusField]: config.entity === 'User' ? userStatusInputs : personStatusInputs },
      looksUp: (field) => Object.hasOwn(idPaths[config.entity], field),
      read: (request, io) => {
        const own = withSessionCookies(authority);
        return readOverHttp(config, own, (by) => readPeople(config, by), { busyWaitMs })(request, io);
      },
    };
  },
});
