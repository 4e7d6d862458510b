import type { UserWrite } from '../../core/user.ts';
import type { Lookup, ScanPage, UpdateTarget } from '../../ports/platform.ts';
import type { PlatformClient } from '../client.ts';
import { openPlatform } from '../platform.ts';
import type { UserPage } from '../user-record.ts';
import { searchUsers, type UserSearch } from '../user-search.ts';

/** User administration (contract, "User administration"). */
export interface Users {
  /** Every user, proven complete (see `Platform.scan`). */
  scan(signal: AbortSignal): AsyncGenerator<ScanPage, void>;
  /** One page of a search, in order of id. */
  search(search: UserSearch, signal: AbortSignal): Promise<UserPage>;
  find(identification: string, signal: AbortSignal): Promise<Lookup>;
  create(write: UserWrite, signal: AbortSignal): Promise<{ readonly userId: string }>;
  update(target: UpdateTarget, write: UserWrite, signal: AbortSignal): Promise<void>;
  remove(identification: string, options: { readonly blacklist: boolean }, signal: AbortSignal): Promise<void>;
}

export function openUsers(client: PlatformClient): Users {
  const { scan, find, create, update, remove } = openPlatform(client);
  return { scan, find, create, update, remove, search: (search, signal) => searchUsers(client, search, signal) };
}
