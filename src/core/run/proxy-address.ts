/** Returns why a text is no address of an HTTP proxy, without the text, which may hold a password; undefined when it is. */
export function proxyProblem(text: string): string | undefined {
  if (text === 'none') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isProxy = url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '';
  return isProxy && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
    ? undefined
    : 'must be the address of an HTTP proxy, such as http://proxy.example.com:3128 (user:password@ before the host), or none';
}
