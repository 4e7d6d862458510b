import { directFields } from '../core/batch.ts';
import { type Change, platformKey } from '../core/change.ts';
import type { BatchToSubmit, CallResult, Delivery, Submission } from '../ports/delivery.ts';
import { refusalOf } from './csv-upload.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';

/** One call per change: POST for create, PUT for update, DELETE for remove. Nothing else can go this way. */
export const directDelivery: DeliveryKind = {
  kind: 'direct',
  open: (io) => ({ kind: 'direct', submit: (batch, signal) => sendAll(batch, io, signal) }) satisfies Delivery,
};

/**
 * In order, one at a time: after a crash at most one change has an unknown fate. What cannot be written down ends the
 * batch where it is, so that a call is never taken for not tried because the store failed after it.
 */
async function sendAll(batch: BatchToSubmit, io: DeliveryIo, signal: AbortSignal): Promise<Submission> {
  let tried = 0;
  for (const change of batch.changes) {
    const { identification } = change;
    signal.throwIfAborted();
    await batch.onResult(identification, { kind: 'sending' });
    const end = await resultOf(change, io, signal);
    if ('result' in end) {
      await batch.onResult(identification, end.result);
      tried += 1;
      continue;
    }
    await batch.onResult(identification, { kind: 'not-tried' });
    if (tried > 0) return { kind: 'direct' };
    if ('error' in end) throw end.error;
    return end.wait;
  }
  return { kind: 'direct' };
}

type End =
  | { readonly result: Extract<CallResult, { kind: 'accepted' | 'refused' | 'unknown' }> }
  /** Trouble of the whole connection: the change was not tried, and the batch stops. */
  | { readonly error: unknown }
  | { readonly wait: Extract<Submission, { kind: 'wait' }> };

/** Sends one change. A change's own trouble becomes its fate. Never throws. */
async function resultOf(change: Change, io: DeliveryIo, signal: AbortSignal): Promise<End> {
  try {
    const reason = await sendOne(change, io, signal);
    return { result: reason === undefined ? { kind: 'accepted' } : { kind: 'refused', reason } };
  } catch (error) {
    try {
      const refusal = refusalOf(error);
      return refusal.kind === 'wait' ? { wait: refusal } : { result: refusal };
    } catch (about) {
      return { error: about };
    }
  }
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
      await platform.remove(platformKey(change), { blacklist: io.blacklist }, signal);
      return undefined;
    case 'update': {
      const lookup = await platform.find(platformKey(change), signal);
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
