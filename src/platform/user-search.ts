import type { RequestPurpose } from '../core/requests.ts';
import type { PlatformClient } from './client.ts';
import { contractCall, jsonBody } from './contract-call.ts';
import type { UserSortKey } from './schema/users.ts';
import { readUserPage, type UserPage } from './user-record.ts';

/** Parameters of a user search (contract, "GET /os-api/public-api/v1/users"). */
export interface UserSearch {
  readonly searchString?: string;
  /** False finds enabled and disabled users, true only enabled ones. */
  readonly enabled: boolean;
  /** 0-based. */
  readonly page: number;
  readonly size: number;
  /** Default `id`. */
  readonly orderBy?: UserSortKey;
  /** Default `ASC`. */
  readonly direction?: 'ASC' | 'DESC';
}

/** Reads one page of users, in order of id by default, with parameters in query or body as the dialect says. */
export function searchUsers(
  client: PlatformClient,
  search: UserSearch,
  signal: AbortSignal,
  purpose: RequestPurpose = 'read',
): Promise<UserPage> {
  const parameters = { orderBy: 'id', direction: 'ASC', ...search };
  const isInBody = client.dialect.search.parameters === 'body';
  const details = { purpose, ...(isInBody ? { body: jsonBody(parameters) } : { query: parameters }) };
  const answer = { expects: 'json', read: readUserPage } as const;
  return client.request(contractCall('search', { ...details, answer }), signal);
}
