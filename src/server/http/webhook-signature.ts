import { createHmac, timingSafeEqual } from 'node:crypto';
import { Refusal } from './problem.ts';

/** Maximum difference between the sender's clock and ours. An older signature is invalid. */
const replayWindowMs = 300_000;

export const timestampHeader = 'x-rollcall-timestamp';
export const signatureHeader = 'x-rollcall-signature';

/** What a sender signs. The name of the sync keeps a signature from counting for another sync with the same secret. */
export interface SignedContent {
  /** Epoch seconds. */
  readonly timestamp: string;
  readonly sync: string;
  readonly body: string | Buffer;
}

/** Returns HMAC-SHA256 (RFC 2104) over `<timestamp>.<sync>.<body>` in hex, as a sender computes it. */
export function signWebhook(secret: string, { timestamp, sync, body }: SignedContent): string {
  return createHmac('sha256', secret).update(`${timestamp}.${sync}.`).update(body).digest('hex');
}

export interface SignedRequest {
  readonly sync: string;
  readonly timestamp: string | undefined;
  /** As sent: `sha256=<hex>`. */
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** Returns the signature in hex if it is valid and recent. Throws 401 otherwise. The caller ensures that it is used once. */
export function checkSignature(request: SignedRequest, secret: string, now: number): string {
  const { timestamp, signature, sync, body } = request;
  const given = /^sha256=(?<hex>[0-9a-f]{64})$/i.exec(signature ?? '')?.groups?.hex?.toLowerCase();
  if (given === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) {
    const detail = `send ${timestampHeader} (epoch seconds) and ${signatureHeader} (sha256=<hex>)`;
    throw new Refusal(401, 'SIGNATURE_MISSING', detail);
  }
  const expected = signWebhook(secret, { timestamp, sync, body });
  if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given))) {
    const detail =
      'the signature is wrong: sign "<timestamp>.<sync>.<body>" exactly as sent, with the sync as in the path, and its secret';
    throw new Refusal(401, 'SIGNATURE_WRONG', detail);
  }
  if (Math.abs(now - Number(timestamp) * 1000) > replayWindowMs) {
    const detail = 'the timestamp differs from our clock by more than 5 minutes: sign again, and check both clocks';
    throw new Refusal(401, 'SIGNATURE_OLD', detail);
  }
  return given;
}
