import type { Change } from '../../core/plan/change.ts';
import type { LedgerEntry } from '../../core/plan/ledger.ts';
import {
  claimOf,
  isClaimOver,
  type Neighbors,
  readsUntilTakeOver,
  releaseOf,
  type TrustedRoster,
  trustRoster,
} from '../../core/plan/neighbors.ts';
import type { SourceSays } from '../../core/plan/plan.ts';
import type { RosterEntry } from '../../core/plan/roster.ts';
import type { Finding } from '../../core/run/finding.ts';
import { countOf } from '../../core/run/formats.ts';
import type { EngineIo, RunContext, Sync } from '../engine-io.ts';

/** A person of the ledger whom another sync may have as well. */
export interface NeighborQuestion {
  readonly entry: LedgerEntry;
  readonly says: SourceSays['says'];
  /** No sync that is configured owns the user: a leaver stays if another sync shows the person as active. */
  readonly isLeftBehind: boolean;
}

/** Answers what the other syncs of a connection show about people. Reads each roster at most once per plan or batch. */
export interface NeighborReader {
  /** Returns the facts by identification. A person without any is absent. */
  of(questions: readonly NeighborQuestion[]): Promise<ReadonlyMap<string, Neighbors>>;
}

/** Returns the syncs that are not configured and whose users a person left as they are. */
export async function leftOwners(
  connection: string,
  { store, clock }: Pick<EngineIo, 'store' | 'clock'>,
): Promise<ReadonlySet<string>> {
  const standing = await store.standing.list(connection, clock.now());
  return new Set(standing.flatMap((one) => ('owner' in one ? [one.owner] : [])));
}

/** Tells of users whom no sync disables, because theirs is not configured. */
export function orphaned(sync: string, owner: string, users: number): Finding {
  const message = `${countOf(users, 'enabled user belongs', 'enabled users belong')} to sync ${owner}, which is not configured, so no run disables them. Set syncs.${sync}.formerly to ${owner}, or run "rollcall adopt ${sync} --from ${owner}"`;
  return { code: 'orphaned-users', message };
}

/** Returns whether the sync is configured on this connection, so that its users are its own. */
export function isConfiguredOn(connection: string, sync: string, { syncs }: Pick<EngineIo, 'syncs'>): boolean {
  return syncs.get(sync)?.settings.connection === connection;
}

export function openNeighbors({ settings }: Sync, io: EngineIo): NeighborReader {
  const { name, connection, handOver, delivery } = settings;
  const others = [...io.syncs.values()].filter(
    (other) => other.settings.connection === connection && other.settings.name !== name,
  );
  const rosters = new Map<string, Promise<TrustedRoster | undefined>>();
  const trusted = (sync: Sync): Promise<TrustedRoster | undefined> => {
    const other = sync.settings.name;
    const known = rosters.get(other) ?? openTrusted(sync, handOver.maxAgeMs, io);
    rosters.set(other, known);
    return known;
  };
  const claimants = once(async () => {
    const able = await Promise.all(others.map(async (sync) => ((await mayTakeOver(sync, io)) ? [sync] : [])));
    return able.flat();
  });
  return {
    async of(questions) {
      const found = new Map<string, Neighbors>();
      // Outbox delivery writes no ledger entries, so it cannot own users.
      const foreign = delivery === 'outbox' ? [] : questions.filter((one) => isReleasable(one, name));
      for (const other of others) {
        const names = foreign.filter(({ entry }) => entry.owner === other.settings.name).map(nameOf);
        const roster = names.length === 0 ? undefined : await trusted(other);
        for (const [identification, entries] of await lookUp(roster, names)) {
          const release = roster && releaseOf(roster, entries);
          if (release !== undefined) found.set(identification, { release });
        }
      }
      const gone = questions.filter((one) => isClaimable(one, name)).map(nameOf);
      for (const other of gone.length === 0 ? [] : await claimants()) {
        const roster = await trusted(other);
        const fullReads = roster === undefined ? [] : await io.store.reads.recent(roster.sync, readsUntilTakeOver);
        for (const [identification, entries] of await lookUp(roster, gone)) {
          const claim = roster && claimOf(roster, entries, fullReads);
          if (claim !== undefined && !found.has(identification)) found.set(identification, { claim });
        }
      }
      return found;
    },
  };
}

/** How the source shows a person whose disable or remove a hand-over can prevent, by rule. */
const goneBy: Readonly<Partial<Record<string, 'missing' | 'out-of-scope'>>> = {
  'missing-disable': 'missing',
  'missing-remove': 'missing',
  'out-of-scope': 'out-of-scope',
  'undo-create': 'out-of-scope',
};

/** Returns the sync that is expected to take the user over, by identification, for changes that must wait for it. */
export async function handOversExpected(
  changes: readonly Change[],
  ledger: ReadonlyMap<string, LedgerEntry>,
  { sync }: Pick<RunContext, 'sync'>,
  io: EngineIo,
): Promise<ReadonlyMap<string, string>> {
  const questions = changes.flatMap(({ identification, rule }) => {
    const [entry, says] = [ledger.get(identification), goneBy[rule]];
    return entry === undefined || says === undefined ? [] : [{ entry, says, isLeftBehind: false }];
  });
  const expected = new Map<string, string>();
  if (questions.length === 0) return expected;
  for (const [identification, { claim }] of await openNeighbors(sync, io).of(questions)) {
    const since = ledger.get(identification)?.handOverSince;
    if (claim !== undefined && !isClaimOver(claim, since)) expected.set(identification, claim.by);
  }
  return expected;
}

function isReleasable({ entry, says }: NeighborQuestion, sync: string): boolean {
  return says === 'active' && entry.owner !== sync && entry.removed === undefined;
}

function isClaimable({ entry, says, isLeftBehind }: NeighborQuestion, sync: string): boolean {
  const isGone = says === 'missing' || says === 'out-of-scope' || (says === 'leaver' && isLeftBehind);
  return isGone && entry.owner === sync && entry.removed === undefined;
}

/** Returns whether the sync runs and may enable accounts: only then another sync leaves users to it. */
async function mayTakeOver({ settings }: Sync, io: EngineIo): Promise<boolean> {
  const { name, policy, delivery } = settings;
  if (policy === 'create-only' || delivery === 'direct' || delivery === 'outbox') return false;
  return (await io.store.pauses.get(name, io.clock.now())) === undefined;
}

async function openTrusted(
  { settings, fingerprint }: Sync,
  maxAgeMs: number,
  { store, clock }: EngineIo,
): Promise<TrustedRoster | undefined> {
  return trustRoster(await store.rosters.open(settings.name), { fingerprint, maxAgeMs, now: clock.now() });
}

async function lookUp(
  roster: TrustedRoster | undefined,
  names: readonly string[],
): Promise<readonly (readonly [string, readonly RosterEntry[] | undefined])[]> {
  if (roster === undefined) return [];
  const entries = await roster.people(names);
  return names.map((name) => [name, entries.get(name)] as const);
}

function nameOf({ entry }: NeighborQuestion): string {
  return entry.identification;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
