import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { describeError, isStoreAway, PlatformError, type Retry, RollcallError } from '../../src/core/run/errors.ts';
import { isSameWait, waitAfterError, waitFor, waitingWords } from '../../src/core/run/waiting.ts';

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

it('an error of our own is described by its message', () => {
  expect(describeError(new RollcallError('what happened', { code: 'USAGE' }))).toBe('what happened');
});

it.each([
  ['a code in other letters', { code: 'ERR_Ana' }, /^TypeError at/],
  ['a code before other text', { code: 'ERR Ana' }, /^TypeError at/],
  ['a code that is no text', { code: 42 }, /^TypeError at/],
  ['a code that is too long', { code: 'E'.repeat(41) }, /^TypeError at/],
  ['a name with other signs before it', { name: '1 TypeError' }, /^Error at/],
  ['a name with other signs after it', { name: 'TypeError: Ana' }, /^Error at/],
])('%s is not quoted', (_, odd, described) => {
  expect(describeError(Object.assign(new TypeError('odd'), odd))).toMatch(described);
});

it('an error without a usable stack is described by its class alone', () => {
  const of = (stack: string | undefined) => Object.defineProperty(new TypeError('Ana'), 'stack', { value: stack });
  expect(describeError(of(undefined))).toBe('TypeError');
  expect(describeError(of('another text\n    at /src/Ana.ts:1:1'))).toBe('TypeError');
  expect(describeError(of('TypeError: Ana\n    at file:///home/x/src/core/a.ts:1:1 of Ana'))).toBe('TypeError');
  expect(describeError(of('TypeError: Ana\n    at <anonymous>\n    at f (/home/x/src/core/a.ts:1:22)'))).toBe(
    'TypeError at src/core/a.ts:1:22',
  );
});

it('what the other system sent is looked for in few causes', () => {
  const nested = (depth: number): Error =>
    depth === 0 ? new RollcallError('x', { code: 'USAGE', raw: 'Ana' }) : new Error('x', { cause: nested(depth - 1) });
  expect(RollcallError.rawTextOf(nested(7))).toBe('Ana');
  expect(RollcallError.rawTextOf(nested(8))).toBeUndefined();
});

it.each([
  ['STORE_INVALID', 'backoff', true],
  ['STORE_INVALID', { afterMs: 5 }, true],
  ['STORE_INVALID', 'never', false],
  ['LEASE_LOST', 'backoff', false],
] as const)('%s with retry %j is a store that may answer later: %s', (code, retry: Retry, expected) => {
  expect(isStoreAway(new RollcallError('x', { code, retry }))).toBe(expected);
  expect(isStoreAway(Object.assign(new Error('x'), { code, retry }))).toBe(false);
});

it('a wait is one line with all that is known of it, and two are one that wait for the same until the same', () => {
  const since = Date.UTC(2026, 10, 21, 19, 30);
  const wait = waitFor('file', 'its users are read back', { since });
  expect(waitingWords(wait)).toBe(
    'waiting for the platform to process a file since 2026-11-21 19:30:00 UTC; then its users are read back',
  );
  const full = { ...wait, about: 'batch 3', until: since + 60_000, setting: 'settle.deadline' };
  expect(waitingWords(full)).toBe(
    'waiting for the platform to process a file (batch 3) since 2026-11-21 19:30:00 UTC until 2026-11-21 19:31:00 UTC at the latest (settle.deadline); then its users are read back',
  );
  const others = [{ ...full, for: 'turn' as const }, { ...full, until: 1 }, { ...full, setting: 'x' }, undefined];
  expect(isSameWait(full, { ...full, since: 1, about: 'batch 4' })).toBe(true);
  expect(others.map((other) => isSameWait(full, other))).toEqual([false, false, false, false]);
  expect(isSameWait(undefined, undefined)).toBe(true);
});

it.each([
  ['TOKEN_UNAVAILABLE', 'token'],
  ['SOURCE_UNAVAILABLE', 'source'],
  ['PLATFORM_BUSY', 'platform'],
  ['STORE_INVALID', 'store'],
] as const)('after %s a run waits for: %s', (code, what) => {
  const wait = waitFor(what, 'the run tries again', { about: 'it is away', since: 7 });
  expect(waitAfterError(new RollcallError('it is away.', { code, retry: 'backoff' }), 7)).toEqual(wait);
  const error = new RollcallError('it is away', { code, retry: { afterMs: 5 } });
  expect(waitAfterError(error, 7)).toEqual({ ...wait, until: 12 });
});
