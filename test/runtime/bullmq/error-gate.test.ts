import { describe, expect, it } from 'vitest';
import { PlatformError, RollcallError } from '../../../src/core/errors.ts';
import { openErrorGate } from '../../../src/runtime/bullmq/error-gate.ts';
import { retryWait } from '../../../src/runtime/bullmq/retry-wait.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { memoryLogger } from '../../support/memory-logger.ts';

function replyError(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError' });
}

describe('errors of Redis', () => {
  it('come to the log once in half a minute per kind, with what to do, and without what was sent', () => {
    const clock = new FakeClock();
    const logger = memoryLogger();
    let storms = 0;
    const gate = openErrorGate({ clock, logger, onStorm: () => (storms += 1) });
    for (let i = 0; i < 15_000; i += 1) gate.report(replyError('OOM command not allowed: SET secret'));
    gate.report(Object.assign(new Error('connect to 10.0.0.1'), { code: 'ECONNREFUSED' }));
    expect(logger.lines.map(({ fields }) => fields.kind)).toEqual(['OOM', 'ECONNREFUSED']);
    expect(logger.text()).toContain('Redis is full');
    expect(logger.text()).not.toMatch(/secret|10\.0\.0\.1/);
    expect(storms).toBe(1);
    clock.jumpTo(clock.now() + 31_000);
    gate.report(replyError('OOM command not allowed'));
    expect(logger.lines.at(-1)?.fields.unsaid).toBe(14_999);
  });

  it('are no storm when they come one a second', () => {
    const clock = new FakeClock();
    let storms = 0;
    const gate = openErrorGate({ clock, logger: memoryLogger(), onStorm: () => (storms += 1) });
    for (let i = 0; i < 100; i += 1) {
      gate.report(new Error('x'));
      clock.jumpTo(clock.now() + 1001);
    }
    expect(storms).toBe(0);
  });
});

describe('a job that failed', () => {
  const failing = (retry: 'never' | 'backoff' | { readonly afterMs: number }) =>
    new RollcallError('it failed', { code: 'PLATFORM_BUSY', retry });

  it.each([
    ['never again', failing('never'), 1, undefined],
    ['never again when it is a bug', new TypeError('x'), 1, undefined],
    ['after a second', failing('backoff'), 1, 1000],
    ['after twice that', failing('backoff'), 2, 2000],
    ['not a fifth time', failing('backoff'), 5, undefined],
    ['after what the other side says', failing({ afterMs: 120_000 }), 1, 120_500],
    ['after a quarter of an hour at most', failing({ afterMs: 86_400_000 }), 1, 900_500],
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
  });
});
