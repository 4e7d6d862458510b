import { Redis } from 'ioredis';
import { describeRun } from '../src/app/runs.ts';
import { createExpressions } from '../src/config/expressions.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openApp } from '../src/main/app.ts';
import { openEngine } from '../src/main/engine.ts';
import { systemClock as clock, newUlid } from '../src/main/process.ts';
import { requestRun } from '../src/run/request-run.ts';
import { knownKinds } from '../src/sources/kinds.ts';
import { queueNames } from '../src/work/queue/run-queue.ts';
import { silent, writeUpdatesWorld } from './updates-world.ts';

export type Way = 'in-process' | 'queue';

export interface QueueOrder {
  readonly way: Way;
  readonly people: number;
  readonly batchRows: number;
  readonly folder: string;
  readonly url: string;
  readonly redis: string;
}

/** What one process found: one run, from when it was opened to its end. */
export interface QueueMeasured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly applied: number;
  readonly batches: number;
  /** Jobs of the run that were put into the queue. */
  readonly jobs: number | undefined;
}

const lookMs = 50;

/** `rollcall start` for one run in this process. Run as a child process; sends a `QueueMeasured`. */
async function measure(order: QueueOrder): Promise<QueueMeasured> {
  const also = order.way === 'queue' ? { redis: order.redis } : {};
  const config = await loadConfig(await writeUpdatesWorld({ ...order, also }), {
    env: {},
    sourceKinds: knownKinds,
    expressions: createExpressions(),
  });
  const parts = { clock, logger: silent, newId: newUlid, checkpoint: () => {}, mayPresentSeed: true };
  const engine = await openEngine(config, parts);
  const app = openApp(config, engine);
  const stopping = new AbortController();
  await requestRun({ sync: 'people', kind: 'manual', scope: { kind: 'all' } }, engine.io);
  const before = process.cpuUsage();
  const started = app.start({ signal: stopping.signal, progress: () => {}, onReady: () => {}, role: 'all' });
  const ended = async () => (await engine.io.store.runs.list({ limit: 1 })).find(({ phase }) => phase === 'done');
  let run = await ended();
  for (; run === undefined; run = await ended()) await Promise.race([clock.sleep(lookMs), started]);
  const cpu = process.cpuUsage(before);
  const { batches } = await describeRun(app, run.id);
  stopping.abort(new Error('the run has ended'));
  await started;
  const jobs = order.way === 'queue' ? await countJobs(order.redis) : undefined;
  await app.close();
  if (run.outcome !== 'succeeded') throw new Error(`the run ended ${run.outcome}: ${run.reason ?? ''}`);
  return {
    seconds: ((run.endedAt ?? 0) - run.startedAt) / 1000,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    applied: run.counts.applied,
    batches: batches.length,
    jobs,
  };
}

async function countJobs(url: string): Promise<number> {
  const client = new Redis(url);
  const events = (
    await Promise.all(queueNames.map((name) => client.xrange(`{rollcall}:${name}:events`, '-', '+')))
  ).flat();
  client.disconnect();
  return events.filter(([, words]) => words[1] === 'added' && words.some((word) => word.startsWith('run_'))).length;
}

process.send?.(await measure(JSON.parse(process.argv[2] ?? '{}') as QueueOrder));
process.disconnect();
