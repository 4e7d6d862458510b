import { type ChangeClass, type ChangeKind, partOf } from '../../src/core/plan/change.ts';
import { RollcallError } from '../../src/core/run/errors.ts';
import { noStates } from '../../src/core/run/report.ts';
import type { Applier, PlannedChange, Plans } from '../../src/ports/store.ts';
import {
  type ChangeRow,
  compareText,
  inOrder,
  markChanges,
  requireOwn,
  requireOwner,
  requirePlan,
  rowKey,
  type Tables,
} from './memory-tables.ts';

const noKinds = (): Record<ChangeKind, number> => ({
  create: 0,
  update: 0,
  enable: 0,
  disable: 0,
  remove: 0,
  lead: 0,
  unlead: 0,
});
const noClasses = (): Record<ChangeClass, number> => ({
  creates: 0,
  updates: 0,
  emailChanges: 0,
  firstSight: 0,
  enables: 0,
  disables: 0,
  removes: 0,
  handOvers: 0,
  configuration: 0,
  leads: 0,
  unleads: 0,
});

const sealed = (id: string): RollcallError => new RollcallError(`plan ${id} is sealed`, { code: 'CONFLICT' });

export function memoryPlans(tables: Tables): Plans {
  const { plans, batches, decisions, runs } = tables;
  const sorted = (id: string): PlannedChange[] => {
    const rows = [...(plans.get(id)?.changes.values() ?? [])].map(({ planned }) => planned);
    return inOrder(rows, (change) => rowKey(change.identification, partOf(change)));
  };
  const holdWhere = (
    rows: Iterable<ChangeRow>,
    reason: string,
    isMeant: (change: PlannedChange) => boolean,
  ): number => {
    let count = 0;
    for (const row of rows) {
      const { planned } = row;
      if (planned.state !== 'planned' || planned.isApproved || !isMeant(planned)) continue;
      row.planned = { ...planned, state: 'held', stateReason: reason };
      count += 1;
    }
    return count;
  };
  return {
    async begin(owned, header) {
      if (owned !== undefined) requireOwner(tables, owned);
      requireOwn(header, owned);
      if (header.run !== undefined) {
        const own = [...batches.values()].filter(({ run }) => run === header.run);
        if (own.some(({ state }) => state !== 'planned')) {
          throw new RollcallError(`a batch of run ${header.run} has been sent`, { code: 'CONFLICT' });
        }
        for (const { id } of own) batches.delete(id);
        for (const [id, plan] of plans) if (plan.header.run === header.run) plans.delete(id);
      }
      plans.set(header.id, { header, digest: undefined, changes: new Map() });
      const run = header.run === undefined ? undefined : runs.get(header.run);
      if (run !== undefined) runs.set(run.id, { ...run, phase: 'planning' });
    },
    async add(owned, id, changes) {
      if (changes.length === 0) return;
      const plan = requirePlan(tables, owned, id);
      if (plan.digest !== undefined) throw sealed(id);
      if (changes.some((change) => plan.changes.has(rowKey(change.identification, partOf(change))))) {
        throw new RollcallError(`plan ${id} has two changes of one person`, { code: 'CONFLICT' });
      }
      for (const change of changes) {
        const planned: PlannedChange = {
          ...change,
          reason: change.reason.toWellFormed(),
          state: change.verdict?.state ?? 'planned',
          stateReason: change.verdict?.reason,
          batch: undefined,
          isApproved: false,
          isRejected: change.verdict?.state === 'dropped',
        };
        plan.changes.set(rowKey(change.identification, partOf(change)), {
          planned,
          appliedAt: undefined,
          asked: change.asked,
        });
      }
    },
    async count(id) {
      const count = {
        states: { ...noStates },
        kinds: noKinds(),
        classes: noClasses(),
        open: noClasses(),
        beside: noClasses(),
      };
      for (const { kind, classes, state, isApproved, isRejected } of sorted(id)) {
        count.states[state] += 1;
        if (isRejected) continue;
        count.kinds[kind] += 1;
        for (const name of classes) {
          count.classes[name] += 1;
          if (state !== 'planned' || isApproved) continue;
          count.open[name] += 1;
          if (!classes.includes('configuration')) count.beside[name] += 1;
        }
      }
      return count;
    },
    async *hashes(id) {
      for (const { hash, state, isApproved } of sorted(id)) {
        if (!isApproved && (state === 'planned' || state === 'held')) yield hash;
      }
    },
    async seal(owned, id, digest) {
      const plan = requirePlan(tables, owned, id);
      if (plan.digest !== undefined && plan.digest !== digest) throw sealed(id);
      plan.digest = digest;
    },
    async page(id, { limit, after, states, classes, batch }) {
      const wanted = sorted(id).filter(
        (change) =>
          (after === undefined || compareText(change.identification, after) > 0) &&
          (states === undefined || states.includes(change.state)) &&
          (classes === undefined || change.classes.some((name) => classes.includes(name))) &&
          (batch === undefined || change.batch === batch),
      );
      const isSecond = wanted[limit]?.identification === wanted[limit - 1]?.identification;
      return wanted.slice(0, isSecond ? limit + 1 : limit);
    },
    async get(id, identification, part) {
      return plans.get(id)?.changes.get(rowKey(identification, part))?.planned;
    },
    async getMany(id, identifications, part) {
      const parts = part === 'all' ? (['account', 'leaders'] as const) : [part];
      return identifications.flatMap((name) =>
        parts.flatMap((one) => plans.get(id)?.changes.get(rowKey(name, one))?.planned ?? []),
      );
    },
    async hold(owned, id, classes, reason) {
      const plan = requirePlan(tables, owned, id);
      return holdWhere(plan.changes.values(), reason, (change) =>
        change.classes.some((name) => classes.includes(name)),
      );
    },
    async holdSome(owned, id, { names, class: held }, reason) {
      const plan = requirePlan(tables, owned, id);
      return holdWhere(plan.changes.values(), reason, ({ identification, classes }) => {
        return names.includes(identification) && classes.includes(held);
      });
    },
    async replaceHeld(owned, id, changes) {
      const { changes: rows } = requirePlan(tables, owned, id);
      const isReplaced = (name: string): boolean => {
        const planned = rows.get(name)?.planned;
        return planned?.state === 'held' && !planned.isApproved;
      };
      const others = changes.filter(({ identification }) => isReplaced(identification));
      for (const { identification } of others) rows.delete(identification);
      await this.add(owned, id, others);
      return others.length;
    },
    async setAside(owned, id, names, { part, state, reason }) {
      const plan = requirePlan(tables, owned, id);
      for (const name of names) {
        const row = plan.changes.get(rowKey(name, part));
        if (row === undefined || !['planned', 'held'].includes(row.planned.state)) continue;
        row.planned = { ...row.planned, state, stateReason: reason };
      }
    },
    async holdFields(owned, id, fields, reason) {
      if (fields.length === 0) return 0;
      const plan = requirePlan(tables, owned, id);
      return holdWhere(plan.changes.values(), reason, ({ kind, changed }) => {
        return kind === 'update' && changed.some((name) => fields.includes(name));
      });
    },
    async applyApprovals(owned, id, sync, now) {
      const plan = requirePlan(tables, owned, id);
      let count = 0;
      for (const row of plan.changes.values()) {
        const { planned } = row;
        const decision = decisions.get(`${sync} ${planned.hash}`)?.record;
        if (decision?.state !== 'approved' || decision.endedAt !== undefined) continue;
        const { expiresAt = Number.POSITIVE_INFINITY } = decision;
        if (expiresAt <= now || (decision.run !== undefined && decision.run !== owned?.run.id)) continue;
        if (planned.state !== 'planned' && planned.state !== 'held') continue;
        row.planned = { ...planned, isApproved: true, state: 'planned', stateReason: undefined };
        count += 1;
      }
      if (owned !== undefined) {
        const approved = new Set(sorted(id).flatMap(({ isApproved, hash }) => (isApproved ? [hash] : [])));
        for (const row of decisions.values()) {
          const { record } = row;
          if (row.sync !== sync || record.state !== 'approved' || !approved.has(record.hash)) continue;
          row.record = { ...record, run: record.run ?? owned.run.id };
        }
      }
      return count;
    },
    async setStates(owned, marks) {
      requireOwner(tables, owned);
      markChanges(tables, owned.run.id, marks);
    },
    async countStates(id) {
      const count = { ...noStates };
      for (const { state } of sorted(id)) count[state] += 1;
      return count;
    },
    async findByDigest(sync, digest) {
      const beginning = digest.toLowerCase();
      if (!/^[0-9a-f]{8,64}$/.test(beginning)) throw new RollcallError('not a digest', { code: 'USAGE' });
      const found = [...plans.values()].filter((plan) => {
        return plan.header.sync === sync && plan.digest?.startsWith(beginning) === true;
      });
      const newest = inOrder(found, ({ header }) => `${String(header.madeAt).padStart(16, '0')} ${header.id}`).at(-1);
      if (newest?.digest === undefined) return undefined;
      if (found.some((plan) => plan.digest !== newest.digest)) {
        throw new RollcallError('several plans begin so', { code: 'USAGE' });
      }
      return { ...newest.header, digest: newest.digest };
    },
    // The simulated companies have no guards by segment.
    async disabledSince(who, since) {
      const disables = passedSince(tables, who, since).filter(({ kind }) => kind === 'disable');
      return inOrder(disables, ({ identification }) => identification);
    },

    async appliedSince(who, since) {
      const count = noClasses();
      for (const { classes } of passedSince(tables, who, since)) for (const name of classes) count[name] += 1;
      return count;
    },
    refusedCreates: async () => new Map(),
    async history(sync, identification, limit) {
      const found = [...plans.values()].flatMap(({ header, digest, changes }) => {
        const row = changes.get(identification);
        const run = header.run === undefined ? undefined : runs.get(header.run);
        if (header.sync !== sync || digest === undefined || row === undefined || run === undefined) return [];
        return [{ started: run.startedAt, entry: { ...row.planned, run: run.id, at: row.appliedAt ?? run.startedAt } }];
      });
      return inOrder(found, ({ started, entry }) => `${String(started).padStart(16, '0')} ${entry.run}`)
        .reverse()
        .map(({ entry }) => entry)
        .slice(0, limit);
    },
  };
}

/** The changes that were applied since then without approval, or may have been. */
function passedSince(
  { plans, runs, ledger, batches }: Tables,
  { sync, connection, others }: Applier,
  since: number,
): PlannedChange[] {
  return [...plans.values()].flatMap(({ header, changes }) => {
    const run = header.run === undefined ? undefined : runs.get(header.run);
    if (run === undefined || run.connection !== connection) return [];
    return [...changes.values()].flatMap(({ planned, appliedAt }) => {
      const isOurs = ledger.get(connection)?.get(planned.identification)?.owner === sync;
      if (planned.isApproved || (others.includes(run.sync) && !isOurs)) return [];
      const isOut = planned.state === 'sent' || planned.state === 'unresolved';
      const sentAt = planned.batch === undefined ? undefined : batches.get(planned.batch)?.sentAt;
      const isPerhaps = appliedAt === undefined && isOut && sentAt !== undefined && sentAt >= since;
      return isPerhaps || (appliedAt !== undefined && appliedAt >= since) ? [planned] : [];
    });
  });
}
