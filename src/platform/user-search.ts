import type { RequestPurpose } from '../core/run/requests.ts';
import type { PlatformClient } from './client.ts';
import { type CallDetails, contractCall, jsonBody } from './contract-call.ts';
import type { UserSearchQuery } from './table/users.ts';
import { readUserPage, type UserPage } from './user-record.ts';

/** Reads one page of users, in order of id by default, with parameters in query or body as the dialect says. */
export function searchUsers(
  client: PlatformClient,
  search: UserSearchQuery,
  signal: AbortSignal,
  purpose: RequestPurpose = 'read',
): Promise<UserPage> {
  const answer = { expects: 'json', read: readUserPage } as const;
  return client.request(contractCall('search', { purpose, ...searchParameters(client, search), answer }), signal);
}

/** Returns the parameters of a search in query or body, as the dialect says. In order of id unless told otherwise. */
export function searchParameters(
  client: PlatformClient,
  search: UserSearchQuery,
): Pick<CallDetails<unknown>, 'query' | 'body'> {
  const parameters = { orderBy: 'id', direction: 'ASC', ...search };
  return client.dialect.search.parameters === 'body' ? { body: jsonBody(parameters) } : { query: parameters };
}
