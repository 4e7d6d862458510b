import type { Change } from '../core/plan/change.ts';
import { type LeaderStep, leaderCalls } from '../core/plan/leaders.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';
import { sendAll } from './direct.ts';

/** Delivers changes of leaders: a DELETE for what is taken away, then a POST for what is added. */
export const leadersDelivery: DeliveryKind = {
  kind: 'leaders',
  open: (io) =>
    ({
      kind: 'leaders',
      submit: (batch, signal) => sendAll(batch, { send: (change) => sendLeaders(change, io, signal) }, signal),
    }) satisfies Delivery,
};

/**
 * A kill between the calls leaves the person without a main leader. The batch is in the store then, and the run reads the
 * list and sends what still lacks.
 */
async function sendLeaders(change: Change, { platform, dialect }: DeliveryIo, signal: AbortSignal): Promise<undefined> {
  const { identification } = change;
  const { add, remove } = leaderCalls(change, dialect);
  if (remove !== undefined) await platform.unlead(identification, named(remove), signal);
  if (add !== undefined) await platform.lead(identification, named(add), signal);
}

function named({ main, secondary }: LeaderStep): Partial<LeaderStep> {
  return main === undefined ? { secondary } : { main, secondary };
}
