import { nameDigest } from '../../core/person/same-person.ts';
import type { IdentityWay, NewDecision } from '../../core/plan/standing.ts';
import { usageError } from '../../core/run/errors.ts';
import { given } from '../../core/run/given.ts';
import type { PlannedChange } from '../../ports/store.ts';
import type { EngineIo, Sync } from '../../run/engine-io.ts';
import { explain } from '../../run/why.ts';
import type { Adoption } from '../../views/people.ts';
import type { SignedCaller } from '../audit.ts';
import { readChanges } from '../changes/search-changes.ts';
import { keepDecision } from './decisions.ts';

/* Records that are about other people than the accounts of their identifications: the class `identity`. */

/**
 * Decides whether records are about the people of their accounts. Throws `USAGE`, and decides nothing, when one of them is
 * not about another person, or an end is given.
 */
export async function decideIdentities(
  sync: Sync,
  ids: readonly string[],
  {
    way,
    until,
    signal,
    ...signed
  }: SignedCaller & {
    readonly way: IdentityWay;
    readonly until?: unknown;
    readonly signal: AbortSignal;
  },
  io: EngineIo,
): Promise<readonly Adoption[]> {
  const { name, connection } = sync.settings;
  if (until !== undefined) throw usageError(`${way} has no end: --until TIME belongs to --leave and --disable`);
  const found: { decision: NewDecision; account: NonNullable<Adoption['account']> }[] = [];
  const unfit: string[] = [];
  for (const identification of new Set(ids)) {
    const { user, stranger } = (await explain(identification, sync, io, signal)).subject ?? {};
    if (user === undefined || stranger === undefined) unfit.push(identification);
    else {
      const person = { identification, accountId: user.id, nameDigest: stranger.nameDigest };
      const decision = { connection, sync: name, way, ...person } as const;
      found.push({ decision, account: { id: user.id, enabled: user.enabled } });
    }
  }
  if (unfit.length > 0) {
    const message = `no record is about another person than the account: ${unfit.join(', ')}. Nothing was decided`;
    throw usageError(message);
  }
  const done: Adoption[] = [];
  for (const { decision, account } of found) {
    const effect = await keepDecision(decision, signed, io);
    const { identification } = decision as typeof decision & { readonly identification: string };
    done.push({ identification, account, kind: 'decide', effect, isDone: true });
  }
  return done;
}

/** Keeps what an approval of such updates and enables says: each record is about the person of the account. */
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
