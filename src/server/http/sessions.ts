import { randomBytes } from 'node:crypto';
import { type Access, grantWords, isCovered } from '../../core/guard/access.ts';
import { given } from '../../core/run/given.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { Session, Sessions } from '../../ports/store-operations.ts';
import { accessOf, type ServerSettings } from '../settings.ts';
import { type Caller, type CallerSession, hashOf, type KnownToken, type TokenTable } from './access.ts';
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

export type NewSession = Pick<Session, 'name' | 'label' | 'groups' | 'method' | 'origin'>;

/** Returns the session that a token opens. */
export function sessionOf({ name, hash }: KnownToken): NewSession {
  return { name, label: undefined, groups: [], method: 'token', origin: hash };
}

export interface SessionIo {
  readonly sessions: Sessions;
  readonly settings: ServerSettings;
  readonly tokens: TokenTable;
  readonly clock: Pick<Clock, 'now'>;
  /** Says in the audit that the configuration ended the session (`end-session`), or took a part of its rights. */
  readonly lost: (action: 'end-session' | 'lose-right', session: Session, detail: string) => Promise<void>;
}

/** Opens the sessions of the page. A browser carries a secret, of which the store keeps the hash. */
export function openCookieSessions({ sessions, settings, tokens, clock, lost }: SessionIo): CookieSessions {
  const { idleMs, lifetimeMs } = settings.sessions;
  const isSecure = settings.publicUrl?.startsWith('https:') === true;
  // A browser accepts the prefix only from this host, over TLS and for every path.
  const name = isSecure ? '__Host-rollcall' : 'rollcall';
  const cookieOf = (value: string, seconds: number): string =>
    `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  // A right that leaves the configuration ends at the next request.
  const accessNow = ({ method, origin, groups }: NewSession): Access => {
    if (method === 'token') return tokens.byHash(origin)?.access ?? [];
    return settings.openId?.issuer === origin ? accessOf(groups, settings.openId.roles) : [];
  };
  const callerOf = (session: Session, access: Access, secret: string): Caller => ({
    ...{ name: session.name, access, groups: session.groups, ...given({ label: session.label }) },
    session: {
      key: session.key,
      method: session.method,
      csrf: hashOf(`csrf ${secret}`),
      expiresAt: session.expiresAt,
      idleAt: Math.min(session.expiresAt, session.usedAt + idleMs),
    },
  });

  /** Audits what the session may no longer do. One of several processes does so, and once for each loss. */
  const noteLost = async (session: Session, access: Access): Promise<void> => {
    const gone = session.grants.filter((grant) => !isCovered(grant, access));
    const isMore = access.some((grant) => !isCovered(grant, session.grants));
    // What is regained is noted too, so that it can be lost again.
    if ((gone.length === 0 && !isMore) || !(await sessions.regrant(session, access)) || gone.length === 0) return;
    await lost('lose-right', session, `was ${wordsOf(gone)}, is ${wordsOf(access)}`);
  };

  return {
    async find(cookies, isBackground) {
      const secret = readCookie(cookies, name);
      if (secret === undefined) return undefined;
      const session = await sessions.get(hashOf(secret));
      const now = clock.now();
      if (session === undefined) throw over('the session has ended: sign in again');
      const access = accessNow(session);
      if (access.length === 0 || session.expiresAt <= now || session.usedAt + idleMs <= now) {
        const isEnded = await sessions.end(session.key);
        if (access.length > 0) throw over('the session has ended: sign in again');
        if (isEnded) await lost('end-session', session, `was ${wordsOf(session.grants)}, has no role`);
        throw over('the configuration no longer has its role');
      }
      await noteLost(session, access);
      if (isBackground || now - session.usedAt < touchMs) return callerOf(session, access, secret);
      await sessions.touch(session.key, now);
      return callerOf({ ...session, usedAt: now }, access, secret);
    },

    async open(user) {
      const secret = randomBytes(32).toString('base64url');
      const now = clock.now();
      const access = accessNow(user);
      const times = { createdAt: now, usedAt: now, expiresAt: now + lifetimeMs };
      const session = { ...user, key: hashOf(secret), grants: access, ...times };
      await sessions.add(session);
      return {
        caller: callerOf(session, access, secret),
        cookie: cookieOf(secret, Math.floor(lifetimeMs / 1000)),
      };
    },

    async close(session) {
      if (session !== undefined) await sessions.end(session.key);
      return cookieOf('', 0);
    },
  };
}

function wordsOf(access: Access): string {
  return access.map(grantWords).join('; ');
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
