import { expect, it } from 'vitest';
import { PlatformError, RollcallError } from '../../src/core/errors.ts';

it('an error is not tried again and has no cause unless that is said', () => {
  const plain = new RollcallError('what happened', { code: 'USAGE' });
  expect(plain).toMatchObject({ name: 'RollcallError', message: 'what happened', code: 'USAGE', retry: 'never' });
  expect(plain).not.toHaveProperty('cause');

  const cause = new Error('below');
  const told = new RollcallError('what happened', { code: 'LEASE_LOST', retry: { afterMs: 5 }, cause });
  expect(told).toMatchObject({ retry: { afterMs: 5 }, cause });
});

it('an error of the platform has what the answer said', () => {
  const facts = { effect: 'unknown', status: 500, operation: 'GET /x', title: 'Oops', detail: 'why' } as const;
  const error = new PlatformError('what happened', { code: 'PLATFORM_FAILED', ...facts });
  expect(error).toBeInstanceOf(RollcallError);
  expect(error).toMatchObject({ name: 'PlatformError', code: 'PLATFORM_FAILED', retry: 'never', ...facts });
});
