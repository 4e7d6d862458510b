import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { forkHere, nextMessage } from './child.ts';
import type { LoopStop } from './loop-stops.ts';
import { type ResponsiveNews, type ResponsiveOrder, token } from './responsive-order.ts';
import { writeUpdatesWorld } from './updates-world.ts';
import { type Load, startLoad } from './wrk.ts';

/**
 * How soon `rollcall start` answers while it does a first run of many updates, and how long its event loop stands still:
 * one process with SQLite, server and work; the platform and the load (wrk; Debian: wrk) in processes of their own.
 *
 *   npm run bench:responsive -- [--people 100000] [--batch-rows 10000] [--held] [--connections 2] [--pause-ms 20] [--explain] [--json]
 *
 * --held: a guard holds all of it. --connections, --pause-ms: to each address, with a rest after each answer; a load tool
 * without one measures how much a machine can do, not how soon it answers. --explain: what the longest stops were spent
 * on, by a profiler that makes them longer.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '100000' },
      'batch-rows': { type: 'string', default: '10000' },
      held: { type: 'boolean', default: false },
      connections: { type: 'string', default: '2' },
      'pause-ms': { type: 'string', default: '20' },
      explain: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const platform = forkHere('fast-platform.ts', values.people);
  try {
    const config = await writeUpdatesWorld({
      people: Number(values.people),
      batchRows: Number(values['batch-rows']),
      folder,
      url: (await nextMessage(platform)) as string,
      also: { server: { port: 0, tokens: [{ name: 'bench', role: 'viewer', token }], requestsPerMinute: 100_000 } },
      ...(values.held ? { allowed: 1 } : {}),
    });
    const pace = { connections: Number(values.connections), pauseMs: Number(values['pause-ms']) };
    const found = await measure({ config, explain: values.explain }, pace, folder);
    process.stdout.write(values.json ? `${JSON.stringify(found, undefined, 2)}\n` : render(found));
  } finally {
    if (platform.connected) platform.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
}

/** So long a process that does nothing is asked first: what the machine itself makes of it. */
const idleMs = 5000;

interface Found {
  readonly ended: Extract<ResponsiveNews, { kind: 'ended' }>;
  readonly loads: readonly { readonly path: string; readonly load: Load }[];
}

async function measure(
  order: ResponsiveOrder,
  pace: { readonly connections: number; readonly pauseMs: number },
  folder: string,
): Promise<Found> {
  const worker = forkHere('responsive-run.ts', JSON.stringify(order));
  const next = async <Kind extends ResponsiveNews['kind']>(kind: Kind) => {
    const news = (await nextMessage(worker)) as ResponsiveNews;
    if (news.kind === kind) return news as Extract<ResponsiveNews, { kind: Kind }>;
    throw new Error(`the working process said ${news.kind} instead of ${kind}`);
  };
  const { url } = await next('listening');
  const loading = (path: string, more = {}) =>
    startLoad(folder, { url: `${url}${path}`, token, ...pace, ...more }).then(({ stop }) => ({ path, stop }));
  const idle = await loading('/healthz');
  await setTimeout(idleMs);
  const before = { path: '/healthz before the run', load: await idle.stop() };
  const early = await Promise.all([loading('/healthz'), loading('/readyz'), loading('/api/runs')]);
  worker.send('go');
  const { run } = await next('running');
  const end = next('ended');
  const late = await Promise.all([
    loading(`/api/runs/${run}`),
    loading(`/api/runs/${run}/changes`),
    loading('/api/syncs/people/people/E000001/history'),
    loading('/metrics', { connections: 1, pauseMs: 1000 }),
    // It reads the HR file and asks the platform: not something to be asked many times a second.
    loading('/api/syncs/people/people/E000001', { connections: 1, pauseMs: 5000 }),
  ]);
  const ended = await end;
  const loads: { path: string; load: Load }[] = [before];
  for (const { path, stop } of [...early, ...late]) loads.push({ path: path.replace(run, 'RUN'), load: await stop() });
  return { ended, loads };
}

function render({ ended, loads }: Found): string {
  const { outcome, changes, seconds, cpuSeconds, idleRssMb, peakRssMb, loop } = ended;
  const ms = (value: number): string => value.toFixed(1).padStart(8);
  return [
    `${changes} updates, ${outcome}: ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, memory ${idleRssMb.toFixed(0)} MB idle, ${peakRssMb.toFixed(0)} MB at most`,
    '',
    `${'answers, ms'.padEnd(44)}     p50      p99      max   number  errors`,
    ...loads.map(({ path, load: { p50, p99, max, requests, errors } }) => {
      return `${path.padEnd(40)}${ms(p50)} ${ms(p99)} ${ms(max)} ${String(requests).padStart(8)} ${String(errors).padStart(7)}`;
    }),
    '',
    `event loop, ms by the clock: p50 ${loop.delayMs.p50.toFixed(1)}, p99 ${loop.delayMs.p99.toFixed(1)}, max ${loop.delayMs.max.toFixed(1)}`,
    'longest stops, ms by CPU time (by the clock), while',
    ...loop.longest.flatMap(renderStop),
    'longest stops by the clock',
    ...loop.byClock.flatMap(renderStop),
    '',
  ].join('\n');
}

function renderStop({ cpuMs, ms, doing, functions = [] }: LoopStop): string[] {
  return [`  ${cpuMs.toFixed(0)} (${ms.toFixed(0)}) ${doing}`, ...functions.map((line) => `      ${line}`)];
}

await main();
