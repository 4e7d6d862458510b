import type { PlatformError } from '../../core/run/errors.ts';
import { startDeadline } from '../../drivers/http/deadline.ts';
import { refuseForeign } from '../../drivers/http/foreign-answer.ts';
import { readJson } from '../../drivers/http/json-text.ts';
import { type Answer, readBytes, type Transport } from '../../drivers/http/transport.ts';
import { readRetryAfter } from '../../drivers/http/wait-headers.ts';
import type { RequestSeen } from '../../ports/metrics.ts';
import { breakdownError, refusalError, refuseToSend } from './errors.ts';
import { type Operation, operationName, operationUrl } from './operation.ts';

export interface ExchangeBase {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly acceptLanguage: string;
  /** Server errors that prove that a write was not applied. */
  readonly refusedStatuses: readonly number[];
  readonly now: () => number;
  /** Receives every exchange that was started, after its end. */
  readonly onRequest?: (request: Omit<RequestSeen, 'connection'>) => void;
}

/** An error body has a few lines. A longer one is not read. */
const maxErrorBytes = 64 * 1024;

/** Who sends an operation, and how long. */
export interface SendContext {
  readonly secret: string;
  readonly signal: AbortSignal;
  /** When the call was made, if it had to wait for its turn. */
  readonly askedAt?: number;
  /** Receives status and headers of the answer as soon as they arrive. */
  readonly onAnswer?: (answer: Pick<Answer, 'status' | 'header'>) => void;
}

/** Sends an operation once. Throws `PlatformError` for everything but a 2xx answer of the promised shape. */
export async function exchangeOnce<T>(
  base: ExchangeBase,
  operation: Operation<T>,
  { secret, signal, askedAt, onAnswer }: SendContext,
): Promise<T> {
  const { acceptLanguage = operation.hasLanguage ? base.acceptLanguage : undefined } = operation;
  if (acceptLanguage !== undefined && !/^[\w*,;=. -]+$/.test(acceptLanguage))
    throw refuseToSend(
      operation,
      'its Accept-Language must be a language, such as es, or a list, such as es,en;q=0.5.',
    );
  const beganAt = base.now();
  const deadline = startDeadline(signal, base.timeoutMs);
  let status: number | undefined;
  let refused: PlatformError | undefined;
  try {
    const { method } = operation;
    const headers = headersOf(operation, secret, acceptLanguage);
    const url = operationUrl(base.baseUrl, operation);
    const answer = await base.transport.send({ method, url, headers, body: operation.body }, deadline);
    status = answer.status;
    onAnswer?.(answer);
    if (status >= 200 && status < 300) return await readAnswer(operation, answer);
    const body = await readErrorBody(answer);
    const value = operation.readRefusal?.(body.body, status);
    if (value !== undefined) return value;
    const isUnapplied = base.refusedStatuses.includes(status);
    const refusal = {
      status,
      isUnapplied,
      retryAfterMs: readRetryAfter(answer.header, base.now()),
      ...body,
    };
    refused = refusalError(operation, refusal, secret);
  } catch (error) {
    const abandoned = signal.aborted ? { reason: signal.reason } : undefined;
    const hasTimedOut = deadline.hasPassed();
    throw breakdownError(operation, { error, status, abandoned, hasTimedOut, timeoutMs: base.timeoutMs });
  } finally {
    deadline.dispose();
    base.onRequest?.({
      operation: operationName(operation),
      purpose: operation.purpose ?? 'other',
      status,
      tookMs: base.now() - beganAt,
      waitedMs: beganAt - (askedAt ?? beganAt),
    });
  }
  throw refused;
}

function headersOf(
  operation: Operation<unknown>,
  secret: string,
  language: string | undefined,
): Record<string, string> {
  const { body } = operation;
  return {
    authorization: `Bearer ${secret}`,
    accept: operation.accept ?? 'application/json',
    ...(language === undefined ? {} : { 'accept-language': language }),
    ...(body === undefined
      ? {}
      : { 'content-type': body.kind === 'stream' ? body.stream.contentType : 'application/json' }),
  };
}

async function readAnswer<T>(operation: Operation<T>, answer: Answer): Promise<T> {
  const bytes = await readBytes(answer);
  const reader = operation.answer;
  refuseForeign(bytes, reader.expects === 'nothing' ? 'text' : 'JSON');
  const head = { status: answer.status, header: answer.header, bodyBytes: bytes.length };
  if (reader.expects === 'nothing') return reader.read();
  if (reader.expects === 'json') return reader.read(readJson(bytes), head);
  return reader.read(bytes.length === 0 ? undefined : readJson(bytes), head);
}

async function readErrorBody(answer: Answer): Promise<{ readonly body: unknown; readonly text: string }> {
  let text = '';
  try {
    const bytes = await readBytes(answer, maxErrorBytes);
    text = Buffer.from(bytes).toString('utf8');
    return { body: readJson(bytes).value, text };
  } catch {
    // The status alone is enough; a broken error page must not hide it.
    return { body: undefined, text };
  }
}
