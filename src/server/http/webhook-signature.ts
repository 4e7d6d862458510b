import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from './problem.ts';

/** How far the sender's clock and ours may be apart; after it a signature is worth nothing. */
export const replayWindowMs = 300_000;

export const timestampHeader = 'x-rollcall-timestamp';
export const signatureHeader = 'x-rollcall-signature';

/** HMAC-SHA256 (RFC 2104) over `<timestamp>.<body>`, in hex, as a sender makes it. Timestamps are epoch seconds. */
export function signWebhook(secret: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

export interface SignedRequest {
  readonly timestamp: string | undefined;
  /** `sha256=<hex>` */
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** The signature in hex, when it is right and fresh. Throws 401 otherwise; the caller sees to it that it is used once. */
export function checkSignature({ timestamp, signature, body }: SignedRequest, secret: string, now: number): string {
  const given = /^sha256=(?<hex>[0-9a-f]{64})$/i.exec(signature ?? '')?.groups?.hex?.toLowerCase();
  if (given === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) {
    const detail = `send ${timestampHeader} (epoch seconds) and ${signatureHeader} (sha256=<hex>)`;
    throw new Refusal(401, 'SIGNATURE_MISSING', detail);
  }
  const expected = signWebhook(secret, timestamp, body);
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given))) {
    const detail = 'the signature does not fit: sign "<timestamp>.<body>" as it is sent, with the secret of this sync';
    throw new Refusal(401, 'SIGNATURE_WRONG', detail);
  }
  if (Math.abs(now - Number(timestamp) * 1000) > replayWindowMs) {
    const detail =
      'the timestamp is more than 5 minutes away from our clock: sign anew, and see that both clocks are right';
    throw new Refusal(401, 'SIGNATURE_OLD', detail);
  }
  return given;
}
