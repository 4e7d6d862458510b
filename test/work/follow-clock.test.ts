import { describe, expect, it } from 'vitest';
import { followClock, uptimeOf } from '../../src/work/liveness.ts';
import { FakeClock } from '../support/fake-clock.ts';

describe('followClock', () => {
  it('checks every five seconds, also after a check that failed, until it is ended', async () => {
    const clock = new FakeClock();
    let checks = 0;
    const stop = followClock(
      async () => {
        checks += 1;
        if (checks === 1) throw new Error('the store is not available');
      },
      { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    );
    await clock.advance(15_000);
    expect(checks).toBe(3);
    await stop();
    await clock.advance(15_000);
    expect(checks).toBe(3);
    expect(clock.sleeping).toBe(0);
  });
});

describe('uptimeOf', () => {
  it('is as fine as the timer of the process, and counts the time in which the machine slept', () => {
    let [coarse, fine] = [50_000, 1000.5];
    const now = uptimeOf(
      () => coarse,
      () => fine,
    );
    fine += 7.25;
    expect(now()).toBe(50_007.25);
    coarse += 3_600_000;
    expect(now()).toBe(3_650_000);
  });
});
