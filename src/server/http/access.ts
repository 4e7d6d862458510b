import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccessRole, ServerSettings } from '../server-parts.ts';
import { Refusal } from './problem.ts';

export interface Caller {
  readonly name: string;
  readonly role: AccessRole;
}

/** Says who calls. Throws 401 when nobody known does. */
export type Gatekeeper = (authorization: string | undefined) => Caller;

/** Keeps only the hashes of the tokens. Every one is compared, each in constant time: how long it takes tells nothing. */
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

/** Throws 403 unless the caller's role may do it; an operator may all that a viewer may. */
export function requireRole(caller: Caller, role: AccessRole): void {
  if (role === 'viewer' || caller.role === 'operator') return;
  throw new Refusal(403, 'ROLE', `this takes the role operator; ${caller.name} is a ${caller.role}`);
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
