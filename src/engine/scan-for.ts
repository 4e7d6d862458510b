import type { User } from '../core/user.ts';
import type { Platform, ScanPage } from '../ports/platform.ts';

/** Maximum number of users that are read one by one. More users are found by a scan if it needs fewer calls. */
export const singleReadLimit = 50;

/**
 * Finds these identifications in a full directory scan. A name without a user is absent; a name that two users claim
 * has both. Returns undefined when one call for each name needs fewer calls than the scan. The first page shows this.
 */
export async function scanFor(
  names: readonly string[],
  platform: Platform,
  signal: AbortSignal,
  onPage: (found: number) => void = () => {},
): Promise<ReadonlyMap<string, readonly User[]> | undefined> {
  if (names.length <= singleReadLimit) return undefined;
  const wanted = new Set(names);
  const found = new Map<string, User[]>();
  let isFirst = true;
  for await (const page of platform.scan(signal)) {
    if (isFirst && pagesOf(page) > names.length) return undefined;
    isFirst = false;
    for (const user of page.users) {
      const { identification } = user;
      if (wanted.has(identification)) found.set(identification, [...(found.get(identification) ?? []), user]);
    }
    onPage(found.size);
  }
  return found;
}

/** Returns the number of calls for the scan, calculated from any page. */
export function pagesOf({ users, total = 0 }: ScanPage): number {
  return total / users.length;
}
