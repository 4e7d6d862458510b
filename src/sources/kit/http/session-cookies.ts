import type { Authority } from './authority.ts';

/**
 * Keeps the cookies that a server sets and sends them with later requests, so that all pages of a read come from the
 * machine that holds their snapshot. Open one per read. Only the client's own origin receives the cookies.
 */
export function withSessionCookies(authority: Authority): Authority {
  const jar = new Map<string, string>();
  return {
    async credential(clock, signal, target) {
      const credential = await authority.credential(clock, signal, target);
      if (jar.size === 0) return credential;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      return { ...credential, headers: { ...credential.headers, cookie } };
    },
    renew: (refused, clock, signal) => authority.renew(refused, clock, signal),
    accepted(answer, credential, clock) {
      for (const written of answer.headerAll('set-cookie')) keep(jar, written);
      authority.accepted?.(answer, credential, clock);
    },
  };
}

/** RFC 6265, 5.2: name and value before the first semicolon. `Max-Age=0` deletes a cookie. */
function keep(jar: Map<string, string>, written: string): void {
  const [pair = '', ...attributes] = written.split(';');
  const split = pair.indexOf('=');
  const name = pair.slice(0, split).trim();
  if (split < 1 || name === '') return;
  if (attributes.some((attribute) => /^\s*max-age\s*=\s*(?:0|-\d+)\s*$/i.test(attribute))) jar.delete(name);
  else jar.set(name, pair.slice(split + 1).trim());
}
