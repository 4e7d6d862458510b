import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../../src/drivers/redis/open-redis.ts';
import { redactText } from '../../../src/watch/logs/create-logger.ts';
import { adviseOn, openErrorGate } from '../../../src/work/queue/error-gate.ts';
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

  it.each(['NOAUTH', 'WRONGPASS', 'NOPERM', 'OOM', 'READONLY', 'MISCONF'])(
    'are told in words that the log leaves as they are (%s)',
    (code) => {
      const advice = adviseOn(replyError(`${code} secret`));
      expect(redactText(advice)).toBe(advice);
      expect(advice).not.toContain('secret');
    },
  );

  it.each([
    ['ERR value is not an integer or out of range', 'value is not an integer or out of range'],
    ["ERR unknown command 'AUTH', with args beginning with: 'secret'", "unknown command 'AUTH'"],
    ['BUSY Redis is busy running a script', 'busy running a script'],
  ])('without advice of their own keep their own words: %s', (message, words) => {
    const advice = adviseOn(replyError(message));
    expect(advice).toContain(words);
    expect(advice).not.toContain('secret');
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

it.each([
  ['maxmemory_policy:allkeys-lru\r\nredis_version:7.2.4\r\n', /allkeys-lru.*noeviction/],
  ['redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n', /6\.0\.16 is too old/],
  ['redis_version:6.2.0\r\nmaxmemory_policy:noeviction\r\n', undefined],
  ['redis_version:5.0.0\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:noeviction\r\n', undefined],
  ['redis_version:10.0.0\r\n', undefined],
])('a Redis that says %j of itself is warned about, or not', (info, warning) => {
  if (warning === undefined) expect(troublesOf(info)).toEqual([]);
  else expect(troublesOf(info).join()).toMatch(warning);
});
