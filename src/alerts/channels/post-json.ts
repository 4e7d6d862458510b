import { Agent, request } from 'undici';

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Whoever sends us megabytes in answer to a notice is not read. */
const maxAnswerBytes = 64 * 1024;

/**
 * Posts JSON once over a connection of its own and wants a 2xx. Redirects are not followed, so that the words go nowhere
 * but to the configured address. Errors name the host alone: the rest of the address is often the secret.
 */
export async function postJson({ url, body, headers, signal }: Post): Promise<void> {
  const agent = new Agent({ connections: 1, connectTimeout: 10_000, headersTimeout: 15_000, bodyTimeout: 15_000 });
  const { host } = new URL(url);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'rollcall', ...headers },
      body,
      signal,
      dispatcher: agent,
    }).catch((error: unknown) => Promise.reject(new Error(`${host} cannot be reached: ${codeOf(error, signal)}`)));
    const { statusCode } = answer;
    await answer.body.dump({ limit: maxAnswerBytes, signal }).catch(() => {});
    if (statusCode >= 200 && statusCode < 300) return;
    throw new Error(`${host} answered ${statusCode}${hintFor(statusCode)}`);
  } finally {
    await agent.destroy();
  }
}

function hintFor(status: number): string {
  if (status >= 300 && status < 400) return ': it points elsewhere, and redirects are not followed; check the url';
  if (status === 401 || status === 403) return ': check the url and the secret in it';
  if (status === 404 || status === 410)
    return ': the address is gone; make a new one and put it into the configuration';
  if (status === 429) return ': too many messages; it is tried again later';
  return status >= 500 ? '' : ': it does not take the message; check the kind of the channel';
}

function codeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer in time';
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no connection';
}
