import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FakeClock, fixedClock, idle } from './fake-clock.ts';
import { failOnLeaks } from './leak-check.ts';
import { memoryLogger } from './memory-logger.ts';
import { temporaryFolder } from './temporary-folder.ts';

failOnLeaks();

describe('FakeClock', () => {
  it('wakes sleepers in order of time, also those that begin to sleep on the way', async () => {
    const clock = new FakeClock(0);
    const woke: string[] = [];
    const twice = async () => {
      await clock.sleep(100);
      woke.push(`a@${clock.now()}`);
      await clock.sleep(100);
      woke.push(`a@${clock.now()}`);
    };
    const all = Promise.all([twice(), clock.sleep(150).then(() => woke.push(`b@${clock.now()}`))]);
    await clock.advance(199);
    expect(woke).toEqual(['a@100', 'b@150']);
    expect(clock.sleeping).toBe(1);
    expect(clock.nextWakeInMs).toBe(1);
    await clock.advance(1);
    await all;
    expect(woke).toEqual(['a@100', 'b@150', 'a@200']);
    expect(clock.sleeping).toBe(0);
  });

  it('rejects an aborted sleep with the reason, and forgets the sleeper', async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const sleep = clock.sleep(1000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('enough');
    expect(clock.sleeping).toBe(0);
  });

  it('drives work to its end and says when it would need too long', async () => {
    const clock = new FakeClock(0);
    expect(await clock.drive(clock.sleep(5000).then(() => clock.now()))).toBe(5000);
    const abort = new AbortController();
    const long = clock.sleep(5000, abort.signal);
    await expect(clock.drive(long, 4999)).rejects.toThrow('still sleeps');
    abort.abort();
    await expect(long).rejects.toThrow();
  });
});

it('a fixed clock refuses to sleep', async () => {
  expect(fixedClock(7).now()).toBe(7);
  await expect(fixedClock().sleep(10)).rejects.toThrow('10 ms');
});

it('the memory logger keeps fields of parents and children', () => {
  const logger = memoryLogger();
  logger.child({ run: 'run_1' }).warn({ tries: 2 }, 'slow');
  expect(logger.lines).toEqual([{ level: 'warn', fields: { run: 'run_1', tries: 2 }, message: 'slow' }]);
  expect(logger.messages('info')).toEqual([]);
});

describe('temporaryFolder', () => {
  let last = '';
  it('gives a folder of its own', async () => {
    last = await temporaryFolder();
    await access(last);
    expect(await temporaryFolder()).not.toBe(last);
  });
  it('which is gone after the test', async () => {
    await expect(access(last)).rejects.toThrow();
  });
});

describe('failOnLeaks', () => {
  it('lets a test pass that closes what it opened', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await new Promise((resolve) => server.close(resolve));
    await idle();
  });
});
