import type { ErrorCode } from '../core/errors.ts';

/** What a failed socket tells. */
export interface NetworkFailure {
  readonly code: ErrorCode;
  readonly retry: 'never' | 'backoff';
  /** Certainly before any byte of the request was sent. */
  readonly isBeforeSending: boolean;
  readonly text: string;
  readonly advice: string;
}

const unreachable = { code: 'PLATFORM_UNREACHABLE', retry: 'backoff' } as const;
const later = 'Look at the network and at the platform; what failed can be tried again.';

const beforeSending: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: "the platform's host name is not known",
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'no way leads to the host',
  ENETUNREACH: 'no way leads to the network',
  EADDRNOTAVAIL: 'no local port is free',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be opened in time',
};

const afterSending: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while sending',
  ETIMEDOUT: 'the connection went silent',
  UND_ERR_SOCKET: 'the connection was closed early',
  UND_ERR_HEADERS_TIMEOUT: 'no answer began in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in its middle',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter or longer than it said',
};

/** Describes an error of fetch or undici by the codes along its chain of causes. Never repeats its message. */
export function describeNetworkFailure(error: unknown): NetworkFailure {
  const codes = codesOf(error);
  const found = (table: Readonly<Record<string, string>>): string | undefined => codes.find((code) => code in table);
  const early = found(beforeSending);
  if (early !== undefined) {
    const text = `${beforeSending[early]} (${early})`;
    return {
      ...unreachable,
      isBeforeSending: true,
      text,
      advice: 'Check baseUrl, the network, and that the platform is up.',
    };
  }
  const late = found(afterSending);
  if (late !== undefined) {
    return { ...unreachable, isBeforeSending: false, text: `${afterSending[late]} (${late})`, advice: later };
  }
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) {
    const text = 'the answer is larger than any page should be';
    const advice = 'Lower dialect.search.pageSize.';
    return { code: 'PLATFORM_ANSWER_INVALID', retry: 'never', isBeforeSending: false, text, advice };
  }
  const tls = codes.find((code) => /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/.test(code));
  if (tls !== undefined) {
    const text = `the secure connection could not be made (${tls})`;
    const advice = "Check the platform's certificate and the clock of this machine.";
    return { ...unreachable, retry: 'never', isBeforeSending: true, text, advice };
  }
  const text = codes.length === 0 ? 'the exchange failed' : `the exchange failed (${codes.join(', ')})`;
  return { ...unreachable, isBeforeSending: false, text, advice: later };
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
