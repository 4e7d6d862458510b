import type { RequestPurpose } from '../core/run/requests.ts';
import type { JsonText } from '../drivers/http/json-text.ts';
import { contractCall, placeQuery } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import type { UserSearchQuery } from './table/users.ts';
import { readUserPage, type UserPage } from './user-record.ts';

/** Reads one page of users, in order of id by default, with parameters in query or body as the dialect says. */
export function searchUsers(
  client: PlatformClient,
  search: UserSearchQuery,
  signal: AbortSignal,
  purpose: RequestPurpose = 'read',
): Promise<UserPage> {
  const read = (body: JsonText): UserPage => readUserPage(body, client.dialect.monthNames);
  const answer = { expects: 'json', read } as const;
  const place = placeQuery('search', orderedById(search), client.dialect);
  return client.request(contractCall('search', { purpose, ...place, answer }), signal);
}

/** Returns a search in order of id, unless it names another order. */
export function orderedById(search: UserSearchQuery): UserSearchQuery {
  return { orderBy: 'id', direction: 'ASC', ...search };
}
