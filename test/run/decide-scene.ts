import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import type { BlockedPerson } from '../../src/core/guard/blocked.ts';
import type { Person } from '../../src/core/person/person.ts';
import type { DecidingSettings, LastWrite } from '../../src/core/plan/configuration.ts';
import type { LedgerEntry } from '../../src/core/plan/ledger.ts';
import type { Neighbors } from '../../src/core/plan/neighbors.ts';
import type { RefusedCreate } from '../../src/core/plan/refused-create.ts';
import { certifySnapshot } from '../../src/core/plan/snapshot.ts';
import { type AccountDecision, openStanding, type PairDecision } from '../../src/core/plan/standing.ts';
import type { Finding } from '../../src/core/run/finding.ts';
import { given } from '../../src/core/run/given.ts';
import { type Dialect, defaultDialect, type SyncSettings } from '../../src/core/run/settings.ts';
import type { NewChange } from '../../src/ports/store.ts';
import type { NeighborQuestion } from '../../src/run/compare/neighbors.ts';
import { decideChanges } from '../../src/run/decide/decide-changes.ts';
import type { Edit } from '../../src/run/edit.ts';
import type { EngineIo, Sync } from '../../src/run/engine-io.ts';
import type { PlanWork } from '../../src/run/plan-job.ts';
import { mark } from '../../src/run/read/marks.ts';
import { openFileSpool } from '../../src/store/db/file-spool.ts';
import { openStore } from '../../src/store/index.ts';
import { endRun, openRun, sampleEntry } from '../contracts/store-samples.ts';
import { person } from '../core/cases.ts';
import { fixedClock, someInstant as now } from '../support/fake-clock.ts';
import { fillIndex, type KnownPeople, openIndex } from './open-index.ts';
import { compilePlainMapping, plainSettings } from './plain-settings.ts';

export const fields = { firstName: 'Ana', lastName: 'Li', area: 'Sales' } as const;
export const named = (identification: string, over: Partial<Person> = {}): Person =>
  person({ identification, at: `line of ${identification}`, fields, ...over });
export const left = { standing: 'leaver' } as const;
export const changed = { fields: { ...fields, area: 'IT' } };
export const off = { enabled: false } as const;
export const entry = (name: string, over: Partial<LedgerEntry> = {}) =>
  sampleEntry(name, { accountId: `9${name}`, ...over });

/** Who is where, and what the run is about. */
export interface World extends KnownPeople {
  readonly neighbors?: Readonly<Record<string, { release?: { from: string }; claim?: { by: string } }>>;
  readonly settings?: Partial<SyncSettings>;
  /** The users whom the store lets this sync take over. */
  readonly taken?: readonly string[];
  readonly isFocused?: boolean;
  readonly dialect?: Partial<Dialect>;
  /** The kind of the read; full when absent. */
  readonly kind?: 'point' | 'delta';
  /** People whose earlier change has an outcome that stayed unknown for too long. */
  readonly released?: readonly string[];
  /** Conflicts of identity that the steps before have found. */
  readonly identities?: PlanWork['findings']['identities'];
  /** Stops the work after the first part. */
  readonly stops?: boolean;
  readonly edit?: EditedWorld;
  /** People with a change whose outcome is not known. */
  readonly blocked?: readonly string[];
  readonly pairs?: readonly PairDecision[];
  readonly toDisable?: readonly AccountDecision[];
  /** A person asked for another try. */
  readonly isRetry?: true;
  /** A run of named people. */
  readonly isNamed?: true;
  /** Creates that the platform refused before. */
  readonly refused?: Readonly<Record<string, readonly RefusedCreate[]>>;
}

/** An edit of the configuration before this plan. */
export interface EditedWorld extends Partial<Omit<Edit, 'before' | 'mapping'>> {
  /** The people as the earlier configuration maps them. Absent: one read cannot compare the two. */
  readonly records?: readonly Person[];
  readonly settings?: Partial<DecidingSettings>;
  readonly lastWrites?: Readonly<Record<string, LastWrite>>;
}

/** The edit. `settings`: those that it leaves as they are. */
function openEdit({ records, settings: over, lastWrites: _, ...edit }: EditedWorld, sync: Sync): Edit {
  return {
    before: { ...sync.settings, ...over } as unknown as DecidingSettings,
    ...{ keys: [], isReverted: false, measured: undefined, replaced: [] },
    mapping: records && sync.mapping,
    ...edit,
  };
}

/** Gives the people of a case names of their own. */
export const numbered = <Value>(value: Value, i: number): Value =>
  JSON.parse(JSON.stringify(value).replace(/ana|eva|ida|kim|leo|EVA/g, (name) => `${name}${i}`));

/** Puts the people of several worlds beside each other: `ana` becomes `ana0`, `ana1` and so on. Settings are left out. */
export function inOnePlan(worlds: readonly World[]): World {
  const all = worlds.map(numbered);
  const merged = <Name extends keyof World>(name: Name) =>
    all.flatMap((world) => (world[name] as readonly never[]) ?? []);
  return {
    ...{ records: merged('records'), users: merged('users'), ledger: merged('ledger'), blocked: merged('blocked') },
    claims: Object.assign({}, ...all.map(({ claims }) => claims)),
    neighbors: Object.assign({}, ...all.map(({ neighbors }) => neighbors)),
  };
}

/** The people of a plan, and what is decided about them. Sync `guests` is configured beside `people`. */
export async function open(world: World) {
  const settings = { ...plainSettings, firstSight: 'assume', missing: { afterReads: 2, minAgeMs: 0 } } as const;
  const sync = {
    settings: { ...settings, ...world.settings },
    mapping: compilePlainMapping(plainSettings),
    dialect: { ...defaultDialect, ...world.dialect },
  } as unknown as Sync;
  const store = await openStore('sqlite::memory:', { folder: tmpdir() });
  onTestFinished(() => store.close());
  const index = openIndex(sync.mapping.fields);
  const owned = await openRun(store, { id: 'run_0', sync: 'before' });
  await store.ledger.put(owned, world.ledger ?? []);
  await endRun(store, owned);
  const spool = openFileSpool(tmpdir());
  onTestFinished(() => spool.close());
  const earlier = world.edit?.records;
  const people = fillIndex(index, spool, { ...world, sync, ...given({ earlier }) });
  const edit = world.edit && openEdit(world.edit, sync);
  const asked: string[] = [];
  const stopping = new AbortController();
  const end = { complete: true, rows: 9, evidence: 'all', stamp: 's1' } as const;
  const snapshot = certifySnapshot({ kind: world.kind ?? 'full', end, unreadable: 0, readAt: now, runAt: now });
  const read = {
    snapshot,
    reading: { kind: world.kind ?? 'full' },
    focus: world.isFocused === true ? new Set() : undefined,
  };
  const blockedBefore = new Map((world.blocked ?? []).map((name) => [name, { reason: 'no answer yet' }]));
  const compared = {
    ...{ ...people, asked: new Map(), former: new Map() },
    unresolved: { blocked: blockedBefore, released: new Set(world.released) },
    standing: openStanding([...(world.pairs ?? []), ...(world.toDisable ?? [])]),
  };
  const neighbors = {
    async of(questions: readonly NeighborQuestion[]) {
      for (const { entry: of, says, isLeftBehind } of questions)
        asked.push(`${of.identification} ${says}${isLeftBehind ? ' left behind' : ''}`);
      return new Map(Object.entries(world.neighbors ?? {}) as unknown as [string, Neighbors][]);
    },
  };
  const progress: number[] = [];
  const guests = { ...sync, settings: { ...sync.settings, name: 'guests' } };
  const lastWrites = async (_: string, names: readonly string[]) =>
    new Map(Object.entries(world.edit?.lastWrites ?? {}).filter(([name]) => names.includes(name)));
  const io = {
    store: {
      ...store,
      baselines: { ...store.baselines, lastWrites },
      plans: {
        ...store.plans,
        refusedCreates: async (_: string, names: readonly string[]) =>
          new Map(Object.entries(world.refused ?? {}).filter(([name]) => names.includes(name))),
      },
    },
    clock: fixedClock(now),
    syncs: new Map([
      ['people', sync],
      ['guests', guests],
    ]),
    progress: (event: { decided: number; total: number }) => {
      progress.push(event.decided, event.total);
      if (world.stops === true) stopping.abort(new Error('asked to stop'));
    },
  } as unknown as EngineIo;
  const findings: Finding[] = [];
  const blocked: BlockedPerson[] = [];
  const decided: string[] = [];
  const changes: NewChange[] = [];
  const expected: NewChange[] = [];
  const entries: LedgerEntry[] = [];
  const taking: unknown[] = [];
  const watcher = {
    decided: ({ identification }: { identification: string }, { rule }: { rule: string }) =>
      void decided.push(`${identification} ${rule}`),
    expected: (some: readonly NewChange[]) => void expected.push(...some),
  };
  const recorder = {
    watcher,
    async begin() {},
    changes: async (some: readonly NewChange[]) => void changes.push(...some),
    ledger: async (some: readonly LedgerEntry[]) => void entries.push(...some),
    async takeOver(users: readonly { readonly identification: string }[]) {
      taking.push(...users);
      return new Set(world.taken ?? users.map(({ identification }) => identification));
    },
  };
  const scope = world.isNamed === true ? { kind: 'users' } : { kind: 'all' };
  const work = {
    ...{ sync, index, spool, recorder, scope, signal: stopping.signal, ...given({ edit, isRetry: world.isRetry }) },
    findings: {
      find: (finding: Finding) => void findings.push(finding),
      identities: world.identities ?? { notKept: 0, found: 0 },
    },
    blocked: { add: (one: BlockedPerson) => void blocked.push(one) },
  } as unknown as PlanWork;
  const planned = { read, compared } as unknown as Parameters<typeof decideChanges>[1];
  const kept = (places: readonly number[]) => places.map((place) => JSON.parse(spool.read(place)));
  return {
    store,
    async decide() {
      const done = await decideChanges(work, planned, io, neighbors);
      const { misses, instead, takenLater, repeated, rejected, leftOut, notUndone, respectedEdits, postponed } = done;
      const counts = { repeated, rejected, leftOut, notUndone, respectedEdits, postponed };
      return { ...done, counts, expected, misses: kept(misses), instead: kept(instead), takenLater: kept(takenLater) };
    },
    /** What the later steps know of a person. */
    marksOf: (name: string) =>
      (['prevented', 'leadable'] as const).filter((one) => index.has(index.find(name).slot, mark[one])).join(),
    findings,
    blocked,
    decided,
    changes,
    expected,
    entries,
    taking,
    asked,
    progress,
    /** `kind identification` of each change. */
    kinds: () => changes.map(({ kind, identification }) => `${kind} ${identification}`),
    codes: () => findings.map(({ code, identification }) => `${code} ${identification}`),
  };
}

export async function decide(world: World) {
  const plan = await open(world);
  return { ...plan, ...(await plan.decide()) };
}
