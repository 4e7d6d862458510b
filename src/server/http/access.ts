import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessRole, ServerSettings } from '../server-parts.ts';
import { Refusal } from './problem.ts';

export interface Caller {
  readonly name: string;
  readonly role: AccessRole;
}

/** Identifies the caller by its token. Throws 401 for a missing or unknown token. */
export type Gatekeeper = (authorization: string | undefined) => Caller;

/** Keeps only hashes of the tokens. Compares all of them in constant time, so that the duration reveals nothing. */
export function openGatekeeper(tokens: ServerSettings['tokens']): Gatekeeper {
  const known = tokens.map(({ name, role, token }) => ({ caller: { name, role }, hash: hashOf(token) }));
  return (authorization) => {
    const presented = /^Bearer +(?<token>[\x21-\x7e]+)$/i.exec(authorization ?? '')?.groups?.token;
    if (presented === undefined) {
      throw new Refusal(401, 'TOKEN_MISSING', 'send a token from "server.tokens" as Authorization: Bearer …');
    }
    const hash = hashOf(presented);
    let found: Caller | undefined;
    for (const one of known) if (timingSafeEqual(one.hash, hash)) found = one.caller;
    if (found !== undefined) return found;
    throw new Refusal(401, 'TOKEN_UNKNOWN', 'the token is not one of "server.tokens"');
  };
}

/** Throws 403 unless the caller has the role. An operator has all rights of a viewer. */
export function requireRole(caller: Caller, role: AccessRole): void {
  if (role === 'viewer' || caller.role === 'operator') return;
  throw new Refusal(403, 'ROLE', `this requires the role operator; ${caller.name} is a ${caller.role}`);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
