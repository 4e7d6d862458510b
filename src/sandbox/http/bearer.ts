import type { OperationId } from '../../platform/table/index.ts';
import { Refusal } from '../call.ts';
import type { World } from '../world.ts';

/** Returns the token of an `Authorization` header; undefined when missing or malformed (RFC 6750 section 2.1). */
export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer +(?<token>[A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? '')?.groups?.token;
}

export interface Presented {
  readonly operation: OperationId;
  readonly path: string;
  readonly bearer: string | undefined;
}

/**
 * Throws for a call with a wrong token (contract, "Authentication"). A revoked token is rejected only under `/os-api/`.
 * Refresh and revoke check their tokens themselves.
 */
export function checkToken({ operation, path, bearer }: Presented, world: World): void {
  if (operation === 'token' || operation === 'revoke') return;
  if (bearer === undefined) throw unauthorized('The token is missing or malformed');
  const isAboutRoles = operation === 'roles' || operation === 'role';
  if (bearer === world.applicationToken) {
    if (isAboutRoles && world.quirks.rolesToken !== 'access') return;
    throw new Refusal(403, 'Forbidden', 'This operation requires an access token, not the application token');
  }
  const standing = world.tokens.useAccess(bearer);
  if (standing === 'unknown' || standing === 'expired') throw unauthorized(`The token is ${standing}`);
  if (standing === 'revoked' && path.startsWith('/os-api/')) throw unauthorized('The token is revoked');
  if (isAboutRoles && world.quirks.rolesToken === 'application') {
    throw new Refusal(403, 'Forbidden', 'This operation requires the application token');
  }
}

function unauthorized(detail: string): Refusal {
  return new Refusal(401, 'Unauthorized', detail);
}
