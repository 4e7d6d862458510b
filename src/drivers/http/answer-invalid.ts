/** A server answered with unexpected content. `message` names places in the body, never values. */
export class AnswerInvalid extends Error {
  override readonly name = 'AnswerInvalid';
  readonly isFinal: boolean;

  /** @param isFinal true when a retry cannot help (a redirect, a body above the size limit). */
  constructor(message: string, isFinal = false) {
    super(message);
    this.isFinal = isFinal;
  }
}

/**
 * Whether a body begins as a document of HTML: the page of a proxy, a sign-in or a maintenance, whatever its header says.
 * Programs label plain text and JSON as `text/html`, so the header decides nothing.
 */
export function isWebPage(body: Uint8Array | string): boolean {
  const start = typeof body === 'string' ? body : Buffer.from(body.subarray(0, 200)).toString('latin1');
  return /^(?:\ufeff|ï»¿)?\s*<(?:!doctype html|html|head|body|script|!--)/i.test(start);
}
