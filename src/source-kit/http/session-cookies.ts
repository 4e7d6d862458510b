import type { Authority } from './authority.ts';

/**
 * Keeps the cookies that a server sets, and sends them with the requests that follow: pages of one read stay with the
 * machine that holds their snapshot. To be opened for each read; only the one origin of its client ever sees them.
 */
export function withSessionCookies(authority: Authority): Authority {
  const jar = new Map<string, string>();
  return {
    async pass(clock, signal, asked) {
      const pass = await authority.pass(clock, signal, asked);
      if (jar.size === 0) return pass;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      return { ...pass, headers: { ...pass.headers, cookie } };
    },
    renew: (refused, clock, signal) => authority.renew(refused, clock, signal),
    accepted(answer, pass, clock) {
      for (const written of answer.headerAll('set-cookie')) keep(jar, written);
      authority.accepted?.(answer, pass, clock);
    },
  };
}

/** RFC 6265, 5.2: name and value before the first semicolon. `Max-Age=0` takes a cookie back. */
function keep(jar: Map<string, string>, written: string): void {
  const [pair = '', ...attributes] = written.split(';');
  const split = pair.indexOf('=');
  const name = pair.slice(0, split).trim();
  if (split < 1 || name === '') return;
  if (attributes.some((attribute) => /^\s*max-age\s*=\s*(?:0|-\d+)\s*$/i.test(attribute))) jar.delete(name);
  else jar.set(name, pair.slice(split + 1).trim());
}
