import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessRole, ServerSettings } from '../settings.ts';
import { Refusal } from './problem.ts';

export interface Caller {
  readonly name: string;
  readonly role: AccessRole;
  /** Present: the caller is signed in with a cookie. */
  readonly session?: CallerSession;
}

export interface CallerSession {
  readonly key: string;
  readonly method: 'openid' | 'token';
  /** What a request that changes something must repeat, because a browser sends the cookie automatically. */
  readonly csrf: string;
  readonly expiresAt: number;
  /** When it ends if the user does nothing more. */
  readonly idleAt: number;
}

/** One of `server.tokens`, found by its text. */
export interface KnownToken {
  readonly name: string;
  readonly role: AccessRole;
  /** sha256 of the text, hex. */
  readonly hash: string;
}

export interface TokenTable {
  /** Compares with all tokens in constant time, so that the duration reveals nothing. */
  find(token: string): KnownToken | undefined;
  byHash(hash: string): KnownToken | undefined;
}

/** Keeps only hashes of the tokens. */
export function openTokenTable(tokens: ServerSettings['tokens']): TokenTable {
  const known = tokens.map(({ name, role, token }) => ({ name, role, hash: hashOf(token) }));
  const byHash = (hash: string): KnownToken | undefined => {
    let found: KnownToken | undefined;
    for (const one of known) if (timingSafeEqual(Buffer.from(one.hash), Buffer.from(hash))) found = one;
    return found;
  };
  return { find: (token) => byHash(hashOf(token)), byHash };
}

/** Identifies the caller by its bearer token. Throws 401 for a missing or unknown token. */
export function callerOfToken(authorization: string | undefined, tokens: TokenTable): Caller {
  const presented = /^Bearer +(?<token>[\x21-\x7e]+)$/i.exec(authorization ?? '')?.groups?.token;
  if (presented === undefined) {
    throw new Refusal(401, 'TOKEN_MISSING', 'sign in, or send a token from "server.tokens" as Authorization: Bearer …');
  }
  const found = tokens.find(presented);
  if (found !== undefined) return { name: found.name, role: found.role };
  throw new Refusal(401, 'TOKEN_UNKNOWN', 'the token is not one of "server.tokens"');
}

const ranks: Readonly<Record<AccessRole, number>> = { viewer: 1, operator: 2, admin: 3 };

/** Returns whether the role has all rights of the other one. */
export function hasRole(role: AccessRole, wanted: AccessRole): boolean {
  return ranks[role] >= ranks[wanted];
}

/** Throws 403 unless the caller has the role, or a higher one. */
export function requireRole(caller: Caller, role: AccessRole): void {
  if (hasRole(caller.role, role)) return;
  throw new Refusal(403, 'ROLE', `this requires the role ${role}; ${caller.name} is a ${caller.role}`);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
