import { autoDirectLimit, fileGroup, routeOf } from '../core/batch.ts';
import { type Change, isDirectlyDeliverable, parkStep } from '../core/change.ts';
import { type OrderedChange, sendingLevels } from '../core/email-order.ts';
import type { Dialect } from '../core/settings.ts';
import type { Batch } from '../ports/store.ts';
import { changesOf, newBatch } from './batches.ts';
import type { EngineIo, RunContext, Sync } from './engine-io.ts';

interface Group {
  readonly kind: Batch['kind'];
  readonly isParking: boolean;
  names: string[];
}

/**
 * Sorts the plan's open changes into batches, in order of identification; files apart from direct calls. A change that
 * waits for another one goes in a later batch, and each batch is proven before the next one is sent. Parked changes get
 * the batch of their first step here; see `sendLastStep` for the second.
 */
export async function writeBatches(context: RunContext, io: EngineIo): Promise<void> {
  const { owned, sync } = context;
  const { settings, dialect } = sync;
  const { isSmall, levels } = await lookOver(owned.run.id, dialect, io);
  const isSmallAndDirect = settings.delivery === 'auto' && isSmall;
  const later: Map<string, Group>[] = [];
  let number = 0;
  const write = async (group: Group): Promise<void> => {
    number += 1;
    const { kind, isParking, names } = group;
    const batch = newBatch(context, { number, kind, size: names.length, isParking });
    await io.store.batches.create(owned, [{ batch, identifications: names }]);
    group.names = [];
  };
  const first = new Map<string, Group>();
  for await (const change of changesOf(owned.run.id, io, { states: ['planned'] })) {
    const highestCustomField = dialect.customFieldLimit.direct;
    const route = routeOf(change, { delivery: settings.delivery, isSmallAndDirect, highestCustomField });
    if (route === 'none') continue;
    const isParking = change.parkEmail !== undefined;
    const level = levels.get(change.identification) ?? 0;
    let groups = level === 0 ? first : later[level - 1];
    if (groups === undefined) later[level - 1] = groups = new Map<string, Group>();
    const key = `${isParking} ${route} ${route === 'direct' ? '' : groupOf(change, sync)}`;
    const group = groups.get(key) ?? { kind: route, isParking, names: [] };
    groups.set(key, group);
    group.names.push(change.identification);
    if (level === 0 && group.names.length >= settings.batchRows) await write(group);
  }
  for (const group of first.values()) if (group.names.length > 0) await write(group);
  for (const groups of later) {
    for (const { names, ...group } of groups?.values() ?? []) {
      for (let from = 0; from < names.length; from += settings.batchRows) {
        await write({ ...group, names: names.slice(from, from + settings.batchRows) });
      }
    }
  }
}

/** Writes the batches of the last step of changes that are parked: after all others, whose addresses they take. */
export async function sendLastStep(
  context: RunContext,
  parking: Batch,
  parked: readonly string[],
  io: EngineIo,
): Promise<void> {
  const { owned, sync } = context;
  const groups = new Map<string, string[]>();
  for await (const change of changesOf(owned.run.id, io, { batch: parking.id })) {
    if (!parked.includes(change.identification)) continue;
    const key = parking.kind === 'direct' ? '' : groupOf({ ...change, parkEmail: '' }, sync);
    groups.set(key, [...(groups.get(key) ?? []), change.identification]);
  }
  const { length } = await io.store.batches.ofRun(owned.run.id);
  const batches = [...groups.values()].map((identifications, i) => {
    const { kind, id: parent } = parking;
    const batch = newBatch(context, { number: length + 1 + i, kind, size: identifications.length, parent });
    return { batch, identifications };
  });
  await io.store.batches.create(owned, batches);
  io.checkpoint('batch-split');
}

function groupOf(change: Change, { dialect, mapping }: Sync): string {
  const isParking = change.parkEmail !== undefined && change.parkEmail !== '';
  return fileGroup(isParking ? parkStep(change) : change, dialect, mapping.fields);
}

/**
 * Whether the plan has at most 20 creates and updates, none of which needs a file (design, section 6, `auto`); and how
 * many changes go before each one that waits.
 */
async function lookOver(
  planId: string,
  dialect: Dialect,
  io: EngineIo,
): Promise<{ readonly isSmall: boolean; readonly levels: ReadonlyMap<string, number> }> {
  const waiting: OrderedChange[] = [];
  let count = 0;
  let isSmall = true;
  for await (const change of changesOf(planId, io, { states: ['planned'] })) {
    if (change.waitsFor !== undefined) waiting.push(change);
    if (change.kind === 'remove') continue;
    count += 1;
    isSmall &&= count <= autoDirectLimit && isDirectlyDeliverable(change, dialect.customFieldLimit.direct);
  }
  return { isSmall, levels: sendingLevels(waiting) };
}
