import { RollcallError } from '../../src/core/run/errors.ts';
import { joinNamed } from '../../src/core/run/named-scope.ts';
import { noCounts } from '../../src/core/run/run.ts';
import type { Turns } from '../../src/ports/leases.ts';
import type {
  Leases,
  OwnedRun,
  Reads,
  Run,
  RunScope,
  Runs,
  TokenStore,
  Trigger,
  TriggerKind,
  Triggers,
} from '../../src/ports/store.ts';
import { renewHolds } from './memory-decisions.ts';
import { createBatches, inOrder, requireOwner, type Tables } from './memory-tables.ts';

export function memoryLeases({ leases }: Pick<Tables, 'leases'>): Leases {
  return {
    async take(name, owner, ttlMs, now) {
      const row = leases.get(name);
      if (row?.owner !== undefined && row.owner !== owner && row.until > now) return undefined;
      const fence = (row?.fence ?? 0) + 1;
      leases.set(name, { owner, fence, until: now + ttlMs });
      return { name, owner, fence };
    },
    async renew({ name, owner, fence }, ttlMs, now) {
      const row = leases.get(name);
      if (row?.owner !== owner || row.fence !== fence) return false;
      row.until = now + ttlMs;
      return true;
    },
    async release({ name, owner, fence }) {
      const row = leases.get(name);
      if (row?.owner === owner && row.fence === fence) leases.set(name, { owner: undefined, fence, until: 0 });
    },
    async holder(name, now) {
      const row = leases.get(name);
      return row?.owner === undefined || row.until <= now ? undefined : { owner: row.owner, until: row.until };
    },
  };
}

function releaseTurn({ leases }: Pick<Tables, 'leases'>, name: string, owner: string): void {
  const row = leases.get(name);
  if (row?.owner === owner) leases.set(name, { ...row, owner: undefined, until: 0 });
}

function leaveTurn(tables: Tables, name: string, owner: string): void {
  tables.turns.get(name)?.delete(owner);
  releaseTurn(tables, name, owner);
}

export function memoryTurns({ leases, turns }: Tables): Turns {
  const { take } = memoryLeases({ leases });
  return {
    async take({ name, owner, ttlMs, placeMs }, now) {
      const queue = turns.get(name) ?? new Map<string, number>();
      turns.set(name, queue);
      const row = leases.get(name);
      const isHeld = row?.owner !== undefined && row.owner !== owner && row.until > now;
      const isOurs = row?.owner === owner && row.until > now;
      // A map keeps the order in which its keys came.
      const names = [...queue.keys()];
      const before = queue.has(owner) ? names.slice(0, names.indexOf(owner)) : names;
      const waiting = before.filter((other) => (queue.get(other) ?? 0) > now).length;
      if (isOurs || (!isHeld && waiting === 0)) {
        queue.delete(owner);
        await take(name, owner, ttlMs, now);
        return { isTaken: true, ahead: 0 };
      }
      queue.set(owner, now + placeMs);
      return { isTaken: false, ahead: waiting + (isHeld ? 1 : 0) };
    },
    async release(name, owner) {
      releaseTurn({ leases }, name, owner);
    },
  };
}

function isFull(scope: RunScope): boolean {
  return scope.kind === 'all' && scope.isFull === true;
}

function scopeKey(scope: RunScope): string {
  return scope.kind === 'all' ? 'all' : `users:${JSON.stringify([...new Set(scope.identifications)].sort())}`;
}

function waiting({ triggers }: Tables, sync: string | undefined): Trigger[] {
  const rows = [...triggers.values()].filter(({ trigger, state }) => {
    return state.kind === 'waiting' && (sync === undefined || trigger.sync === sync);
  });
  return inOrder(rows, ({ trigger }) => `${String(trigger.requestedAt).padStart(16, '0')} ${trigger.id}`).map(
    ({ trigger }) => trigger,
  );
}

export function memoryTriggers(tables: Tables): Triggers {
  const { triggers } = tables;
  return {
    async add(trigger) {
      for (const row of triggers.values()) if (row.trigger.key === trigger.key) return false;
      triggers.set(trigger.id, { trigger, state: { kind: 'waiting' } });
      return true;
    },
    async waiting(sync) {
      const shown = new Set<string>();
      return waiting(tables, sync).filter(({ sync: of, scope }) => {
        const key = `${of} ${scopeKey(scope)}`;
        const isFirst = !shown.has(key);
        shown.add(key);
        return isFirst;
      });
    },
    async waitingSyncs() {
      return [...new Set(waiting(tables, undefined).map(({ sync }) => sync))].sort();
    },
    async state(id) {
      return triggers.get(id)?.state;
    },
    async get(id) {
      return triggers.get(id);
    },
    async find(key) {
      return [...triggers.values()].find(({ trigger }) => trigger.key === key);
    },
    async requesters() {
      return [];
    },
    async requestedAt(run) {
      const taken = [...triggers.values()].filter(({ state }) => state.kind === 'taken' && state.run === run);
      return taken.length === 0 ? undefined : Math.min(...taken.map(({ trigger }) => trigger.requestedAt));
    },
    async lastSlot(sync) {
      const slots = [...triggers.values()].filter(({ trigger: t }) => t.sync === sync && t.kind === 'schedule');
      return slots.length === 0 ? undefined : Math.max(...slots.map(({ trigger }) => trigger.requestedAt));
    },
    async cancel(id) {
      const row = triggers.get(id);
      if (row?.state.kind !== 'waiting') return false;
      row.state = { kind: 'cancelled' };
      return true;
    },
  };
}

const wishes: readonly TriggerKind[] = ['manual', 'resync', 'approval', 'retry', 'undo'];

const byStart = (run: Run): string => `${String(run.startedAt).padStart(16, '0')} ${run.id}`;

export function memoryRuns(tables: Tables): Runs {
  const { runs, findings, triggers } = tables;
  const change = (id: string, patch: Partial<Run>): Run => {
    const run = runs.get(id);
    if (run === undefined) throw new RollcallError(`there is no run ${id}`, { code: 'NOT_FOUND' });
    const next = { ...run, ...patch };
    runs.set(id, next);
    return next;
  };
  const updateFacts: Runs['updateFacts'] = async (owned, patch) => {
    requireOwner(tables, owned);
    const facts = Object.entries({ ...runs.get(owned.run.id)?.facts, ...patch });
    const kept = Object.fromEntries(facts.filter(([, value]) => value !== undefined));
    return { run: change(owned.run.id, { facts: kept }), lease: owned.lease };
  };
  const addFindings: Runs['addFindings'] = async (owned, list) => {
    requireOwner(tables, owned);
    findings.set(owned.run.id, [...(findings.get(owned.run.id) ?? []), ...list]);
  };
  return {
    // It keeps every run: `absorbs` only saves room.
    standingFor: async () => [],
    async open(sync, make) {
      for (const run of runs.values()) if (run.sync === sync && run.endedAt === undefined) return { run, isNew: false };
      const all = waiting(tables, sync);
      const [oldest] = all;
      if (oldest === undefined) return undefined;
      const { joined, identifications } = joinNamed(all);
      const taken = oldest.scope.kind === 'users' ? joined : all.filter(({ scope }) => scope.kind === 'all');
      const isOne = taken.every(({ scope }) => scopeKey(scope) === scopeKey(oldest.scope));
      const scope: RunScope = isOne ? oldest.scope : { kind: 'users', identifications };
      for (const { id } of taken) {
        const row = triggers.get(id);
        if (row !== undefined) row.state = { kind: 'taken', run: make.id };
      }
      const kinds = taken.map(({ kind }) => kind);
      const trigger =
        kinds.find((kind) => wishes.includes(kind)) ?? kinds.find((kind) => kind !== 'schedule') ?? 'schedule';
      const ends = [...runs.values()].filter((run) => run.sync === sync).map((run) => run.endedAt ?? 0);
      const run: Run = {
        id: make.id,
        sync,
        connection: make.connection,
        trigger,
        scope: taken.map((one) => one.scope).find(isFull) ?? scope,
        phase: 'reading',
        startedAt: Math.max(make.now, ...ends),
        endedAt: undefined,
        outcome: undefined,
        reason: undefined,
        digest: undefined,
        counts: noCounts,
        facts: {},
        requests: {},
        isCancelRequested: false,
        isSuccess: false,
      };
      runs.set(run.id, run);
      return { run, isNew: true, triggers: taken.map(({ id }) => id), lastEndedAt: undefined };
    },
    async get(id) {
      return runs.get(id);
    },
    async list({ sync, limit, after }) {
      const before = after === undefined ? undefined : byStart({ ...after } as Run);
      return inOrder(runs.values(), byStart)
        .reverse()
        .filter((run) => (sync === undefined || run.sync === sync) && (before === undefined || byStart(run) < before))
        .slice(0, limit);
    },
    async unfinished() {
      return inOrder(runs.values(), byStart).filter(({ endedAt }) => endedAt === undefined);
    },
    async update(owned, patch, also = {}): Promise<OwnedRun> {
      requireOwner(tables, owned);
      const { sync, id } = owned.run;
      if (also.watermark !== undefined) {
        const next = also.watermark(tables.watermarks.get(sync));
        if (next === undefined) tables.watermarks.delete(sync);
        else tables.watermarks.set(sync, next);
      }
      if (also.findings !== undefined) findings.set(id, [...also.findings]);
      await addFindings(owned, also.moreFindings ?? []);
      const plan = tables.plans.get(id);
      if (patch.digest !== undefined && plan !== undefined) plan.digest = patch.digest;
      createBatches(tables, owned, also.batches ?? []);
      if (also.holds !== undefined) renewHolds(tables, owned, also.holds);
      if (also.leaves !== undefined) leaveTurn(tables, also.leaves, id);
      const { phase, counts, facts, ...rest } = patch;
      const set = Object.fromEntries(
        Object.entries({ phase, counts, facts }).filter(([, value]) => value !== undefined),
      );
      change(id, { ...rest, ...set });
      return updateFacts(owned, also.facts ?? {});
    },
    updateFacts,
    addFindings,
    async findings(id, limit) {
      return (findings.get(id) ?? []).slice(0, limit);
    },
    async findingsCount(id) {
      return (findings.get(id) ?? []).length;
    },
    async requestCancel(id) {
      if (runs.get(id) === undefined || runs.get(id)?.endedAt !== undefined) return false;
      change(id, { isCancelRequested: true });
      return true;
    },
    async prune() {
      throw new RangeError('a simulated world forgets nothing');
    },
  };
}

export function memoryReads(tables: Tables): Reads {
  const { reads } = tables;
  return {
    async last(sync) {
      const own = [...reads.values()].filter((read) => read.sync === sync && read.isAccepted);
      return inOrder(own, ({ at, run }) => `${String(at).padStart(16, '0')} ${run}`).at(-1);
    },
    async recent(sync, count) {
      const own = [...reads.values()].filter((read) => read.sync === sync && read.isAccepted);
      return own
        .map(({ at }) => at)
        .sort((a, b) => b - a)
        .slice(0, count);
    },
    async put(owned, read) {
      requireOwner(tables, owned);
      reads.set(read.run, read);
    },
    async accept(run) {
      const read = reads.get(run);
      if (read !== undefined) reads.set(run, { ...read, isAccepted: true });
    },
    async watermark(sync) {
      return tables.watermarks.get(sync);
    },
  };
}

export function memoryTokens({ tokens }: Tables): TokenStore {
  return {
    async get(connection) {
      return tokens.get(connection);
    },
    async replace(seen, next) {
      const row = tokens.get(seen?.connection ?? next.connection);
      const isSeen =
        row?.generation === seen?.generation &&
        row?.state === seen?.state &&
        row?.refreshStartedAt === seen?.refreshStartedAt;
      if (!isSeen) return false;
      tokens.set(next.connection, next);
      return true;
    },
  };
}
