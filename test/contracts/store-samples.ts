import {
  type Change,
  type ChangeKind,
  type ChangeName,
  changeClasses,
  sealChange,
} from '../../src/core/plan/change.ts';
import { fieldsDecided } from '../../src/core/plan/decision.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type {
  Batch,
  DecidedChange,
  NewChange,
  NewHold,
  OwnedRun,
  RunScope,
  Store,
  TokenRecord,
  Trigger,
} from '../../src/ports/store.ts';
import { someInstant } from '../support/fake-clock.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
export const everyone: RunScope = { kind: 'all' };

export function sampleTrigger(id: string, over: Partial<Trigger> = {}): Trigger {
  return { id, sync: 'people', kind: 'manual', key: id, requestedAt: someInstant, scope: everyone, ...over };
}

interface RunToOpen {
  readonly id: string;
  readonly sync?: string;
  readonly connection?: string;
  readonly now?: number;
  readonly scope?: RunScope;
}

/** Asks for a run, opens it and takes its lease. */
export async function openRun(
  store: Store,
  { id, sync = 'people', connection = 'acme', now = someInstant, scope = everyone }: RunToOpen,
): Promise<OwnedRun> {
  await store.triggers.add(sampleTrigger(`trigger_${id}`, { sync, requestedAt: now, scope }));
  const opened = await store.runs.open(sync, { id, connection, now });
  const lease = await store.leases.take(`run:${id}`, `owner of ${id}`, hourMs, now);
  if (!opened?.isNew || lease === undefined) throw new Error(`the sample run ${id} could not be opened`);
  return { run: opened.run, lease };
}

/** Opens a run and writes its plan with these changes. */
export async function openPlanned(
  store: Store,
  run: RunToOpen,
  changes: readonly (string | Change)[] = [],
): Promise<OwnedRun> {
  const owned = await openRun(store, run);
  await writePlan(store, { id: run.id, owned, sync: run.sync ?? 'people', madeAt: run.now ?? someInstant }, changes);
  return owned;
}

/** Ends a run as its owner would. */
export async function endRun(store: Store, owned: OwnedRun, endedAt = someInstant): Promise<void> {
  await store.runs.update(owned, { phase: 'done', endedAt, outcome: 'succeeded' });
  await store.leases.release(owned.lease);
}

const classesOf = {
  create: ['creates'],
  update: ['updates'],
  enable: ['enables'],
  disable: ['disables'],
  remove: ['removes'],
  lead: ['leads'],
  unlead: ['unleads'],
} as const;

const rulesOf = {
  create: 'active-create',
  update: 'active-update',
  enable: 'active-enable',
  disable: 'leaver-enabled',
  remove: 'leaver-remove',
  lead: 'leaders-lead',
  unlead: 'leaders-unlead',
} as const;

/** A change that is known by its hash alone. */
export function nameOf(hash: string): ChangeName {
  return { identification: `person of ${hash}`, rule: 'leaver-enabled', episode: '0', hash };
}

export interface SampleVerdict {
  readonly by?: string;
  readonly why?: string;
  readonly at?: number;
  readonly expiresAt?: number;
  readonly sync?: string;
  readonly reopens?: boolean;
}

/** These changes as a decision about all of them names them. */
export function decided(changes: readonly (Change | ChangeName)[]): DecidedChange[] {
  return changes.map((change) => {
    const { identification, rule, episode, hash } = change;
    const fields = 'kind' in change ? fieldsDecided(change, undefined) : { isWhole: true, digests: {} };
    return { identification, rule, episode, hash, fields };
  });
}

/** Approves changes, by default of people, for a day. */
export function approve(
  store: Store,
  changes: readonly (Change | ChangeName)[],
  over: SampleVerdict = {},
): Promise<number> {
  const { by = 'ops', why, at = someInstant, expiresAt = at + dayMs, sync = 'people', reopens = false } = over;
  return store.decisions.decide(sync, decided(changes), { state: 'approved', by, why, at, expiresAt, reopens });
}

export function reject(
  store: Store,
  changes: readonly (Change | ChangeName)[],
  over: SampleVerdict = {},
): Promise<number> {
  const { by = 'ops', why, at = someInstant, sync = 'people' } = over;
  return store.decisions.decide(sync, decided(changes), { state: 'rejected', by, why, at });
}

export function sampleChange(
  identification: string,
  kind: ChangeKind = 'update',
  over: Partial<Omit<Change, 'hash'>> = {},
): Change {
  return sealChange({
    identification,
    kind,
    before:
      kind === 'create'
        ? undefined
        : {
            userId: `9${identification}`,
            enabled: true,
            fields: { area: 'Before' },
            lastUpdate: '2026-11-20T08:00:00',
          },
    after: kind === 'disable' || kind === 'remove' ? {} : { area: 'After', firstName: 'Ana' },
    changed: kind === 'disable' || kind === 'remove' ? [] : ['area'],
    classes: classesOf[kind],
    reason: `a sample ${kind}`,
    rule: rulesOf[kind],
    episode: '0',
    ...over,
  });
}

/** A sealed plan with these changes, of a run or only shown; its digest is 64 times the digit. A name is an update. */
export async function writePlan(
  store: Store,
  plan: { readonly id: string; readonly owned?: OwnedRun; readonly sync?: string; readonly madeAt?: number },
  changes: readonly (string | NewChange)[],
  digit = 'a',
): Promise<void> {
  const { id, owned, sync = 'people', madeAt = someInstant } = plan;
  await store.plans.begin(owned, { id, sync, run: owned?.run.id, madeAt });
  await store.plans.add(
    owned,
    id,
    changes.map((one) => (typeof one === 'string' ? sampleChange(one) : one)),
  );
  await store.plans.seal(owned, id, digit.repeat(64));
}

export function sampleBatch(owned: OwnedRun, number: number, over: Partial<Batch> = {}): Batch {
  return {
    id: `${owned.run.id}_b${number}`,
    run: owned.run.id,
    sync: owned.run.sync,
    connection: owned.run.connection,
    number,
    kind: 'csv',
    size: 1,
    state: 'planned',
    sentAt: undefined,
    fileId: undefined,
    fileName: undefined,
    status: undefined,
    polls: 0,
    final: undefined,
    finalAt: undefined,
    reason: undefined,
    parent: undefined,
    ...over,
  };
}

export function sampleEntry(identification: string, over: Partial<LedgerEntry> = {}): LedgerEntry {
  return { identification, owner: 'people', hidden: {}, quirks: {}, unverified: 0, ...over };
}

export function sampleHold(owned: OwnedRun, id: string, over: Partial<NewHold> = {}): NewHold {
  const heldAt = over.heldAt ?? someInstant;
  return {
    id,
    sync: owned.run.sync,
    run: owned.run.id,
    class: 'disables',
    reason: 'too many disables, 5 allowed',
    digest: 'd'.repeat(64),
    heldAt,
    expiresAt: heldAt + dayMs,
    state: 'open',
    ...over,
  };
}

/** Writes the run's plan with these changes, all of them held and open. A name is a disable of that person. */
export async function writeHeld(
  store: Store,
  owned: OwnedRun,
  held: readonly (string | Change)[],
  now = someInstant,
): Promise<readonly Change[]> {
  const { id } = owned.run;
  const changes = held.map((one) => (typeof one === 'string' ? sampleChange(one, 'disable') : one));
  await writePlan(store, { id, owned }, changes);
  await store.plans.hold(owned, id, changeClasses, 'too many');
  await store.decisions.record(owned, id, { now, expiresAt: now + dayMs });
  return changes;
}

/** As `writeHeld`, and opens one hold of disables for them. */
export async function holdAll(
  store: Store,
  owned: OwnedRun,
  held: readonly (string | Change)[],
  { id = 'hold_1', now = someInstant }: { readonly id?: string; readonly now?: number } = {},
): Promise<readonly Change[]> {
  const changes = await writeHeld(store, owned, held, now);
  await renewHolds(store, owned, [sampleHold(owned, id, { heldAt: now })], now);
  return changes;
}

export function sampleTokens(over: Partial<TokenRecord> = {}): TokenRecord {
  return {
    connection: 'acme',
    generation: 1,
    state: 'ready',
    accessSealed: 'sealed access',
    refreshSealed: 'sealed refresh',
    issuedAt: someInstant,
    expiresAt: someInstant + hourMs,
    seedHash: 'hash of the first token',
    usedSeeds: ['hash of the first token'],
    refreshStartedAt: undefined,
    attempts: 0,
    retryAt: undefined,
    triedSeeds: [],
    reason: undefined,
    restored: undefined,
    ...over,
  };
}

/** Writes a bare entry for each of these people. */
export function putEntries(store: Store, owned: OwnedRun, names: readonly string[]): Promise<void> {
  return store.ledger.put(
    owned,
    names.map((name) => sampleEntry(name)),
  );
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Opens holds as a run does that ends its plan with them. */
export function renewHolds(store: Store, owned: OwnedRun, all: readonly NewHold[], now: number): Promise<OwnedRun> {
  return store.runs.update(owned, {}, { holds: { all, now } });
}
