/**
 * A process that spends a shared rate budget as fast as it may: `spend-budget.ts PORT RATE MS`. Prints one JSON line:
 * the instants (epoch ms) at which it was allowed to begin.
 */

import { openLocalBudget } from '../../../src/drivers/http/rate-limit.ts';
import { closeRedis, openRedis } from '../../../src/drivers/redis/open-redis.ts';
import { systemClock as clock } from '../../../src/main/process.ts';
import { openRedisBudget } from '../../../src/work/queue/redis-budget.ts';

const [port = 0, requestsPerSecond = 1, ms = 0] = process.argv.slice(2).map(Number);
const settings = { kind: 'single', host: '127.0.0.1', port, db: 0, prefix: 'budget' } as const;
const client = openRedis(settings, 'budget', () => {});
const budget = openRedisBudget({
  client,
  prefix: '{budget}',
  connection: 'acme',
  limits: { requestsPerSecond, concurrency: 2, timeoutMs: 1000 },
  clock,
  member: String(process.pid),
  openLocal: (limits) => openLocalBudget(limits, clock),
  onError: () => {},
});
const begun: number[] = [];
const until = clock.now() + ms;
const spend = async (): Promise<void> => {
  while (clock.now() < until) {
    await clock.sleep(await budget.take(requestsPerSecond));
    begun.push(clock.now());
  }
};
await Promise.all([spend(), spend()]);
closeRedis(client);
process.stdout.write(JSON.stringify(begun));
