import { normalText } from '../core/person/text.ts';
import { PlatformError } from '../core/run/errors.ts';
import type { Lookup } from '../ports/platform.ts';
import { contractCall } from './client/calls.ts';
import type { PlatformClient } from './client/client.ts';
import { isRead, readUser, type ShownUser } from './user-record.ts';
import { searchUsers } from './user-search.ts';

/** Possible statuses of a read of a missing user. The contract does not show them. */
export const maybeMissing: readonly number[] = [400, 404, 500];

/**
 * Highest number of search pages. A search string may match many users by name or e-mail; beyond this the result is
 * unclear.
 */
const maxSearchPages = 20;

/** Finds one user by identification. A successful read decides; after a failed one a search decides. */
export async function findUser(client: PlatformClient, identification: string, signal: AbortSignal): Promise<Lookup> {
  const wanted = normalText(identification);
  const read = await readOne(client, identification, signal);
  if (read !== undefined && !isRead(read)) return unclear(read);
  if (read !== undefined) {
    if (read.identification === wanted) return { found: true, user: read };
    return { found: 'unclear', reason: 'the read returned a user with another identification' };
  }
  const found = await searchExact(client, wanted, signal);
  if (found === undefined) return { found: 'unclear', reason: 'the search returned too many users, or repeated users' };
  const [user] = found;
  if (user === undefined) return { found: false };
  if (found.length > 1) return { found: 'unclear', reason: `${found.length} users claim the identification` };
  if (!isRead(user)) return unclear(user);
  // The platform writes the identification with spaces or in NFD, so a read under another spelling misses the user.
  if ((user.rawIdentification ?? wanted) !== identification) return { found: true, user };
  // The user may have come between the two requests.
  const again = await readOne(client, identification, signal);
  if (again !== undefined && isRead(again) && again.identification === wanted) return { found: true, user: again };
  return { found: 'unclear', reason: 'the search finds the user, but reading it fails' };
}

function unclear({ fault }: Extract<ShownUser, { readonly fault: string }>): Lookup {
  return { found: 'unclear', reason: `the account ${fault} that can be read` };
}

async function readOne(
  client: PlatformClient,
  identification: string,
  signal: AbortSignal,
): Promise<ShownUser | undefined> {
  const operation = contractCall('read', {
    params: { identification },
    finalStatuses: maybeMissing,
    answer: { expects: 'json', read: (body) => readUser(body, client.dialect.monthNames) },
  });
  try {
    return await client.request(operation, signal);
  } catch (error) {
    if (error instanceof PlatformError && error.status !== undefined && maybeMissing.includes(error.status))
      return undefined;
    throw error;
  }
}

/** Finds the users of this identification, in NFC or NFD; undefined when a search could not be seen to its end. */
async function searchExact(
  client: PlatformClient,
  wanted: string,
  signal: AbortSignal,
): Promise<readonly ShownUser[] | undefined> {
  const found = await searchFor(client, { wanted, searchString: wanted }, signal);
  const decomposed = wanted.normalize('NFD');
  if (decomposed === wanted || found === undefined || found.length > 0) return found;
  return searchFor(client, { wanted, searchString: decomposed }, signal);
}

async function searchFor(
  client: PlatformClient,
  { wanted, searchString }: { readonly wanted: string; readonly searchString: string },
  signal: AbortSignal,
): Promise<readonly ShownUser[] | undefined> {
  const { pageSize } = client.dialect.search;
  const seen = new Set<string>();
  const matches: ShownUser[] = [];
  for (let page = 0; page < maxSearchPages; page++) {
    const found = await searchUsers(client, { searchString, enabled: false, page, size: pageSize }, signal);
    const keyed = found.users.map((user) => [user.id ?? JSON.stringify(user), user] as const);
    const fresh = keyed.filter(([key]) => !seen.has(key)).map(([, user]) => user);
    for (const [key] of keyed) seen.add(key);
    matches.push(...fresh.filter((user) => user.identification === wanted));
    if (found.total === undefined ? found.users.length === 0 : seen.size >= found.total) return matches;
    if (fresh.length === 0) return undefined;
  }
  return undefined;
}
