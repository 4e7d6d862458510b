import type { Dispatcher } from 'undici';
import { readVersion } from './version.ts';

/** How Rollcall names itself to every server (RFC 9110, section 10.1.5). */
export const userAgent = `rollcall/${readVersion()}`;

type Headers = Dispatcher.DispatchOptions['headers'];

/** What fetch adds where the request says nothing, because it is made for browsers. */
const ofFetch: Readonly<Record<string, readonly string[]>> = {
  'user-agent': ['node', 'undici'],
  'accept-language': ['*'],
  'sec-fetch-mode': ['cors'],
};

/** Adds `user-agent`, unless the request brings its own, and leaves out what fetch adds for browsers. */
export const withOwnHeaders: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, headers: ownHeaders(options.headers) }, handler);

function ownHeaders(headers: Headers): Record<string, string | string[]> {
  const own: Record<string, string | string[]> = { 'user-agent': userAgent };
  for (const [name, value] of entriesOf(headers)) {
    const key = name.toLowerCase();
    if (value !== undefined && ofFetch[key]?.includes(String(value)) !== true) own[key] = value;
  }
  return own;
}

function* entriesOf(headers: Headers): Generator<[string, string | string[] | undefined]> {
  if (headers === null || headers === undefined) return;
  // undici's own form: name, value, name, value.
  if (Array.isArray(headers)) for (let i = 0; i + 1 < headers.length; i += 2) yield [headers[i] ?? '', headers[i + 1]];
  else if (Symbol.iterator in headers) yield* headers as Iterable<[string, string | string[] | undefined]>;
  else yield* Object.entries(headers);
}
