import { RequestInvalid } from './header-text.ts';

/** A classified socket error. */
export interface NetworkFailure {
  /** A retry cannot help with `tls`, `too-large` and `invalid` (the request itself cannot be sent). */
  readonly kind: 'unreachable' | 'broken-off' | 'too-large' | 'tls' | 'invalid';
  /** True when no byte of the request was sent. */
  readonly isBeforeSending: boolean;
  readonly text: string;
  /** What is wrong, for the title of an alert. Absent: the server does not answer. */
  readonly title?: string;
  /** The proxy that is at fault in place of the server. */
  readonly proxy?: string;
}

const beforeSending: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  EADDRNOTAVAIL: 'no local port is free',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
};

const afterSending: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  ETIMEDOUT: 'the connection stopped sending data',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_HEADERS_TIMEOUT: 'no answer started in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped before its end',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer does not have its declared length',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was closed early',
};

/** Codes of the HTTP parser and of the decompression. The names after the prefix change with their versions. */
const damaged: readonly (readonly [RegExp, string])[] = [
  // undici asserts that an answer 101 was requested.
  [/^(?:HPE_|ERR_ASSERTION$)/, 'the answer is not valid HTTP'],
  [/^(?:Z_|ERR__ERROR_|ERR_PADDING|ZSTD_|ERR_TRAILING_JUNK)/, 'the compressed body is damaged or cut'],
];

/** Describes an error of fetch or undici by the codes in its chain of causes. Never repeats its message. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  return error instanceof ProxyFailure ? describeProxyFailure(error) : describeDirectFailure(error);
}

function describeProxyFailure({ proxy, status, cause }: ProxyFailure): NetworkFailure {
  if (status !== undefined) {
    const hint = status === 407 ? ': it requires a user and a password, or rejects those of `proxy`' : '';
    const text = `the proxy ${proxy} refused to connect (${status})${hint}`;
    // Any other status is what the proxy says of the server.
    const own = status === 407 ? { proxy, title: `the proxy ${proxy} refuses to connect (407)` } : {};
    return { kind: 'unreachable', isBeforeSending: true, text, ...own };
  }
  const failure = describeDirectFailure(cause);
  if (failure.kind !== 'unreachable') return { ...failure, text: `${failure.text} (through the proxy ${proxy})` };
  const title = `the proxy ${proxy} does not answer`;
  return { ...failure, text: `the proxy ${proxy} cannot be reached: ${failure.text}`, proxy, title };
}

function describeDirectFailure(error: unknown): NetworkFailure {
  if (error instanceof RequestInvalid) return { kind: 'invalid', isBeforeSending: true, text: error.message };
  const codes = codesOf(error);
  const found = (table: Readonly<Record<string, string>>): string | undefined => codes.find((code) => code in table);
  const early = found(beforeSending);
  if (early !== undefined) {
    return { kind: 'unreachable', isBeforeSending: true, text: `${beforeSending[early]} (${early})` };
  }
  const late = found(afterSending);
  if (late !== undefined) {
    return { kind: 'broken-off', isBeforeSending: false, text: `${afterSending[late]} (${late})` };
  }
  if (codes.includes('UND_ERR_INVALID_ARG')) {
    return { kind: 'invalid', isBeforeSending: true, text: 'the HTTP client refuses to send the request' };
  }
  for (const [pattern, text] of damaged) {
    const code = codes.find((found) => pattern.test(found));
    if (code !== undefined) return { kind: 'broken-off', isBeforeSending: false, text: `${text} (${code})` };
  }
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) {
    return { kind: 'too-large', isBeforeSending: false, text: 'the answer is larger than the limit for a page' };
  }
  const tls = codes.find((code) => /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code));
  if (tls !== undefined) {
    const fault = tls === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not accepted';
    const text = `the secure connection could not be made (${tls})`;
    return { kind: 'tls', isBeforeSending: true, text, title: `the certificate of the HR system ${fault}` };
  }
  const text =
    codes.length === 0
      ? 'the exchange with the server failed'
      : `the exchange with the server failed (${codes.join(', ')})`;
  return { kind: 'broken-off', isBeforeSending: false, text };
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let link: unknown = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++) {
    if ('code' in link && typeof link.code === 'string') codes.push(link.code);
    link = link.cause;
  }
  return codes;
}

/** A request that went to a proxy and failed. The reason is the cause. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  /** Host and port. */
  readonly proxy: string;
  /** The status with which the proxy refused to connect. */
  readonly status: number | undefined;

  constructor(proxy: string, cause: unknown, status: number | undefined = statusOf(cause)) {
    super(`the request went through the proxy ${proxy}`, { cause });
    this.proxy = proxy;
    this.status = status;
  }
}

/** undici gives the status of a refusal only in the text of its error. */
function statusOf(error: unknown): number | undefined {
  let link = error;
  for (let depth = 0; depth < 8 && link instanceof Error; depth++) {
    const status = /Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(link.message)?.[1];
    if (status !== undefined) return Number(status);
    link = link.cause;
  }
  return undefined;
}
