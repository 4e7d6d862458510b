import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { timeHeader } from '../../core/setup/webhook-ways.ts';
import type { WebhookSettings } from '../settings.ts';
import { Refusal } from './problem.ts';

/** Maximum difference between the sender's clock and ours. An older signature is invalid. */
const replayWindowMs = 300_000;

/** A message as it was sent. */
export interface SignedMessage {
  readonly sync: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Returns what is the same for a repetition of the message. Throws 401 unless its proof is valid and recent. The caller
 * ensures that it is used once.
 */
export function checkSignature(message: SignedMessage, webhook: WebhookSettings, now: number): string {
  const { header, algorithm, encoding, prefix, signs, secret } = webhook;
  const proof = headerOf(message, header);
  const moment = timeHeader(webhook);
  const sentAt = moment === undefined ? now : instantOf(headerOf(message, moment));
  if (!proof.toLowerCase().startsWith(prefix.toLowerCase()) || proof === '' || Number.isNaN(sentAt)) {
    const time = moment === undefined ? '' : `${moment} (epoch seconds) and `;
    throw new Refusal(401, 'SIGNATURE_MISSING', `send ${time}${header} (${prefix}<${algorithm}>)`);
  }
  const shown = proof.slice(prefix.length);
  const given = algorithm === 'token' ? sign(shown, webhook, message) : Buffer.from(shown, encoding);
  const expected = sign(secret, webhook, message);
  if (given.length !== expected.length || !timingSafeEqual(expected, given)) {
    const detail = `${header} is wrong: prove ${signs} exactly as sent, with the secret of this sync`;
    throw new Refusal(401, 'SIGNATURE_WRONG', detail);
  }
  if (Math.abs(now - sentAt) > replayWindowMs) {
    const detail =
      'the timestamp differs from the clock of the server by more than 5 minutes: sign again, and check both clocks';
    throw new Refusal(401, 'SIGNATURE_OLD', detail);
  }
  return createHash('sha256').update(expected).digest('hex');
}

/** Returns the HMAC of what the sender signs (RFC 2104). */
function sign(secret: string, { algorithm, signs }: WebhookSettings, message: SignedMessage): Buffer {
  const hmac = createHmac(algorithm === 'token' ? 'sha256' : algorithm, secret);
  for (const part of signs.split(/(\{[\w-]+\})/)) {
    const [, name] = /^\{(.+)\}$/.exec(part) ?? [];
    if (name === 'body' || name === 'sync') hmac.update(message[name]);
    else hmac.update(name === undefined ? part : headerOf(message, name));
  }
  return hmac.digest();
}

function headerOf({ headers }: SignedMessage, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

function instantOf(timestamp: string): number {
  return /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Date.parse(timestamp);
}
