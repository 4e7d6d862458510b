import type { User, UserWrite } from '../../core/user.ts';
import type { Lookup, ScanPage, UpdateTarget } from '../../ports/platform.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall } from '../contract-call.ts';
import { openPlatform } from '../platform.ts';
import { readUser, type UserPage } from '../user-record.ts';
import { searchUsers, type UserSearch } from '../user-search.ts';
import { everyItem } from './pages.ts';

/** User administration (contract, "User administration"). */
export interface Users {
  /** Yields every user, enabled and disabled, proven complete (see `Platform.scan`). */
  scan(signal: AbortSignal): AsyncGenerator<ScanPage, void>;
  /** Returns one page, 0-based (contract, "GET /os-api/public-api/v1/users"), by query or body as the dialect says. */
  search(search: UserSearch, signal: AbortSignal): Promise<UserPage>;
  /** Yields every user that a search finds (the same operation). Use `scan` where completeness matters. */
  list(search: Omit<UserSearch, 'page' | 'size'>, signal: AbortSignal): AsyncGenerator<User, void>;
  /**
   * Reads one user (contract, "GET /os-api/public-api/v1/users/{identification}"). The contract does not show the
   * answer for a missing user, so every refusal is thrown; `find` distinguishes a missing user from a failure.
   */
  read(identification: string, signal: AbortSignal): Promise<User>;
  /** Finds one user, or proves that there is none: a read, classified by a search when it fails. */
  find(identification: string, signal: AbortSignal): Promise<Lookup>;
  /** Creates a user (contract, "POST /os-api/public-api/v1/users/"). */
  create(write: UserWrite, signal: AbortSignal): Promise<{ readonly userId: string }>;
  /** Updates a user (contract, "PUT /os-api/public-api/v1/users/"). 202 means accepted, but perhaps not done yet. */
  update(target: UpdateTarget, write: UserWrite, signal: AbortSignal): Promise<void>;
  /**
   * Deletes a user, and blacklists them on request (contract, "DELETE
   * /os-api/public-api/v1/users/{identification}/").
   */
  remove(identification: string, options: { readonly blacklist: boolean }, signal: AbortSignal): Promise<void>;
}

/** Opens the users part of the contract over one client. */
export function openUsers(client: PlatformClient): Users {
  const { scan, find, create, update, remove } = openPlatform(client);
  const search: Users['search'] = (query, signal) => searchUsers(client, query, signal);
  const size = client.dialect.search.pageSize;
  return {
    ...{ scan, find, create, update, remove, search },
    async *list(query, signal) {
      const read = async (page: number) => {
        const { users, total } = await search({ ...query, page, size }, signal);
        return { items: users, total };
      };
      yield* everyItem({ first: 0, size }, read, ({ id }) => id);
    },
    async read(identification, signal) {
      const answer = { expects: 'json', read: readUser } as const;
      return client.request(contractCall('read', { params: { identification }, answer }), signal);
    },
  };
}
