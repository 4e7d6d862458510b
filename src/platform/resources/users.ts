import { normalText } from '../../core/person/text.ts';
import type { UserWrite } from '../../core/person/user.ts';
import type { Lookup, ScanPage, UpdateTarget } from '../../ports/platform.ts';
import { resultBy } from '../answer.ts';
import type { PlatformClient } from '../client.ts';
import { contractCall, jsonBody } from '../contract-call.ts';
import { idDigits } from '../long-id.ts';
import { openPlatform } from '../platform.ts';
import { UpdatedUser, UserRecord, UserSearchAnswer, type UserSearchQuery } from '../table/users.ts';
import type { TotalPage } from '../table/wire.ts';
import { unaborted } from '../unaborted.ts';
import { searchParameters } from '../user-search.ts';
import { updatePayload } from '../user-write.ts';
import { openList, type PagedList } from './pages.ts';

type UserWalk = Omit<UserSearchQuery, 'page'>;

/**
 * User administration (contract, "User administration"). The list is "GET /os-api/public-api/v1/users", with its
 * parameters in query or body as the dialect says. Its pages are 0-based. Without `enabled` the platform finds enabled
 * users only, and without `orderBy` they are in order of id. Use `scan` where completeness matters.
 */
export interface Users extends PagedList<UserRecord, TotalPage, UserSearchQuery, UserWalk> {
  /** Yields every user, enabled and disabled, proven complete (see `Platform.scan`). */
  scan(signal?: AbortSignal): AsyncGenerator<ScanPage, void>;
  /** Finds one user, or proves that there is none: a read, classified by a search when it fails. */
  find(identification: string, signal?: AbortSignal): Promise<Lookup>;
  /**
   * Reads one user (contract, "GET /os-api/public-api/v1/users/{identification}"). The contract does not show the
   * answer for a missing user, so every refusal is thrown; `find` distinguishes a missing user from a failure.
   */
  get(identification: string, signal?: AbortSignal): Promise<UserRecord>;
  /** Creates a user (contract, "POST /os-api/public-api/v1/users/"). */
  create(write: UserWrite, signal?: AbortSignal): Promise<{ readonly userId: string }>;
  /**
   * Updates a user (contract, "PUT /os-api/public-api/v1/users/") and returns what the platform accepted. 202 means that
   * it may not be done yet. `user` is the user as `get`, `list`, `find` or `scan` returned it.
   */
  update(user: UpdateTarget | UserRecord, write: UserWrite, signal?: AbortSignal): Promise<UpdatedUser>;
  /**
   * Deletes a user, and blacklists them on request (contract, "DELETE
   * /os-api/public-api/v1/users/{identification}/").
   */
  remove(identification: string, options: { readonly blacklist: boolean }, signal?: AbortSignal): Promise<void>;
}

/** Opens the users part of the contract over one client. */
export function openUsers(client: PlatformClient): Users {
  const platform = openPlatform(client);
  const list = openList<UserRecord, TotalPage, UserSearchQuery>(client, {
    id: 'search',
    answer: UserSearchAnswer,
    keyOf: ({ id }) => String(id),
    totalOf: ({ totalElements }) => totalElements,
    details: (search) => searchParameters(client, search),
  });
  return {
    ...list,
    scan: (signal = unaborted()) => platform.scan(signal),
    find: async (identification, signal = unaborted()) => platform.find(identification, signal),
    create: async (write, signal = unaborted()) => platform.create(write, signal),
    remove: async (identification, options, signal = unaborted()) => platform.remove(identification, options, signal),
    async get(identification, signal) {
      const call = contractCall('read', { params: { identification }, answer: resultBy(UserRecord) });
      return client.request(call, signal);
    },
    async update(user, write, signal) {
      const body = jsonBody(updatePayload(targetOf(user), write, client.dialect));
      return client.request(contractCall('update', { body, answer: resultBy(UpdatedUser) }), signal);
    },
  };
}

function targetOf(user: UpdateTarget | UserRecord): UpdateTarget {
  const { id, uid } = user;
  const raw = 'rawIdentification' in user ? user.rawIdentification : undefined;
  const rawIdentification = raw ?? user.identification;
  const identification = normalText(user.identification);
  return {
    id: typeof id === 'number' ? idDigits('update', id) : id,
    ...(typeof uid === 'string' ? { uid } : {}),
    identification,
    ...(rawIdentification === identification ? {} : { rawIdentification }),
  };
}
