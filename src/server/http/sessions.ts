import { randomBytes } from 'node:crypto';
import { nameOfSession } from '../../app/audit.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Session, Sessions } from '../../ports/sessions.ts';
import type { ServerSettings } from '../settings.ts';
import { type Caller, type CallerSession, hashOf, type TokenTable } from './access.ts';
import { Refusal } from './problem.ts';

/** The store is written at most once in this time while a user works. */
const touchMs = 60_000;

export const csrfHeader = 'x-csrf-token';
/** A page that only refreshes what it shows sends it, so that an absent user is signed out. */
export const backgroundHeader = 'x-rollcall-background';

export interface CookieSessions {
  /** Returns the caller of a cookie; undefined without one. Throws 401 for a session that is over. */
  find(cookies: string | undefined, isBackground: boolean): Promise<Caller | undefined>;
  /** Creates a session. Returns it with the cookie to set. */
  open(user: NewSession): Promise<{ readonly caller: Caller; readonly cookie: string }>;
  /** Ends the session. Returns the cookie that deletes the browser's. */
  close(session: CallerSession | undefined): Promise<string>;
}

export type NewSession = Pick<Session, 'name' | 'access' | 'groups' | 'method' | 'token'>;

export interface SessionIo {
  readonly sessions: Sessions;
  readonly settings: ServerSettings;
  readonly tokens: TokenTable;
  readonly clock: Pick<Clock, 'now'>;
}

/** Opens the sessions of the page. A browser carries a secret, of which the store keeps the hash. */
export function openCookieSessions({ sessions, settings, tokens, clock }: SessionIo): CookieSessions {
  const { idleMs, lifetimeMs } = settings.sessions;
  const isSecure = settings.publicUrl?.startsWith('https:') === true;
  // A browser accepts the prefix only from this host, over TLS and for every path.
  const name = isSecure ? '__Host-rollcall' : 'rollcall';
  const cookieOf = (value: string, seconds: number): string =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const callerOf = (session: Session, secret: string): Caller => ({
    name: nameOfSession(session),
    access: session.access,
    groups: session.groups,
    session: {
      key: session.key,
      method: session.method,
      csrf: hashOf(`csrf ${secret}`),
      expiresAt: session.expiresAt,
      idleAt: Math.min(session.expiresAt, session.usedAt + idleMs),
    },
  });

  return {
    async find(cookies, isBackground) {
      const secret = readCookie(cookies, name);
      if (secret === undefined) return undefined;
      const session = await sessions.get(hashOf(secret));
      const now = clock.now();
      if (session === undefined) throw over('the session has ended: sign in again');
      const token = session.token === undefined ? undefined : tokens.byHash(session.token);
      const hasToken = session.method === 'openid' || token !== undefined;
      if (!hasToken || session.expiresAt <= now || session.usedAt + idleMs <= now) {
        await sessions.end(session.key);
        throw over(hasToken ? 'the session has ended: sign in again' : 'the token of the session was removed');
      }
      // A token's access is that of the configuration of now.
      const current = { ...session, access: token?.access ?? session.access };
      if (isBackground || now - session.usedAt < touchMs) return callerOf(current, secret);
      await sessions.touch(session.key, now);
      return callerOf({ ...current, usedAt: now }, secret);
    },

    async open(user) {
      const secret = randomBytes(32).toString('base64url');
      const now = clock.now();
      const session = { ...user, key: hashOf(secret), createdAt: now, usedAt: now, expiresAt: now + lifetimeMs };
      await sessions.add(session);
      return { caller: callerOf(session, secret), cookie: cookieOf(secret, Math.floor(lifetimeMs / 1000)) };
    },

    async close(session) {
      if (session !== undefined) await sessions.end(session.key);
      return cookieOf('', 0);
    },
  };
}

function over(detail: string): Refusal {
  return new Refusal(401, 'SESSION_EXPIRED', detail);
}

export function readCookie(cookies: string | undefined, name: string): string | undefined {
  for (const part of (cookies ?? '').split(';')) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key === name && value !== '') return value;
  }
  return undefined;
}

/** Throws 403 for a request that another site may have made a browser send. */
export function checkCsrf({ session }: Caller, method: string, given: string | undefined): void {
  if (session === undefined || method === 'GET' || method === 'HEAD' || given === session.csrf) return;
  throw new Refusal(403, 'CSRF', `send the "csrf" of GET /api/session in the header ${csrfHeader}`);
}
