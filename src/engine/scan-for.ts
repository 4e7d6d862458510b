import type { User } from '../core/user.ts';
import type { Platform, ScanPage } from '../ports/platform.ts';

/** Up to here users are read one by one; more are found by a scan, where that takes fewer calls. */
export const singleReadLimit = 50;

/**
 * Whom a scan of the whole platform shows of these identifications; a name that nobody has is absent, one that two claim
 * holds both. Undefined when a call for each of them would be fewer calls than the scan: its first page tells.
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

/** How many calls the scan takes, by any page of it. */
export function pagesOf({ users, total = 0 }: ScanPage): number {
  return total / users.length;
}
