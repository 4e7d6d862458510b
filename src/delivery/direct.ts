import { type Change, platformKey } from '../core/plan/change.ts';
import { leaderCalls } from '../core/plan/leaders.ts';
import { refusalReason } from '../core/plan/refused-create.ts';
import { directFields } from '../core/run/batch.ts';
import { PlatformError } from '../core/run/errors.ts';
import { connectionTrouble, type RefusedInRow } from '../core/run/waves.ts';
import type { BatchToSubmit, CallResult, Delivery, Submission } from '../ports/delivery.ts';
import type { Lookup } from '../ports/platform.ts';
import { type DeliveryIo, refusalOf } from './provisioning-file.ts';

/** Delivers one call per change: POST for create, PUT for update, DELETE for remove. Supports no other changes. */
export function openDirect(io: DeliveryIo): Delivery {
  return { kind: 'direct', submit: (batch, signal) => sendAll(batch, callsOf(io, signal), signal) };
}

/** How one change is sent. Both may throw; a change that `lookUp` cannot read was not tried. */
interface Calls<Found> {
  lookUp?(change: Change): Promise<Found | undefined>;
  /** Returns why it was not sent, if a lookup forbids it. */
  send(change: Change, found: Found | undefined): Promise<string | undefined>;
}

function callsOf(io: DeliveryIo, signal: AbortSignal): Calls<Lookup> {
  return {
    lookUp: async (change) => (change.kind === 'update' ? io.platform.find(platformKey(change), signal) : undefined),
    send: (change, lookup) => sendOne(change, lookup, io, signal),
  };
}

/**
 * Sends changes in order, one at a time, so that after a crash the outcome of at most one change is not known. The
 * batch stops when a result cannot be stored: otherwise a call could be taken as not sent because the store failed
 * after it. It also stops when too many changes in a row are refused with 403: then the connection is in trouble.
 */
async function sendAll<Found>(batch: BatchToSubmit, calls: Calls<Found>, signal: AbortSignal): Promise<Submission> {
  let { refusedInRow = none } = batch;
  let tried = 0;
  for (const change of batch.changes) {
    const { identification } = change;
    signal.throwIfAborted();
    await batch.onResult(identification, { kind: 'sending' });
    const end = await resultOf(change, calls);
    if ('result' in end) {
      const { result, isForbidden } = end;
      await batch.onResult(identification, result);
      tried += 1;
      if (result.kind === 'accepted') refusedInRow = none;
      if (result.kind === 'refused' && !isForbidden) refusedInRow = { ...refusedInRow, isMixed: true };
      if (!isForbidden) continue;
      refusedInRow = { ...refusedInRow, count: refusedInRow.count + 1 };
      const trouble = connectionTrouble(refusedInRow);
      if (trouble === undefined) continue;
      const { reason, raw } = result;
      const also = raw === undefined ? {} : { raw };
      return { kind: 'direct', refusedInRow, trouble: { ...also, reason: `${reason} ${trouble}` } };
    }
    await batch.onResult(identification, { kind: 'not-tried' });
    if (tried > 0) return endOf(refusedInRow);
    if ('error' in end) throw end.error;
    return end.wait;
  }
  return endOf(refusedInRow);
}

function endOf(refusedInRow: RefusedInRow): Submission {
  return refusedInRow.count === 0 ? { kind: 'direct' } : { kind: 'direct', refusedInRow };
}

const none: RefusedInRow = { count: 0 };

type Result = Extract<CallResult, { kind: 'accepted' | 'refused' | 'unknown' }>;

type End =
  | { readonly result: Result; readonly isForbidden: false }
  | { readonly result: Extract<Result, { kind: 'refused' }>; readonly isForbidden: true }
  /** A problem of the whole connection. The change was not tried, and the batch stops. */
  | { readonly error: unknown }
  | { readonly wait: Extract<Submission, { kind: 'wait' }> };

/** Sends one change. A problem of this change becomes its result. Never throws. */
async function resultOf<Found>(change: Change, { lookUp, send }: Calls<Found>): Promise<End> {
  let isReading = true;
  try {
    const found = await lookUp?.(change);
    isReading = false;
    const reason = await send(change, found);
    return { result: reason === undefined ? { kind: 'accepted' } : { kind: 'refused', reason }, isForbidden: false };
  } catch (error) {
    try {
      const isForbidden = error instanceof PlatformError && error.code === 'PLATFORM_FORBIDDEN';
      if (isForbidden && isReading) return { error };
      const refusal = refusalOf(error);
      if (refusal.kind === 'wait') return { wait: refusal };
      if (refusal.kind === 'refused') {
        const result = { ...refusal, reason: refusalReason(change.kind, refusal.reason) };
        return isForbidden ? { result, isForbidden } : { result, isForbidden: false };
      }
      return { result: refusal, isForbidden: false };
    } catch (about) {
      return { error: about };
    }
  }
}

/** Sends one change. Returns why it was not sent, when a lookup of the user forbids it. */
async function sendOne(
  change: Change,
  lookup: Lookup | undefined,
  io: DeliveryIo,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { identification } = change;
  const { platform } = io;
  switch (change.kind) {
    case 'create':
      await platform.create({ identification, fields: directFields(change, io.dialect) }, signal);
      return undefined;
    case 'remove':
      await platform.remove(platformKey(change), { blacklist: io.blacklist }, signal);
      return undefined;
    case 'update':
      if (lookup?.found !== true)
        return lookup?.found === 'unclear' ? lookup.reason : 'the platform no longer has this user';
      await platform.update(lookup.user, { identification, fields: directFields(change, io.dialect) }, signal);
      return undefined;
    case 'enable':
    case 'disable':
    case 'lead':
    case 'unlead':
      return `a ${change.kind} cannot be made by direct call`;
  }
}

/** Delivers changes of leaders: a DELETE for what is taken away, then a POST for what is added. */
export function openLeaders(io: DeliveryIo): Delivery {
  return {
    kind: 'leaders',
    submit: (batch, signal) => sendAll(batch, { send: (change) => sendLeaders(change, io, signal) }, signal),
  };
}

/**
 * A kill between the calls leaves the person without a main leader. The batch is in the store then, and the run reads the
 * list and sends what still lacks.
 */
async function sendLeaders(change: Change, { platform, dialect }: DeliveryIo, signal: AbortSignal): Promise<undefined> {
  const { identification } = change;
  const { add, remove } = leaderCalls(change, dialect);
  if (remove !== undefined) await platform.unlead(identification, remove, signal);
  if (add !== undefined) await platform.lead(identification, add, signal);
}
