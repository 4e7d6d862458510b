import { nameDigest } from '../../core/person/same-person.ts';
import { given } from '../../core/run/given.ts';
import type { PlannedChange } from '../../ports/store.ts';
import type { EngineIo } from '../../run/engine-io.ts';
import type { SignedCaller } from '../audit.ts';
import { readChanges } from '../changes/search-changes.ts';
import { keepDecision } from './decisions.ts';

/** Keeps what an approval of the class `identity` says: each record is about the person of the account. */
export async function keepApproved(
  plan: string,
  chosen: readonly Pick<PlannedChange, 'identification' | 'hash' | 'classes'>[],
  { sync, ...signed }: SignedCaller & { readonly sync: string },
  io: EngineIo,
): Promise<void> {
  const names = chosen.filter(({ classes }) => classes.includes('identity'));
  const connection = io.syncs.get(sync)?.settings.connection;
  if (names.length === 0 || connection === undefined) return;
  for (const { identification, kind, before, after } of await readChanges(plan, names, io)) {
    if (before === undefined || kind === 'disable') continue;
    const isNamed = after.firstName !== undefined || after.lastName !== undefined;
    const named = given({ nameDigest: isNamed ? nameDigest(after) : undefined });
    const place = { connection, sync, way: 'same', identification, accountId: before.userId, ...named } as const;
    await keepDecision(place, signed, io);
  }
}
