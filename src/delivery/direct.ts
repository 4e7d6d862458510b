import { type Change, platformKey } from '../core/plan/change.ts';
import { directFields } from '../core/run/batch.ts';
import type { BatchToSubmit, CallResult, Delivery, Submission } from '../ports/delivery.ts';
import { refusalOf } from './csv-upload.ts';
import type { DeliveryIo, DeliveryKind } from './delivery-io.ts';

/** Delivers one call per change: POST for create, PUT for update, DELETE for remove. Supports no other changes. */
export const directDelivery: DeliveryKind = {
  kind: 'direct',
  open: (io) => ({ kind: 'direct', submit: (batch, signal) => sendAll(batch, io, signal) }) satisfies Delivery,
};

/**
 * Sends changes in order, one at a time, so that after a crash the outcome of at most one change is not known. The
 * batch stops when a result cannot be stored. Otherwise a call could be taken as not sent because the store failed
 * after it.
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
  /** A problem of the whole connection. The change was not tried, and the batch stops. */
  | { readonly error: unknown }
  | { readonly wait: Extract<Submission, { kind: 'wait' }> };

/** Sends one change. A problem of this change becomes its result. Never throws. */
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

/** Sends one change. Returns why it was not sent, when a read of the user forbids it. */
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
      if (lookup.found === false) return 'the platform no longer has this user';
      if (lookup.found === 'unclear') return lookup.reason;
      await platform.update(lookup.user, { identification, fields: directFields(change, io.dialect) }, signal);
      return undefined;
    }
    case 'enable':
    case 'disable':
      return `a ${change.kind} cannot be made by direct call`;
  }
}
