import type { UserWrite } from '../../core/person/fields.ts';
import { normalText } from '../../core/person/text.ts';
import type { Lookup, ScanPage, UpdateTarget } from '../../ports/platform.ts';
import { openPlatform } from '../platform.ts';
import { UpdatedUser, type UserRecord } from '../table/users.ts';
import { updatePayload } from '../user-write.ts';
import { contractCall, jsonBody } from './calls.ts';
import type { PlatformClient } from './client.ts';
import { unaborted } from './defaults.ts';
import { idDigits } from './long-id.ts';
import { type Methods, openMethods } from './methods.ts';
import { resultBy } from './operation.ts';

/**
 * User administration (contract, "User administration"). The list is "GET /os-api/public-api/v1/users", with its
 * parameters in query or body as the dialect says. Its pages are 0-based. Without `enabled` the platform finds enabled
 * users only, and without `orderBy` they are in order of id. Use `scan` where completeness matters. The contract does not
 * show the answer of `get` for a missing user, so every refusal is thrown; `find` tells a missing user from a failure.
 */
export interface Users extends Pick<Methods<'users'>, 'get' | 'page' | 'pages' | 'list'> {
  /** Yields every user, enabled and disabled, proven complete (see `Platform.scan`). */
  scan(signal?: AbortSignal): AsyncGenerator<ScanPage, void>;
  /** Finds one user, or proves that there is none: a read, classified by a search when it fails. */
  find(identification: string, signal?: AbortSignal): Promise<Lookup>;
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
  const { get, page, pages, list } = openMethods(client, 'users');
  return {
    ...{ get, page, pages, list },
    scan: (signal = unaborted()) => platform.scan(signal),
    find: async (identification, signal = unaborted()) => platform.find(identification, signal),
    create: async (write, signal = unaborted()) => platform.create(write, signal),
    remove: async (identification, options, signal = unaborted()) => platform.remove(identification, options, signal),
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
