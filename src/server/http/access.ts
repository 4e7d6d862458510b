import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access } from '../../core/guard/access.ts';
import type { ServerSettings } from '../settings.ts';
import { Refusal } from './problem.ts';

export interface Caller {
  /** The identity, as the audit has it. */
  readonly name: string;
  /** The name of a user that the identity provider shows. It is no identity. */
  readonly label?: string;
  readonly access: Access;
  /** Those of a user of the identity provider. */
  readonly groups: readonly string[];
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
  /** The identity: `token:` and its name. */
  readonly name: string;
  readonly access: Access;
  /** sha256 of the text, hex. */
  readonly hash: string;
}

export interface TokenTable {
  /** Compares with all tokens in constant time, so that the duration reveals nothing. */
  find(token: string): KnownToken | undefined;
  byHash(hash: string): KnownToken | undefined;
}

/** Keeps only hashes of the tokens. `link`: a token that only links of the terminal use. */
export function openTokenTable(tokens: ServerSettings['tokens'], link?: KnownToken): TokenTable {
  const named = tokens.map(({ name, token, ...grant }) => ({
    ...{ name: `token:${name}`, access: [grant], hash: hashOf(token) },
  }));
  const known = link === undefined ? named : [...named, link];
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
  if (found !== undefined) return { name: found.name, access: found.access, groups: [] };
  throw new Refusal(401, 'TOKEN_UNKNOWN', 'the token is not one of "server.tokens"');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
