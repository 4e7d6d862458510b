import { directFields } from '../core/batch.ts';
import type { Change } from '../core/change.ts';
import type { BatchToSubmit, Delivery, Submission } from '../ports/delivery.ts';
import { refusalOf } from './csv-upload.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';

/** One call per change: POST for create, PUT for update, DELETE for remove. Nothing else can go this way. */
export const directDelivery: DeliveryKind = {
  kind: 'direct',
  open: (io) => ({ kind: 'direct', submit: (batch, signal) => sendAll(batch, io, signal) }) satisfies Delivery,
};

/** In order, one at a time: after a crash at most one change has an unknown fate. */
async function sendAll(batch: BatchToSubmit, io: DeliveryIo, signal: AbortSignal): Promise<Submission> {
  let tried = 0;
  for (const change of batch.changes) {
    const { identification } = change;
    signal.throwIfAborted();
    await batch.onFate(identification, { kind: 'sending' });
    try {
      const refusal = await sendOne(change, io, signal);
      await batch.onFate(
        identification,
        refusal === undefined ? { kind: 'accepted' } : { kind: 'refused', reason: refusal },
      );
    } catch (error) {
      const stop = await judge(error, async (fate) => batch.onFate(identification, fate));
      if (stop === undefined) continue;
      await batch.onFate(identification, { kind: 'not-tried' });
      if (tried > 0) return { kind: 'direct' };
      if ('error' in stop) throw stop.error;
      return stop.wait;
    } finally {
      tried += 1;
    }
  }
  return { kind: 'direct' };
}

type Stop = { readonly error: unknown } | { readonly wait: Extract<Submission, { kind: 'wait' }> };

/** A change's own trouble becomes its fate; trouble of the whole connection stops the batch. */
async function judge(
  error: unknown,
  tell: (fate: { kind: 'refused' | 'unknown'; reason: string }) => Promise<void>,
): Promise<Stop | undefined> {
  let refusal: ReturnType<typeof refusalOf>;
  try {
    refusal = refusalOf(error);
  } catch (about) {
    return { error: about };
  }
  if (refusal.kind === 'wait') return { wait: refusal };
  await tell(refusal);
  return undefined;
}

/** Sends one change. Returns why it was not sent, when a look at the user forbids it. */
async function sendOne(change: Change, io: DeliveryIo, signal: AbortSignal): Promise<string | undefined> {
  const { identification } = change;
  const { platform } = io;
  switch (change.kind) {
    case 'create':
      await platform.create({ identification, fields: directFields(change, io.dialect) }, signal);
      return undefined;
    case 'remove':
      await platform.remove(identification, { blacklist: io.blacklist }, signal);
      return undefined;
    case 'update': {
      const lookup = await platform.find(identification, signal);
      if (lookup.found === false) return 'the platform has no such user any more';
      if (lookup.found === 'unclear') return lookup.reason;
      await platform.update(lookup.user, { identification, fields: directFields(change, io.dialect) }, signal);
      return undefined;
    }
    case 'enable':
    case 'disable':
      return `a ${change.kind} cannot go by direct call`;
  }
}
