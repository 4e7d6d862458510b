import { jsonWithLongNumbers } from './roster.ts';
import type { VendorReply } from './vendor-server.ts';

/** An answer 200 with JSON; a text `#123` goes out as the bare number. */
export function jsonReply(body: unknown): VendorReply {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: jsonWithLongNumbers(body),
  };
}
