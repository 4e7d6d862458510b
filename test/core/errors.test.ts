import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { describeError, PlatformError, RollcallError } from '../../src/core/errors.ts';

it('an error is not tried again and has no cause unless that is said', () => {
  const plain = new RollcallError('what happened', { code: 'USAGE' });
  expect(plain).toMatchObject({ name: 'RollcallError', message: 'what happened', code: 'USAGE', retry: 'never' });
  expect(plain).not.toHaveProperty('cause');

  const cause = new Error('below');
  const told = new RollcallError('what happened', { code: 'LEASE_LOST', retry: { afterMs: 5 }, cause });
  expect(told).toMatchObject({ retry: { afterMs: 5 }, cause });
});

it('an error of the platform has status, operation and registered title', () => {
  const facts = { effect: 'unknown', status: 500, operation: 'GET /x', title: 'Bad Request' } as const;
  const error = new PlatformError('what happened', { code: 'PLATFORM_FAILED', ...facts });
  expect(error).toBeInstanceOf(RollcallError);
  expect(error).toMatchObject({ name: 'PlatformError', code: 'PLATFORM_FAILED', retry: 'never', ...facts });
});

it('what the other system sent can be asked for, and shows nowhere else', () => {
  const below = new RollcallError('below', { code: 'PLATFORM_REFUSED', raw: 'Ana Díaz, 1961-03-07' });
  const error = new RollcallError('above', { code: 'SCAN_INCOMPLETE', cause: below });

  expect(RollcallError.rawTextOf(error)).toBe('Ana Díaz, 1961-03-07');
  expect(RollcallError.rawTextOf(new Error('Ana'))).toBeUndefined();
  const shown = [inspect(error, { depth: 9 }), JSON.stringify(error), String(error.stack), describeError(error)];
  expect(shown.join('\n')).not.toContain('Ana');
});

it('an unexpected error is described by class, code and place, never by its message', () => {
  const error = Object.assign(new TypeError('Ana\n    at /src/Ana.ts:1:1)'), { code: 'ERR_ODD' });

  expect(describeError(error)).toMatch(/^TypeError \(ERR_ODD\) at test\/core\/errors\.test\.ts:\d+:\d+$/);
  expect(describeError(new TypeError('Ana'))).not.toContain('Ana');
  expect(describeError('Ana')).toBe('unknown');
});
