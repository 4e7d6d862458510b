import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { forkHere, nextMessage } from './child.ts';
import type { LoopStop } from './loop-stops.ts';
import { type ResponsiveNews, type ResponsiveOrder, type StepWatched, token } from './responsive-order.ts';
import { alignedLines } from './table.ts';
import { writeUpdatesWorld } from './updates-world.ts';
import { type Load, startLoad } from './wrk.ts';

/**
 * How soon `rollcall start` answers while it does a first run of many updates or creates, how long its event loop stands
 * still, and how much time and memory each step takes: one process with SQLite, server and work; the platform and the
 * load (wrk; Debian: wrk) in processes of their own.
 *
 *   npm run bench:responsive -- [--people 100000] [--batch-rows 10000] [--creates] [--held] [--store postgres://…]
 *                               [--light] [--connections 2] [--pause-ms 20] [--explain] [--json]
 *
 * --creates: a first load; only 100 of the people have an account. --store: an empty PostgreSQL database. --light: asks
 * for /healthz and the run only.
 * --held: a guard holds all of it. --connections, --pause-ms: to each address, with a rest after each answer; a load tool
 * without one measures how much a machine can do, not how soon it answers. --explain: what the longest stops were spent
 * on, by a profiler that makes them longer.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '100000' },
      'batch-rows': { type: 'string', default: '10000' },
      creates: { type: 'boolean', default: false },
      held: { type: 'boolean', default: false },
      light: { type: 'boolean', default: false },
      store: { type: 'string' },
      connections: { type: 'string', default: '2' },
      'pause-ms': { type: 'string', default: '20' },
      explain: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const present = values.creates ? '100' : values.people;
  const platform = forkHere('fast-platform.ts', present, ['--max-old-space-size=6144']);
  try {
    const config = await writeUpdatesWorld({
      people: Number(values.people),
      batchRows: Number(values['batch-rows']),
      folder,
      store: values.store,
      url: (await nextMessage(platform)) as string,
      also: { server: { port: 0, tokens: [{ name: 'bench', role: 'viewer', token }], requestsPerMinute: 100_000 } },
      ...(values.held ? { allowed: 1 } : {}),
    });
    const { connections, light } = values;
    const pace = { connections: Number(connections), pauseMs: Number(values['pause-ms']), light };
    const found = await measure({ config, explain: values.explain }, pace, folder);
    const storeMb = await sizeOfStore(folder);
    process.stdout.write(
      values.json ? `${JSON.stringify({ ...found, storeMb }, undefined, 2)}\n` : render(found, storeMb),
    );
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

interface Pace {
  readonly connections: number;
  readonly pauseMs: number;
  readonly light: boolean;
}

async function measure(order: ResponsiveOrder, pace: Pace, folder: string): Promise<Found> {
  const worker = forkHere('responsive-run.ts', JSON.stringify(order));
  try {
    return await watch(worker, pace, folder);
  } catch (error) {
    // It would wait for its parent for ever.
    worker.kill();
    throw error;
  }
}

async function watch(worker: ChildProcess, { light, ...pace }: Pace, folder: string): Promise<Found> {
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
  const early = await Promise.all([loading('/healthz'), ...(light ? [] : [loading('/readyz'), loading('/api/runs')])]);
  worker.send('go');
  const { run } = await next('running');
  const end = next('ended');
  const late = await Promise.all([
    loading(`/api/runs/${run}`),
    ...(light ? [] : heavyPaths(run).map(({ path, ...more }) => loading(path, more))),
  ]);
  const ended = await end;
  const loads: { path: string; load: Load }[] = [before];
  for (const { path, stop } of [...early, ...late]) loads.push({ path: path.replace(run, 'RUN'), load: await stop() });
  worker.send('stop');
  return { ended, loads };
}

/** Size of the SQLite database, its log included, in megabytes of 10^6 bytes. */
async function sizeOfStore(folder: string): Promise<number> {
  const files = (await readdir(folder)).filter((name) => name.startsWith('rollcall.db'));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

function heavyPaths(run: string): { path: string; connections?: number; pauseMs?: number }[] {
  return [
    { path: `/api/runs/${run}/changes` },
    { path: '/api/syncs/people/people/E000001/history' },
    { path: '/metrics', connections: 1, pauseMs: 1000 },
    // It reads the HR file and asks the platform: not something to be asked many times a second.
    { path: '/api/syncs/people/people/E000001', connections: 1, pauseMs: 5000 },
  ];
}

function render({ ended, loads }: Found, storeMb: number): string {
  const { outcome, changes, seconds, cpuSeconds, idleRssMb, peakRssMb, loop, steps } = ended;
  const perHour = Math.round((changes / seconds) * 3600).toLocaleString('en');
  const ms = (value: number): string => value.toFixed(1).padStart(8);
  return [
    `${changes} changes, ${outcome}: ${seconds.toFixed(1)} s, ${perHour} an hour, CPU ${cpuSeconds.toFixed(1)} s, memory ${idleRssMb.toFixed(0)} MB idle, ${peakRssMb.toFixed(0)} MB at most, SQLite ${storeMb.toFixed(0)} MB`,
    '',
    ...alignedLines(stepHead, steps.map(rowOf)),
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

const stepHead = ['step', 'seconds', 'CPU s', 'RSS MB', 'heap MB', 'buffers MB'];

function rowOf({ step, seconds, cpuSeconds, rssMb, heapMb, bufferMb }: StepWatched): string[] {
  return [step, seconds.toFixed(1), cpuSeconds.toFixed(1), ...[rssMb, heapMb, bufferMb].map((mb) => mb.toFixed(0))];
}

function renderStop({ cpuMs, ms, doing, functions = [] }: LoopStop): string[] {
  return [`  ${cpuMs.toFixed(0)} (${ms.toFixed(0)}) ${doing}`, ...functions.map((line) => `      ${line}`)];
}

await main();
