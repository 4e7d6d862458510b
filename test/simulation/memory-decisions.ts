import { episodeOf } from '../../src/core/plan/change.ts';
import { isLeftOutReason, rejectionsAgainst, whatStays } from '../../src/core/plan/decision.ts';
import { isUndoRule, type UndoneRecord } from '../../src/core/plan/undo.ts';
import type { DecisionRecord, Decisions, HoldFacts, Holds, NewHold, OwnedRun } from '../../src/ports/store.ts';
import {
  type HoldInMemory,
  inOrder,
  type PlanRow,
  requireOwner,
  requirePlan,
  rowKey,
  type Tables,
} from './memory-tables.ts';

const dayMs = 86_400_000;

/** Plans that were only shown, and not too long ago to be approved by digest. */
function shownPlans({ plans }: Tables, sync: string, now: number): PlanRow[] {
  return [...plans.values()].filter(({ header, digest }) => {
    return header.sync === sync && header.run === undefined && digest !== undefined && header.madeAt > now - dayMs;
  });
}

const keyOf = (sync: string, hash: string): string => `${sync} ${hash}`;

export function memoryDecisions(tables: Tables): Decisions {
  const { decisions } = tables;
  const rowsOf = (sync: string) => [...decisions.values()].filter((row) => row.sync === sync);
  const recordsOf = (sync: string, name: string): DecisionRecord[] =>
    inOrder(
      rowsOf(sync).filter(({ record }) => record.identification === name),
      ({ record }) => record.hash,
    )
      .map(({ record }) => record)
      .sort((a, b) => b.at - a.at);
  return {
    async of(sync, identification) {
      return recordsOf(sync, identification);
    },
    async ofMany(sync, names) {
      const found = names.map((name) => [name, recordsOf(sync, name)] as const);
      return new Map(found.filter(([, records]) => records.length > 0));
    },
    async decide(sync, changes, verdict) {
      let decided = 0;
      for (const { identification, rule, episode, hash, fields } of new Map(
        changes.map((one) => [one.hash, one]),
      ).values()) {
        const known = recordsOf(sync, identification);
        if (rule === '' || episodeOf(rule, known) !== episode) continue;
        const { state, by, why, at } = verdict;
        const against = state === 'approved' ? rejectionsAgainst({ rule, fields }, known) : [];
        if (against.length > 0 && !(verdict.state === 'approved' && verdict.reopens === true)) continue;
        for (const record of against) {
          const lifted = { ...record, state: 'open', by: undefined, why: undefined, expiresAt: at } as const;
          decisions.set(keyOf(sync, record.hash), { sync, record: lifted });
        }
        const expiresAt = verdict.state === 'approved' ? verdict.expiresAt : undefined;
        const name = { identification, rule, episode, hash, fields };
        const record = { ...name, state, by, why, at, expiresAt, run: undefined, endedAt: undefined };
        decisions.set(keyOf(sync, hash), { sync, record });
        decided += 1;
      }
      restateHolds(tables, sync, verdict.at);
      return decided;
    },
    async give() {
      return new Set();
    },
    async given() {
      return [];
    },
    async leaveOut(sync, changes, { by, at }) {
      for (const { hash, fields } of changes) {
        const row = decisions.get(keyOf(sync, hash));
        if (row?.record.state === 'open' && row.record.endedAt === undefined)
          row.record = { ...row.record, by, at, fields };
      }
    },
    async record(owned, planId, { now, expiresAt }) {
      const { changes } = requirePlan(tables, owned, planId);
      const { sync } = owned.run;
      for (const { planned } of changes.values()) {
        const { identification, rule, episode, hash, state } = planned;
        if (state === 'held' && rule !== '') {
          const earlier = decisions.get(keyOf(sync, hash))?.record;
          const isSpent =
            earlier?.state === 'approved' && (earlier.run !== undefined || (earlier.expiresAt ?? 0) <= now);
          const isOver = earlier?.endedAt !== undefined;
          if (earlier === undefined || isOver || earlier.state === 'open' || isSpent) {
            const leftOut = rowsOf(sync).find(({ record: one }) => {
              const isSame = one.identification === identification && one.rule === rule;
              return isSame && one.state === 'open' && one.endedAt === undefined && one.by !== undefined;
            })?.record;
            const left = isLeftOutReason(planned.stateReason ?? '') ? leftOut : undefined;
            const by = earlier?.state === 'open' && !isOver ? earlier.by : left?.by;
            const fields = earlier?.fields ?? left?.fields ?? { isWhole: true, digests: {} };
            const open = { fields, by, why: undefined, run: undefined, endedAt: undefined, expiresAt };
            const record = {
              identification,
              rule,
              episode,
              hash,
              state: 'open',
              at: earlier?.at ?? left?.at ?? now,
              ...open,
            } as const;
            decisions.set(keyOf(sync, hash), { sync, record });
          }
        }
        for (const row of rowsOf(sync)) {
          const { record } = row;
          if (record.identification !== identification || record.rule !== rule) continue;
          if (record.state !== 'open' || record.endedAt !== undefined || (record.expiresAt ?? 0) <= now) continue;
          if (state !== 'held' || record.hash !== hash) row.record = { ...record, expiresAt: now };
        }
      }
      return true;
    },
    async pending(sync, { now, limit, after = '' }) {
      const names = new Set(
        rowsOf(sync).flatMap(({ record }) => (record.endedAt === undefined ? [record.identification] : [])),
      );
      for (const { changes } of shownPlans(tables, sync, now)) {
        for (const { planned } of changes.values()) {
          const isOpen = planned.state === 'planned' || planned.state === 'held';
          if (isOpen && planned.rule !== '' && !decisions.has(keyOf(sync, planned.hash))) {
            names.add(planned.identification);
          }
        }
      }
      return inOrder(names, (name) => name)
        .filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
        .slice(0, limit);
    },
    async end(owned, planId, { identifications: names, keepsRejections, part = 'account' }, now) {
      requireOwner(tables, owned);
      const { sync, id: run } = owned.run;
      const proposed = tables.plans.get(planId)?.changes;
      const people = new Set(names);
      const { scope } = owned.run;
      const isUndo = scope.kind === 'users' && scope.undoes !== undefined;
      for (const row of rowsOf(sync)) {
        const { record } = row;
        if (!people.has(record.identification) || record.endedAt !== undefined) continue;
        if (isUndoRule(record.rule) !== isUndo) continue;
        if (!isUndo && record.rule.startsWith('leaders-') !== (part === 'leaders')) continue;
        const proposal = proposed?.get(rowKey(record.identification, part));
        const { planned: change, asked } = proposal ?? {};
        if (record.state === 'rejected') {
          if (keepsRejections) continue;
          const proposals = change === undefined ? [] : [{ rule: change.rule, asked }];
          const fields = whatStays(record, proposals);
          row.record = fields === undefined ? { ...record, endedAt: now } : { ...record, fields };
        } else if (change?.rule !== record.rule) row.record = { ...record, endedAt: now };
        else if (change.hash !== record.hash && record.state === 'approved') {
          row.record = { ...record, run: record.run ?? run };
        }
      }
      for (const { changes } of shownPlans(tables, sync, now)) {
        for (const { planned } of changes.values()) {
          const { identification, rule, episode, hash } = planned;
          if (!people.has(identification) || rule === '' || decisions.has(keyOf(sync, hash))) continue;
          if (isUndoRule(rule) !== isUndo || rule.startsWith('leaders-') !== (part === 'leaders')) continue;
          if (proposed?.get(rowKey(identification, part))?.planned.rule === rule) continue;
          const fields = { isWhole: true, digests: {} };
          const gone = { state: 'open', by: undefined, why: undefined, run: undefined } as const;
          const record = {
            identification,
            rule,
            episode,
            hash,
            ...gone,
            at: now,
            expiresAt: now,
            endedAt: now,
            fields,
          };
          decisions.set(keyOf(sync, hash), { sync, record });
        }
      }
    },
  };
}

export function rejectUndone({ decisions }: Tables, sync: string, undone: readonly UndoneRecord[]): void {
  for (const one of undone) {
    const known = [...decisions.values()].filter((row) => row.sync === sync).map(({ record }) => record);
    const own = known.filter(({ identification }) => identification === one.identification);
    const record = { ...one, episode: episodeOf(one.rule, own) };
    decisions.set(keyOf(sync, record.hash), { sync, record });
  }
}

/** The hashes of the members of a hold: the held changes of its run's plan in its class. */
function membersOf({ plans }: Tables, { run, class: name }: Pick<HoldFacts, 'run' | 'class'>): readonly string[] {
  const changes = [...(plans.get(run)?.changes.values() ?? [])].map(({ planned }) => planned);
  return changes
    .filter(({ state, classes }) => state === 'held' && classes.includes(name))
    .map(({ hash }) => hash)
    .sort();
}

/** What became of a held change; undefined while it waits. */
function settledState({ decisions }: Tables, sync: string, hash: string, now: number): HoldFacts['state'] | undefined {
  const record = decisions.get(keyOf(sync, hash))?.record;
  if (record === undefined) return undefined;
  const { state, run, endedAt, expiresAt = Number.POSITIVE_INFINITY } = record;
  if (endedAt !== undefined || (run === undefined && expiresAt <= now)) return 'expired';
  return state === 'open' ? undefined : state;
}

function holdState(tables: Tables, { facts }: HoldInMemory, now: number): HoldFacts['state'] {
  const states = new Set(membersOf(tables, facts).map((hash) => settledState(tables, facts.sync, hash, now) ?? 'open'));
  if (states.has('open')) return 'open';
  if (states.has('approved')) return states.has('rejected') ? 'decided' : 'approved';
  return states.has('rejected') ? 'rejected' : 'expired';
}

function restateHolds(tables: Tables, sync: string, now: number): void {
  for (const row of tables.holds.values()) {
    const { facts } = row;
    if (facts.sync !== sync || facts.state === 'expired' || facts.expiresAt <= now) continue;
    const state = holdState(tables, row, now);
    if (state !== 'open') row.facts = { ...facts, state };
  }
}

const byTime = ({ facts }: HoldInMemory): string => `${String(facts.heldAt).padStart(16, '0')} ${facts.id}`;

function openIn({ holds }: Tables, sync: string): HoldInMemory[] {
  return inOrder(holds.values(), byTime).filter(({ facts }) => facts.sync === sync && facts.state === 'open');
}

export function renewHolds(
  tables: Tables,
  owned: OwnedRun,
  { all, now }: { readonly all: readonly NewHold[]; readonly now: number },
): void {
  const read: HoldInMemory[] = [];
  for (const facts of all) {
    const hashes = membersOf(tables, facts);
    if (hashes.length > 0)
      read.push({ facts: { ...facts, size: hashes.length }, key: hashes.join(), runs: new Set([facts.run]) });
  }
  const open = openIn(tables, owned.run.sync);
  const renewed = new Set<string>();
  for (const hold of read) {
    const same = open.find(({ facts: { id, class: name, expiresAt }, key }) => {
      const isEqual = name === hold.facts.class && key === hold.key;
      return isEqual && expiresAt > hold.facts.heldAt && !renewed.has(id);
    });
    if (same === undefined) {
      tables.holds.set(hold.facts.id, hold);
      continue;
    }
    renewed.add(same.facts.id);
    const { run, reason, digest } = hold.facts;
    const expiresAt = Math.max(hold.facts.expiresAt, same.facts.expiresAt);
    same.facts = { ...same.facts, run, reason, digest, expiresAt };
    same.runs.add(run);
  }
  const covered = new Set(read.flatMap(({ facts }) => membersOf(tables, facts)));
  for (const row of open) {
    const { facts } = row;
    if (renewed.has(facts.id)) continue;
    const isWaiting = (hash: string) =>
      tables.decisions.has(keyOf(facts.sync, hash)) && settledState(tables, facts.sync, hash, now) === undefined;
    if (membersOf(tables, facts).some((hash) => isWaiting(hash) && !covered.has(hash))) continue;
    const state = holdState(tables, row, now);
    row.facts = { ...facts, state: state === 'open' ? 'expired' : state };
  }
}

export function memoryHolds(tables: Tables): Holds {
  const { holds } = tables;
  const openRows = (sync: string) => openIn(tables, sync);
  return {
    async open(sync, now) {
      const open = openRows(sync).filter(({ facts }) => facts.expiresAt > now);
      const waiting = (some: readonly HoldInMemory[]) =>
        [...new Set(some.flatMap(({ facts }) => membersOf(tables, facts)))].filter(
          (hash) => settledState(tables, sync, hash, now) === undefined,
        ).length;
      const classes = [...new Set(open.map(({ facts }) => facts.class))];
      const byClass = classes.map((name) => [name, waiting(open.filter(({ facts }) => facts.class === name))] as const);
      return { holds: open.map(({ facts }) => facts), changes: waiting(open), byClass: Object.fromEntries(byClass) };
    },
    async listOpen(sync) {
      return openRows(sync).map(({ facts }) => facts);
    },
    async ofRun(run) {
      return inOrder(
        [...holds.values()].filter(({ runs }) => runs.has(run)),
        byTime,
      ).map(({ facts }) => facts);
    },
    async *hashes(id) {
      const hold = holds.get(id);
      yield hold === undefined ? [] : membersOf(tables, hold.facts);
    },
  };
}
