import type { Change } from '../core/plan/change.ts';
import { leaderStates, leaderSteps } from '../core/plan/leaders.ts';
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
  const { from, to } = leaderStates(change);
  const { add, remove } = leaderSteps(from, to);
  const isReplaced = add.main !== undefined && dialect.leaders.main === 'replaces';
  const main = isReplaced ? undefined : remove.main;
  if (main !== undefined || remove.secondary.length > 0) {
    await platform.unlead(identification, { ...given(main), secondary: remove.secondary }, signal);
  }
  if (add.main !== undefined || add.secondary.length > 0) {
    await platform.lead(identification, { ...given(add.main), secondary: add.secondary }, signal);
  }
}

function given(main: string | undefined): { readonly main?: string } {
  return main === undefined ? {} : { main };
}
