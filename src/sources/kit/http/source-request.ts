import type { Method, OperationBody } from '../../../drivers/http/message.ts';

/** One request to an HR system. Every request only reads, so every request may be repeated. */
export interface SourceRequest {
  /** Name in messages, without ids and cursors: `GET /v1/people`. */
  readonly name: string;
  readonly url: string;
  readonly method?: Method;
  /** Sent in addition to the credential. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Extract<OperationBody, { kind: 'json' | 'text' }>;
  /**
   * Requests the page after another one. 400, 404 and 410 then mean that the cursor expired, and the read starts
   * again.
   */
  readonly isContinuation?: boolean;
  /** Statuses besides 200 that are valid answers: 204, 404. */
  readonly answers?: readonly number[];
  /**
   * Reads the body of an error whose status alone would be retried or would explain too little. Returns the message
   * for the operator, without values, or undefined to use the status. A returned error is final.
   */
  readonly refusal?: (status: number, bytes: Uint8Array) => Refusal | undefined;
  /** Another meaning of a 401 that a new token does not fix, where the vendor also uses it for a missing permission. */
  readonly unauthorised?: string;
}

/** Why an HR system will refuse the same request again, in its own terms. */
export interface Refusal {
  readonly what: string;
  readonly advice: string;
  /** The credentials are invalid or lack a permission. Repeated requests may lock the account. */
  readonly isRefusal?: boolean;
}
