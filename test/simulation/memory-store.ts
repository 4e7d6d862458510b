import { takenOver } from '../../src/core/plan/ledger-steps.ts';
import { openRoster } from '../../src/core/plan/roster.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import type { Baseline } from '../../src/ports/reads.ts';
import type { Batch, Batches, LearnedFacts, Ledger, Store } from '../../src/ports/store.ts';
import { memoryDecisions, memoryHolds, rejectUndone } from './memory-decisions.ts';
import { memoryPlans } from './memory-plans.ts';
import { memoryLeases, memoryReads, memoryRuns, memoryTokens, memoryTriggers, memoryTurns } from './memory-runs.ts';
import {
  createBatches,
  emptyTables,
  inOrder,
  markChanges,
  putLedger,
  requireOwner,
  type Tables,
} from './memory-tables.ts';

/** What a run needs of a store. Alerts, pauses, audit and pruning are not part of a simulated world. */
export type SimulatedStore = Store & { readonly tables: Tables };

const absent = (): never => {
  throw new RangeError('a simulated world has no such thing');
};

/** A store in memory that keeps to the contract and is done with every call at once. */
export function memoryStore(): SimulatedStore {
  const tables = emptyTables();
  const absentPart: unknown = new Proxy({}, { get: absent });
  return {
    tables,
    leases: memoryLeases(tables),
    turns: memoryTurns(tables),
    triggers: memoryTriggers(tables),
    runs: memoryRuns(tables),
    plans: memoryPlans(tables),
    batches: memoryBatches(tables),
    ledger: memoryLedger(tables),
    decisions: memoryDecisions(tables),
    holds: memoryHolds(tables),
    baselines: memoryBaselines(tables),
    reads: memoryReads(tables),
    rosters: memoryRosters(tables),
    rawTexts: { add: async () => {}, ofRun: async () => [] },
    tokens: memoryTokens(tables),
    alerts: absentPart as Store['alerts'],
    syncNames: { owners: async () => new Map(), isUsed: async () => false, rename: absent },
    pauses: { get: async () => undefined, list: async () => [], add: absent, remove: absent },
    learned: memoryLearned(),
    people: absentPart as Store['people'],
    sealing: absentPart as Store['sealing'],
    restores: { last: async () => undefined },
    sessions: absentPart as Store['sessions'],
    previews: absentPart as Store['previews'],
    exports: absentPart as Store['exports'],
    directories: {
      ...(absentPart as Store['directories']),
      digests: async () => new Map(),
      write: async () => {},
    },
    reports: absentPart as Store['reports'],
    audit: { add: absent, list: async () => [] },
    fault: async () => undefined,
    size: absent,
    noteSize: async () => {},
    outlook: absent,
    close: async () => {},
  };
}

function isOfUnreceived({ parent }: Batch, batches: ReadonlyMap<string, Batch>): boolean {
  const from = parent === undefined ? undefined : batches.get(parent);
  return from?.kind === 'csv' && from.fileId === undefined;
}

function memoryLearned(): Store['learned'] {
  const facts = new Map<string, LearnedFacts>();
  const get = (connection: string): LearnedFacts => facts.get(connection) ?? {};
  return {
    get: async (connection) => get(connection),
    update: async (connection, change) => void facts.set(connection, change(get(connection))),
  };
}

function memoryBaselines({ baselines, plans }: Tables): Store['baselines'] {
  const advance = (sync: string, accepted: Baseline['accepted']): void => {
    baselines.set(sync, { accepted, measured: undefined });
  };
  const none: Baseline = { accepted: undefined, measured: undefined };
  return {
    read: async (sync) => baselines.get(sync) ?? none,
    accept: async ({ run: { sync } }, configuration) => advance(sync, configuration),
    measure: async ({ run: { sync } }, measured) => {
      baselines.set(sync, { ...(baselines.get(sync) ?? none), measured });
    },
    advance: async ({ run: { id, sync } }) => {
      const measured = baselines.get(sync)?.measured;
      const rows = [...(plans.get(id)?.changes.values() ?? [])].map(({ planned }) => planned);
      const isEnded = ({ state }: (typeof rows)[number]) => ['applied', 'unverified', 'exported'].includes(state);
      const isLeft = rows.some((row) => row.classes.includes('configuration') && !isEnded(row));
      if (measured?.run === id && !measured.isOpen && !isLeft) advance(sync, measured);
    },
    lastWrites: async (_, names) => {
      const rows = [...plans.values()].flatMap(({ header, changes }) => {
        return [...changes.values()].map((row) => ({ ...row, configuration: header.configuration }));
      });
      const applied = rows.filter(({ appliedAt }) => appliedAt !== undefined);
      const oldestFirst = applied.sort((a, b) => Number(a.appliedAt) - Number(b.appliedAt));
      const last = oldestFirst.map(({ planned: { identification, kind, before, classes }, configuration }) => {
        return [identification, { kind, before, classes, configuration }] as const;
      });
      return new Map(last.filter(([name]) => names.includes(name)));
    },
    safeguards: async () => new Map(),
    replaceSafeguards: absent,
  };
}

function memoryRosters(tables: Tables): Store['rosters'] {
  return {
    async open(sync) {
      const stored = tables.rosters.get(sync);
      if (stored === undefined) return undefined;
      const { header, pages } = stored;
      return openRoster(header, async (part, numbers) =>
        pages.filter((page) => page.part === part && numbers.includes(page.page)),
      );
    },
    async put(owned, header, pages, { read } = {}) {
      requireOwner(tables, owned);
      tables.rosters.set(header.sync, { header, pages });
      if (read !== undefined) tables.reads.set(read.run, read);
    },
  };
}

const out: readonly string[] = ['sending', 'sent', 'unresolved'];

function memoryBatches(tables: Tables): Batches {
  const { batches, runs } = tables;
  const { update, updateFacts, addFindings } = memoryRuns(tables);
  const ofRun = (run: string): Batch[] =>
    [...batches.values()].filter((batch) => batch.run === run).sort((a, b) => a.number - b.number);
  const ofUnknownEffect = (connection: string): Batch[] => {
    const open = [...batches.values()].filter((batch) => {
      return batch.connection === connection && batch.kind !== 'outbox' && out.includes(batch.state);
    });
    return inOrder(open, ({ run, number }) => {
      return `${String(runs.get(run)?.startedAt).padStart(16, '0')} ${run} ${String(number).padStart(6, '0')}`;
    });
  };
  return {
    async create(owned, list) {
      requireOwner(tables, owned);
      createBatches(tables, owned, list);
    },
    async get(id) {
      return batches.get(id);
    },
    async ofRun(run, { states, limit } = {}) {
      return ofRun(run)
        .filter(({ state }) => states?.some((one) => one === state) !== false)
        .slice(0, limit);
    },
    async wave(run) {
      const all = ofRun(run);
      const first = all.find(({ state }) => state === 'planned');
      const planned = all
        .filter((batch) => batch.state === 'planned' && (batch === first || batch.parent !== undefined))
        .map((batch) => {
          const changes = [...(tables.plans.get(run)?.changes.values() ?? [])]
            .map((change) => change.planned)
            .filter((change) => change.batch === batch.id);
          const isLastStep = batch.parent !== undefined && batches.get(batch.parent)?.isParking === true;
          const isWaiting = isLastStep || changes.some(({ waitsFor }) => waitsFor !== undefined);
          return {
            ...batch,
            isDisabling: changes[0]?.kind === 'disable',
            dependsOnOthers: batch.isParking !== true && isWaiting,
            isOfUnreceived: isOfUnreceived(batch, batches),
            ofAll: all.length,
          };
        });
      return { open: all.filter(({ state }) => state !== 'planned' && state !== 'settled'), planned };
    },
    async unknown(connection) {
      const isEnded = ({ run }: Batch): boolean => runs.get(run)?.endedAt !== undefined;
      const all = ofUnknownEffect(connection);
      return { unresolved: all.filter(isEnded), unproven: all.filter((batch) => !isEnded(batch)) };
    },
    async claimed({ run }, names) {
      const others = ofUnknownEffect(run.connection).filter((batch) => batch.run !== run.id);
      const isOut =
        (name: string) =>
        ({ run: other }: Batch) => {
          const state = tables.plans.get(other)?.changes.get(name)?.planned.state;
          return state === 'sent' || state === 'unresolved';
        };
      return new Set(names.filter((name) => others.some(isOut(name))));
    },
    async update(owned, id, patch, also = {}) {
      requireOwner(tables, owned);
      const batch = batches.get(id);
      if (batch?.run !== owned.run.id) throw new RollcallError(`there is no batch ${id}`, { code: 'NOT_FOUND' });
      markChanges(tables, owned.run.id, also.marks ?? [], id);
      putLedger(tables, batch.connection, also.ledger ?? []);
      rejectUndone(tables, batch.sync, also.undone ?? []);
      if (also.facts !== undefined) await updateFacts(owned, also.facts);
      await addFindings(owned, also.findings ?? []);
      const { state = batch.state, polls = batch.polls, ...rest } = patch;
      batches.set(id, { ...batch, ...rest, state, polls });
      return update(owned, also.run ?? {});
    },
    async resolve(owned, id, reason, also) {
      requireOwner(tables, owned);
      const batch = batches.get(id);
      if (batch === undefined) throw new RollcallError(`there is no batch ${id}`, { code: 'NOT_FOUND' });
      if (batch.state === 'settled') return;
      if (runs.get(batch.run)?.endedAt === undefined) {
        throw new RollcallError(`run ${batch.run} has not ended`, { code: 'CONFLICT' });
      }
      markChanges(tables, batch.run, also.marks ?? [], id);
      putLedger(tables, batch.connection, also.ledger ?? []);
      rejectUndone(tables, batch.sync, also.undone ?? []);
      batches.set(id, { ...batch, state: 'settled', reason });
    },
  };
}

const pieceRows = 1000;

function memoryLedger(tables: Tables): Ledger {
  const rows = (connection: string) => tables.ledger.get(connection) ?? new Map();
  return {
    async *all(connection) {
      const all = inOrder(rows(connection).values(), ({ identification }) => identification);
      for (let from = 0; from < all.length; from += pieceRows) yield all.slice(from, from + pieceRows);
    },
    async get(connection, identification) {
      return rows(connection).get(identification);
    },
    async getMany(connection, names) {
      const found = names.map((name) => [name, rows(connection).get(name)] as const);
      return new Map(found.filter(([, entry]) => entry !== undefined));
    },
    async waiting(connection, sync) {
      return [...rows(connection).values()].filter(
        ({ owner, removed, disabledAt, goneSince, leaders }) =>
          owner === sync && (removed ?? disabledAt ?? goneSince) === undefined && leaders?.waits !== undefined,
      );
    },
    async countOwned(connection, sync) {
      const owned = [...rows(connection).values()].filter(
        ({ owner, removed }) => owner === sync && removed === undefined,
      );
      return {
        managed: owned.length,
        enabled: owned.filter(({ disabledAt }) => disabledAt === undefined).length,
      };
    },
    async put(owned, entries) {
      requireOwner(tables, owned);
      putLedger(tables, owned.run.connection, entries);
    },
    async takeOver(owned, users, at) {
      requireOwner(tables, owned);
      const { connection, sync } = owned.run;
      const moved = users.flatMap(({ identification, owner }) => {
        const entry = rows(connection).get(identification);
        return entry?.owner === owner && entry.removed === undefined ? [takenOver(entry, sync, at)] : [];
      });
      putLedger(tables, connection, moved);
      return new Set(moved.map(({ identification }) => identification));
    },
    adopt: absent,
    rename: absent,
  };
}
