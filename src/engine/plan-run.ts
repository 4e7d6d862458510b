import { autoDirectLimit, fileGroup, routeOf } from '../core/batch.ts';
import { isDirectlyDeliverable } from '../core/change.ts';
import type { Dialect } from '../core/settings.ts';
import type { Batch, HoldRecord, PlannedChange } from '../ports/store.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { makePlan, type Plan } from './make-plan.ts';
import { next, type Step } from './step.ts';

const holdForMs = 86_400_000;
const pageSize = 500;

/** Makes the run's plan and writes down everything that delivery will need. Repeatable: it starts from nothing. */
export async function planRun(context: RunContext, io: EngineIo): Promise<Step> {
  const { sync, signal, owned } = context;
  const { run } = owned;
  // Before the source is read: the plan is as old as what it was made from.
  const plannedAt = io.clock.now();
  const plan = await makePlan({ planId: run.id, sync, scope: run.scope, signal, context }, io);
  await io.store.holds.renew(owned, await holdRecords(context, plan, io));
  if (plan.failure === undefined) await writeBatches(context, io);
  await io.store.runs.replaceFindings(owned, plan.findings);
  await io.store.runs.update(owned, {
    phase: 'delivering',
    digest: plan.digest,
    facts: {
      ...plan.facts,
      plannedAt,
      repeated: plan.repeated,
      isReadDoubted: plan.verdict.areMissesHeld || plan.verdict.fields.length > 0,
    },
    ...(plan.failure === undefined ? {} : { reason: plan.failure }),
  });
  io.checkpoint('plan-stored');
  return next(plan.failure === undefined ? 'deliver' : 'finish');
}

async function holdRecords({ owned, sync }: RunContext, plan: Plan, io: EngineIo): Promise<HoldRecord[]> {
  const heldAt = io.clock.now();
  const records: HoldRecord[] = [];
  const classes = new Map(plan.verdict.holds.map((hold) => [hold.class, hold.reason]));
  const emptied = plan.verdict.fields.map(({ reason }) => reason).join('; ');
  if (emptied !== '' && !classes.has('updates')) classes.set('updates', emptied);
  for (const [name, reason] of classes) {
    const hashes: string[] = [];
    for await (const change of changesOf(plan.id, io, { states: ['held'], classes: [name] })) hashes.push(change.hash);
    if (hashes.length === 0) continue;
    const digest = plan.digest;
    records.push({
      id: io.newId('hold'),
      sync: sync.settings.name,
      run: owned.run.id,
      class: name,
      reason,
      digest,
      hashes,
      heldAt,
      expiresAt: heldAt + holdForMs,
      state: 'open',
    });
  }
  return records;
}

/** Sorts the plan's open changes into batches, in order of identification; files apart from direct calls. */
async function writeBatches(context: RunContext, io: EngineIo): Promise<void> {
  const { owned, sync } = context;
  const { settings, dialect } = sync;
  const isSmallAndDirect = settings.delivery === 'auto' && (await isSmall(owned.run.id, dialect, io));
  const groups = new Map<string, { kind: Batch['kind']; names: string[] }>();
  let number = 0;
  const write = async (group: { kind: Batch['kind']; names: string[] }): Promise<void> => {
    number += 1;
    const batch = newBatch(context, number, group.kind, group.names.length);
    await io.store.batches.create(owned, [{ batch, identifications: group.names }]);
    group.names = [];
  };
  for await (const change of changesOf(owned.run.id, io, { states: ['planned'] })) {
    const highestCustomField = dialect.customFieldLimit.direct;
    const route = routeOf(change, { delivery: settings.delivery, isSmallAndDirect, highestCustomField });
    if (route === 'none') continue;
    const key = route === 'direct' ? route : `${route} ${fileGroup(change, dialect, sync.mapping.fields)}`;
    const group = groups.get(key) ?? { kind: route, names: [] };
    groups.set(key, group);
    group.names.push(change.identification);
    if (group.names.length >= settings.batchRows) await write(group);
  }
  for (const group of groups.values()) if (group.names.length > 0) await write(group);
}

/** A batch that has not been sent, with the number it has in its run. */
export function newBatch(
  { owned, sync }: RunContext,
  number: number,
  kind: Batch['kind'],
  size: number,
  parent?: string,
): Batch {
  return {
    id: `${owned.run.id}_b${String(number).padStart(5, '0')}`,
    run: owned.run.id,
    sync: sync.settings.name,
    connection: sync.settings.connection,
    number,
    kind,
    size,
    state: 'planned',
    sentAt: undefined,
    fileId: undefined,
    fileName: undefined,
    status: undefined,
    polls: 0,
    final: undefined,
    finalAt: undefined,
    reason: undefined,
    parent,
  };
}

/** Design, section 6, `auto`: at most 20 creates and updates, none of which needs a file. */
async function isSmall(planId: string, dialect: Dialect, io: EngineIo): Promise<boolean> {
  let count = 0;
  for await (const change of changesOf(planId, io, { states: ['planned'] })) {
    if (change.kind === 'remove') continue;
    count += 1;
    if (count > autoDirectLimit || !isDirectlyDeliverable(change, dialect.customFieldLimit.direct)) return false;
  }
  return true;
}

/** The plan's changes in order of identification, a page at a time. */
export async function* changesOf(
  planId: string,
  io: EngineIo,
  query: Pick<Parameters<EngineIo['store']['plans']['page']>[1], 'states' | 'classes' | 'batch'>,
): AsyncGenerator<PlannedChange, void> {
  for (let after: string | undefined; ; ) {
    const page = await io.store.plans.page(planId, {
      ...query,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    yield* page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.identification;
  }
}
