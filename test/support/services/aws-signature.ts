import { createHash, createHmac } from 'node:crypto';

/** A request as a server sees it; header names in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they came. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Whether the Authorization header is what Signature Version 4 makes of the request and the secret. Written after AWS's
 * description alone ("Authenticating Requests: Using the Authorization Header"), because the server of the tests checks
 * older signatures only.
 */
export function hasValidSignature(request: SignedRequest, secret: string): boolean {
  const { authorization } = request.headers;
  const parts = /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+?), ?SignedHeaders=(\S+?), ?Signature=([0-9a-f]{64})$/.exec(
    String(authorization),
  );
  if (parts === null) return false;
  const [, scope = '', signedHeaders = '', signature] = parts;
  const [date = '', region = '', service = ''] = scope.split('/');
  const [path = '', query = ''] = request.url.split('?');
  const canonical = [
    request.method,
    path,
    query
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
      .toSorted()
      .join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    signedHeaders,
    String(request.headers['x-amz-content-sha256']),
  ].join('\n');
  const hashed = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', String(request.headers['x-amz-date']), scope, hashed].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (sofar, text) => createHmac('sha256', sofar).update(text).digest(),
    `AWS4${secret}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex') === signature;
}
