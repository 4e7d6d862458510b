import { expect, it } from 'vitest';
import { exchangeInTime, graceMs } from '../../../src/platform/tokens/presentation.ts';
import type { ExchangeOutcome, TokenExchange } from '../../../src/ports/tokens.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const granted: ExchangeOutcome = { kind: 'granted', accessToken: 'a', refreshToken: 'r', expiresInMs: 1 };
const timeoutMs = 10_000;
const noAnswer = { kind: 'unknown', reason: 'no answer within 10000 ms' };

function begin(exchange: TokenExchange) {
  const clock = new FakeClock();
  let outcome: ExchangeOutcome | undefined;
  const work = exchangeInTime(exchange, 'token', clock, timeoutMs).then((end) => {
    outcome = end;
  });
  return { clock, work, outcome: () => outcome };
}

it('gives the answer of the exchange, and leaves no timer behind', async () => {
  const presented: string[] = [];
  const { clock, work, outcome } = begin(async (token) => {
    presented.push(token);
    return granted;
  });
  await work;
  expect(outcome()).toBe(granted);
  expect(presented).toEqual(['token']);
  expect(clock.sleeping).toBe(0);
});

it('tells the exchange to stop at the timeout and takes an answer within the grace', async () => {
  let stoppedAt: number | undefined;
  const { clock, work, outcome } = begin((_, signal) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        stoppedAt = clock.now();
        expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
        resolve({ kind: 'not-sent', reason: 'stopped in time' });
      });
    });
  });
  const startedAt = clock.now();
  await clock.advance(timeoutMs - 1);
  expect(stoppedAt).toBeUndefined();
  await clock.advance(1);
  await work;
  expect(stoppedAt).toBe(startedAt + timeoutMs);
  expect(outcome()).toEqual({ kind: 'not-sent', reason: 'stopped in time' });
  expect(clock.sleeping).toBe(0);
});

it('gives up on an exchange that does not stop, a grace after the timeout', async () => {
  const { clock, work, outcome } = begin(() => new Promise(() => {}));
  await clock.advance(timeoutMs + graceMs - 1);
  expect(outcome()).toBeUndefined();
  await clock.advance(1);
  await work;
  expect(outcome()).toEqual(noAnswer);
});

it.each([
  [new TypeError('secret'), 'the call failed (TypeError)'],
  ['secret', 'the call failed (string)'],
])('what throws may have been taken, and its text is not told: %#', async (thrown, reason) => {
  const { work, outcome } = begin(() => Promise.reject(thrown));
  await work;
  expect(outcome()).toEqual({ kind: 'unknown', reason });
});
