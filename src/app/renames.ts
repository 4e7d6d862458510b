import type { Store } from '../ports/store.ts';
import type { Rename } from '../views/people.ts';

const searchedEntries = 1000;

/** Returns the detail of the audit entry, which `renamesOf` reads back. */
export function renameDetail({ from, to }: Pick<Rename, 'from' | 'to'>): string {
  return `account of ${from} gets the identification ${to}`;
}

/** Returns the renames that led to the identification, and the one that ended it; newest first. */
export async function renamesOf(identification: string, connection: string, store: Store): Promise<readonly Rename[]> {
  const entries = await store.audit.list({ action: 'adopt', connection, limit: searchedEntries });
  const found: Rename[] = [];
  let name = identification;
  for (const { detail = '', at, by, reason } of entries) {
    const [from, to] = detail.replace(/^account of /, '').split(' gets the identification ');
    if (from === undefined || to === undefined || renameDetail({ from, to }) !== detail) continue;
    if (from !== identification && to !== name) continue;
    if (to === name) name = from;
    found.push({ from, to, at, by, ...(reason === undefined ? {} : { reason }) });
  }
  return found;
}
