import { describe, expect, it } from 'vitest';
import { PlatformError, RollcallError } from '../../src/core/run/errors.ts';
import { retryWait } from '../../src/work/after-error.ts';

describe('a job that failed', () => {
  const failing = (retry: 'never' | 'backoff' | { readonly afterMs: number }) =>
    new RollcallError('it failed', { code: 'PLATFORM_BUSY', retry });

  const storeAway = new RollcallError('the store is away', { code: 'STORE_INVALID', retry: 'backoff' });

  it.each([
    ['never again', failing('never'), 1, undefined],
    ['never again when it is a bug', new TypeError('x'), 1, undefined],
    ['after a second', failing('backoff'), 1, 1000],
    ['after twice that', failing('backoff'), 2, 2000],
    ['not a fifth time', failing('backoff'), 5, undefined],
    ['after five seconds, however often, when the store is away', storeAway, 50, 5000],
    ['after what the other side says', failing({ afterMs: 120_000 }), 1, 120_500],
    ['after ten minutes when it says so', failing({ afterMs: 600_000 }), 4, 604_000],
    ['after an hour at most', failing({ afterMs: 86_400_000 }), 1, 3_600_500],
    [
      'never when the platform refuses',
      new PlatformError('no', { code: 'PLATFORM_REFUSED', effect: 'none', operation: 'GET /x' }),
      1,
      undefined,
    ],
  ])('is tried %s', (_when, error, tries, waitMs) => {
    expect(retryWait(error, tries, () => 1)).toBe(waitMs);
    const early = retryWait(error, tries, () => 0);
    expect(early === undefined).toBe(waitMs === undefined);
    expect(early ?? 0).toBeLessThanOrEqual(waitMs ?? 0);
    const asked = error instanceof RollcallError && typeof error.retry === 'object' ? error.retry.afterMs : 0;
    if (early !== undefined) expect(early).toBeGreaterThanOrEqual(Math.min(asked, 3_600_000));
  });
});
