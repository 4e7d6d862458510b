import { autoDirectLimit, fileGroup, routeOf } from '../core/batch.ts';
import { isDirectlyDeliverable } from '../core/change.ts';
import type { Dialect } from '../core/settings.ts';
import type { JobOutcome } from '../ports/job.ts';
import type { Batch, HoldRecord } from '../ports/store.ts';
import { changesOf, newBatch } from './batches.ts';
import type { EngineIo, RunContext } from './engine-io.ts';
import { finishRun } from './finish-run.ts';
import { makePlan } from './make-plan.ts';
import type { Plan } from './plan-job.ts';
import { holdForMs } from './settle-decisions.ts';

/** Makes the run's plan and stores everything that delivery needs. Repeatable: it starts from the beginning. */
export async function planRun(context: RunContext, io: EngineIo): Promise<JobOutcome> {
  const { sync, signal, owned } = context;
  const { run } = owned;
  // Taken before the source is read: the plan is as old as what it was made from.
  const plannedAt = io.clock.now();
  const plan = await makePlan({ planId: run.id, sync, scope: run.scope, signal, context }, io);
  await io.store.holds.renew(owned, await holdRecords(context, plan, io), io.clock.now());
  if (plan.failure === undefined) await writeBatches(context, io);
  await io.store.runs.replaceFindings(owned, plan.findings);
  await io.store.runs.update(owned, {
    phase: 'delivering',
    digest: plan.digest,
    facts: {
      ...plan.facts,
      plannedAt,
      repeated: plan.repeated,
    },
    ...(plan.failure === undefined ? {} : { reason: plan.failure }),
  });
  io.checkpoint('plan-stored');
  return plan.failure === undefined ? { kind: 'next' } : finishRun(context, io);
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
    const batch = newBatch(context, { number, kind: group.kind, size: group.names.length });
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
