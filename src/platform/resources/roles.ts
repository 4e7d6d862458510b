import { jsonBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { type Role, RoleList } from '../table/roles.ts';
import { Unshown } from '../table/wire.ts';

/** Community roles (contract, "GET community/roles" and "GET roles/{customAclCode}"). `dialect.rolesToken` says whose token goes along. */
export interface Roles {
  /** Lists every role, standard and custom (contract, "GET /os-api/public-api/v1/community/roles"). */
  list(signal?: AbortSignal): Promise<readonly Role[]>;
  /**
   * Reads one role by code (contract, "GET /os-api/public-api/v1/roles/{customAclCode}"). The contract does not show
   * its fields, so it is returned unchanged.
   */
  get(customAclCode: string, signal?: AbortSignal): Promise<unknown>;
}

/** Opens the roles part of the contract over one client. */
export function openRoles(client: PlatformClient): Roles {
  const token = client.dialect.rolesToken;
  return {
    list: (signal) => client.request(contractCall('roles', { token, answer: jsonBy(RoleList) }), signal),
    get: async (customAclCode, signal) =>
      client.request(contractCall('role', { token, params: { customAclCode }, answer: jsonBy(Unshown) }), signal),
  };
}
