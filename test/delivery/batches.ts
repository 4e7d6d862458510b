import { type Change, type ChangeDraft, sealChange } from '../../src/core/plan/change.ts';
import { PlatformError, type PlatformErrorOptions, RollcallError } from '../../src/core/run/errors.ts';
import { defaultDialect } from '../../src/core/run/settings.ts';
import type { DeliveryIo } from '../../src/delivery/provisioning-file.ts';
import type { BatchToSubmit, CallResult } from '../../src/ports/delivery.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { draft } from '../core/cases.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const change = (identification: string, patch: Partial<ChangeDraft> = {}): Change =>
  sealChange(draft({ identification, ...patch }));

export const create = (identification: string) =>
  change(identification, { kind: 'create', before: undefined, classes: ['creates'] });

export interface NotedBatch extends BatchToSubmit {
  /** What was told of each change: `E1 sending`, `E1 accepted`, `E2 refused: the reason`. */
  readonly told: readonly string[];
}

/** A batch `b1` whose store remembers what is told to it; `store` may throw, as a store does that is gone. */
export function batchOf(changes: readonly Change[], store: (told: string) => void = () => {}): NotedBatch {
  const told: string[] = [];
  const onResult = async (identification: string, result: CallResult) => {
    const line = `${identification} ${result.kind}${'reason' in result ? `: ${result.reason}` : ''}`;
    store(line);
    told.push(line);
  };
  return { id: 'b1', changes, onResult, told };
}

/** Opens with a folder of the test, in which `outboxFolder` does not exist yet. */
export async function ioOver(platform: Platform, patch: Partial<DeliveryIo> = {}): Promise<DeliveryIo> {
  const folder = await temporaryFolder();
  return {
    platform,
    dialect: defaultDialect,
    blacklist: false,
    outboxFolder: `${folder}/for/transfer`,
    ...patch,
  };
}

/** An error of the platform that says it took nothing, if the test does not say else. */
export function platformError(options: Partial<PlatformErrorOptions>): PlatformError {
  return new PlatformError('the platform says no', {
    code: 'PLATFORM_REFUSED',
    effect: 'none',
    operation: 'POST /os-api/public-api/v1/users',
    ...options,
  });
}

/** How the errors of a write are classified, in every delivery that calls the platform. */
export const refusals = [
  { name: 'a refusal', error: { code: 'PLATFORM_REFUSED' }, is: { kind: 'refused' } },
  { name: 'not found', error: { code: 'PLATFORM_NOT_FOUND' }, is: { kind: 'refused' } },
  {
    name: 'busy, without a time',
    error: { code: 'PLATFORM_BUSY', retry: 'backoff' },
    is: { kind: 'wait', afterMs: 15_000 },
  },
  {
    name: 'busy, with a time',
    error: { code: 'PLATFORM_BUSY', retry: { afterMs: 7_000 } },
    is: { kind: 'wait', afterMs: 7_000 },
  },
  { name: 'a lost answer', error: { code: 'PLATFORM_UNREACHABLE', effect: 'unknown' }, is: { kind: 'unknown' } },
  {
    name: 'a lost answer of one that is busy',
    error: { code: 'PLATFORM_BUSY', effect: 'unknown' },
    is: { kind: 'unknown' },
  },
  {
    name: 'a lost answer of one that refuses',
    error: { code: 'PLATFORM_REFUSED', effect: 'unknown' },
    is: { kind: 'unknown' },
  },
  { name: 'forbidden', error: { code: 'PLATFORM_FORBIDDEN' }, is: { kind: 'refused' } },
] as const satisfies readonly { name: string; error: Partial<PlatformErrorOptions>; is: object }[];

/** Errors that say nothing about this batch: the connection is in trouble, or the process stops. */
export const troubles = [
  { name: 'unauthorized', error: platformError({ code: 'PLATFORM_UNAUTHORIZED' }) },
  { name: 'unreachable before anything was sent', error: platformError({ code: 'PLATFORM_UNREACHABLE' }) },
  { name: 'a bug', error: new TypeError('a bug') },
  { name: 'an error that no call made', error: new RollcallError('refused here', { code: 'PLATFORM_REFUSED' }) },
] as const;
