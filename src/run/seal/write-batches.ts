import { type ChangeClass, partOf } from '../../core/plan/change.ts';
import { type OrderedChange, sendingLevels } from '../../core/plan/email-order.ts';
import { leadRequests } from '../../core/plan/leaders.ts';
import { autoDirectLimit, chunk, fileGroup, needsFile, routeOf } from '../../core/run/batch.ts';
import { given } from '../../core/run/given.ts';
import type { BatchLoad } from '../../core/run/requests.ts';
import type { ChangeState } from '../../core/run/run.ts';
import type { Batch, NewBatch, PlannedChange } from '../../ports/store.ts';
import type { EngineIo, RunContext, Sync } from '../engine-io.ts';
import { changesOf, pageSize } from '../plan-changes.ts';
import type { Plan } from '../plan-job.ts';
import { newBatch } from './batches.ts';

/** Changes that are sent together. */
interface ChangeGroup {
  readonly kind: Batch['kind'];
  changes: GroupedChange[];
}

interface GroupedChange {
  readonly identification: string;
  /** Present for a change of leaders: see `leadRequests`. */
  readonly requests?: number;
}

/**
 * Sorts the plan's open changes into batches, disables first, in order of identification; files apart from direct calls. A change that
 * waits for another one goes in a later batch, and each batch is proven before the next one is sent. Returns what each
 * batch carries, and the last one, which the caller stores.
 */
export async function writeBatches(
  context: RunContext,
  { few }: Pick<Plan, 'few'>,
  io: EngineIo,
): Promise<{ readonly loads: readonly BatchLoad[]; readonly last: readonly NewBatch[] }> {
  const { owned, sync } = context;
  const loads: BatchLoad[] = [];
  let last: NewBatch[] = [];
  for await (const group of groupsOf({ planId: owned.run.id, ...given({ few }), states: ['planned'], sync }, io)) {
    const number = loads.push(loadOf(group));
    const { kind, changes } = group;
    const identifications = changes.map(({ identification }) => identification);
    if (last.length > 0) await io.store.batches.create(owned, last);
    last = [{ batch: newBatch(context, { number, kind, size: identifications.length }), identifications }];
  }
  return { loads, last };
}

/** Returns the batches that `writeBatches` would make, and writes nothing. */
export async function previewBatches(job: GroupsJob, io: EngineIo): Promise<BatchLoad[]> {
  return Array.fromAsync(groupsOf(job, io), loadOf);
}

function loadOf({ kind, changes }: ChangeGroup): BatchLoad {
  const leads = changes.reduce((sum, { requests = 0 }) => sum + requests, 0);
  // The list of the first person shows whether lists can be read.
  return { kind, size: changes.length, leads: kind === 'leaders' ? leads + 1 : 0 };
}

export interface GroupsJob {
  readonly planId: string;
  /** As in `Plan`. */
  readonly few?: readonly PlannedChange[];
  /** Which changes of the plan. */
  readonly states: readonly ChangeState[];
  readonly sync: Sync;
}

/** Classes of disables. One that was expected to become a hand-over, or is of the class `identity`, is counted as such only. */
const disableClasses = ['disables', 'handOvers', 'identity'] as const;

/**
 * Yields the changes of a plan in the groups that are sent together, in the order of sending. Disables go first, in
 * files of their own: no other change that the platform refuses keeps access open.
 */
async function* groupsOf(job: GroupsJob, io: EngineIo): AsyncGenerator<ChangeGroup, void> {
  const { sync } = job;
  const { settings, dialect } = sync;
  const read = await readGroups(job, io);
  const { isSmall, levels, disables } = await measurePlan(read(), sync);
  const file = { kind: settings.delivery === 'outbox' ? 'outbox' : 'csv' } as const;
  let leaving: GroupedChange[] = [];
  if (disables > 0 && settings.delivery !== 'direct') {
    for await (const change of read(disableClasses)) {
      if (change.kind !== 'disable') continue;
      leaving.push({ identification: change.identification });
      if (leaving.length < settings.batchRows) continue;
      yield { ...file, changes: leaving };
      leaving = [];
    }
  }
  if (leaving.length > 0) yield { ...file, changes: leaving };
  const leading: GroupedChange[] = [];
  const isSmallAndDirect = settings.delivery === 'auto' && isSmall;
  const later: Map<string, ChangeGroup>[] = [];
  const first = new Map<string, ChangeGroup>();
  for await (const change of read()) {
    const route = routeOf(change, { delivery: settings.delivery, isSmallAndDirect, dialect });
    if (route === 'none' || change.kind === 'disable') continue;
    if (route === 'leaders') {
      leading.push({ identification: change.identification, requests: leadRequests(change, dialect) });
      continue;
    }
    const level = levels.get(change.identification) ?? 0;
    let groups = level === 0 ? first : later[level - 1];
    if (groups === undefined) later[level - 1] = groups = new Map<string, ChangeGroup>();
    const key = `${route} ${route === 'direct' ? '' : fileGroup(change, dialect, sync.mapping.fields)}`;
    const group = groups.get(key) ?? { kind: route, changes: [] };
    groups.set(key, group);
    group.changes.push({ identification: change.identification });
    if (level > 0 || group.changes.length < settings.batchRows) continue;
    yield { ...group };
    group.changes = [];
  }
  for (const groups of [first, ...later]) {
    for (const { changes, ...group } of groups?.values() ?? []) {
      for (const piece of chunk(changes, settings.batchRows)) yield { ...group, changes: piece };
    }
  }
  // After all accounts: a leader may be created in this plan.
  for (const changes of chunk(leading, settings.batchRows)) yield { kind: 'leaders', changes };
}

type Changes = AsyncIterable<PlannedChange> | readonly PlannedChange[];

/** Returns a function that yields the changes, or those of some classes. Few are read once, however often it is called. */
async function readGroups(
  { planId, few, states }: GroupsJob,
  io: EngineIo,
): Promise<(classes?: readonly ChangeClass[]) => Changes> {
  if (few !== undefined) {
    const wanted = few.filter(({ state }) => states.some((one) => one === state));
    return () => wanted;
  }
  const first = await io.store.plans.page(planId, { states, limit: pageSize });
  if (first.length < pageSize) return () => first;
  return (classes) => changesOf(planId, io, classes === undefined ? { states } : { states, classes });
}

/**
 * Returns whether the plan has at most 20 creates and updates, none of which needs a file (design, section 6, `auto`);
 * how many changes go before each one that waits; and the number of disables.
 */
async function measurePlan(
  changes: Changes,
  { dialect }: Sync,
): Promise<{ readonly isSmall: boolean; readonly levels: ReadonlyMap<string, number>; readonly disables: number }> {
  const waiting: OrderedChange[] = [];
  let count = 0;
  let disables = 0;
  let isSmall = true;
  for await (const change of changes) {
    if (change.waitsFor !== undefined) waiting.push(change);
    if (change.kind === 'remove' || partOf(change) === 'leaders') continue;
    if (change.kind === 'disable') disables += 1;
    count += 1;
    isSmall &&= count <= autoDirectLimit && !needsFile(change, dialect);
  }
  return { isSmall, levels: sendingLevels(waiting), disables };
}
