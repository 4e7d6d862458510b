import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findRedisProgram, startRedis } from '../test/support/services/redis.ts';
import { forkHere, nextMessage } from './child.ts';
import { median } from './median.ts';
import type { QueueMeasured, QueueOrder, Way } from './queue-run.ts';

/**
 * What the queue costs: one run of many updates by `rollcall start`, once with Redis and once without, in turns, each
 * in a fresh process with a fresh store against a fresh platform that costs next to nothing. Needs redis-server.
 *
 *   npm run bench:queue -- [--people 100000] [--batch-rows 10000] [--repetitions 3] [--json]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '100000' },
      'batch-rows': { type: 'string', default: '10000' },
      repetitions: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const program = await findRedisProgram();
  if (program === undefined) throw new Error('redis-server is not in PATH (Debian: redis-server)');
  const size = { people: Number(values.people), batchRows: Number(values['batch-rows']) };
  const pairs: Record<Way, QueueMeasured>[] = [];
  for (let i = 0; i < Number(values.repetitions); i += 1) {
    // Whoever comes second meets another machine: the order alternates.
    const order: readonly Way[] = i % 2 === 0 ? ['in-process', 'queue'] : ['queue', 'in-process'];
    const found: Partial<Record<Way, QueueMeasured>> = {};
    for (const way of order) {
      const measured = await measureOnce(way, size, program);
      found[way] = measured;
      const { seconds, cpuSeconds, applied, batches, jobs } = measured;
      const work = `${applied} changes in ${batches} batches${jobs === undefined ? '' : `, ${jobs} jobs`}`;
      process.stderr.write(`  ${way}: ${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${work}\n`);
    }
    const { queue, 'in-process': here } = found;
    if (queue !== undefined && here !== undefined) pairs.push({ queue, 'in-process': here });
  }
  const ratioOf = (pick: (one: QueueMeasured) => number): number =>
    median(pairs.map((pair) => pick(pair.queue) / pick(pair['in-process'])));
  const ratio = ratioOf(({ seconds }) => seconds);
  const cpuRatio = ratioOf(({ cpuSeconds }) => cpuSeconds);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ ...size, ratio, cpuRatio, pairs }, undefined, 2)}\n`
      : `queue ÷ in-process, medians of ${pairs.length}: ${ratio.toFixed(2)} by the clock, ${cpuRatio.toFixed(2)} by CPU time\n`,
  );
}

async function measureOnce(
  way: Way,
  size: Pick<QueueOrder, 'people' | 'batchRows'>,
  program: string,
): Promise<QueueMeasured> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const redis = await startRedis(program);
  const platform = forkHere('fast-platform.ts', String(size.people));
  try {
    const url = (await nextMessage(platform)) as string;
    const order: QueueOrder = { way, ...size, folder, url, redis: redis.url };
    return (await nextMessage(forkHere('queue-run.ts', JSON.stringify(order)))) as QueueMeasured;
  } finally {
    if (platform.connected) platform.disconnect();
    await redis.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
