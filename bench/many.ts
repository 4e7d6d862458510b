import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { findPostgresPrograms, startPostgresServer } from '../test/support/services/postgres-server.ts';
import { findRedisProgram, startRedis } from '../test/support/services/redis.ts';
import { forkHere, nextMessage } from './child.ts';
import type { ManyPlatforms } from './many-platform.ts';
import type { ManyNews } from './many-run.ts';
import { alignedLines } from './table.ts';

interface ManyWorld {
  readonly syncs: number;
  readonly connections: number;
  readonly people: number;
  /** Every sync has this one slot. Undefined: the runs are requested. */
  readonly slot?: Date;
}

/**
 * A run of every sync is requested at once, or due at one minute with `--on-time`: how long the first and the last take, how long a run with a plan waits until its
 * first file goes out, and what the database does meanwhile. On SQLite one process does all; on PostgreSQL and Redis, one
 * with the scheduler and some workers. Each sync creates people of its own on sandboxes. Exits with 1 when a run does not
 * end well.
 *
 *   npm run bench:many -- [--syncs 200] [--connections 10] [--people 20] [--store sqlite|postgres] [--workers 2] [--on-time] [--json]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      syncs: { type: 'string', default: '200' },
      connections: { type: 'string', default: '10' },
      people: { type: 'string', default: '20' },
      store: { type: 'string', default: 'sqlite' },
      workers: { type: 'string', default: '2' },
      'on-time': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const world = {
    syncs: Number(values.syncs),
    connections: Number(values.connections),
    people: Number(values.people),
    ...(values['on-time'] ? { slot: minuteAfter(Date.now() + startMs) } : {}),
  };
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const platform = forkHere('many-platform.ts', String(world.connections));
  try {
    const platforms = (await nextMessage(platform)) as ManyPlatforms;
    const place = values.store === 'postgres' ? await openPostgres(folder, Number(values.workers)) : openSqlite(folder);
    try {
      const config = await writeWorld(folder, world, { platforms, settings: place.settings });
      const result = await measure(config, world, place);
      process.stdout.write(values.json ? `${JSON.stringify({ ...world, ...result })}\n` : render(world, result));
      process.exitCode = result.succeeded === world.syncs ? 0 : 1;
    } finally {
      await place.close();
    }
  } finally {
    platform.disconnect();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Enough for the processes to start. */
const startMs = 45_000;

function minuteAfter(ms: number): Date {
  return new Date(Math.ceil(ms / 60_000) * 60_000);
}

/** A store and its processes. */
interface Place {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly processes: number;
  query<T>(sql: string): Promise<readonly T[]>;
  /** Committed transactions so far. Undefined: the store does not count them. */
  transactions(): Promise<number | undefined>;
  close(): Promise<void>;
}

function openSqlite(folder: string): Place {
  const path = join(folder, 'rollcall.db');
  return {
    settings: { store: `sqlite:${path}` },
    processes: 1,
    async query<T>(sql: string) {
      const database = new Database(path, { readonly: true, timeout: 10_000 });
      try {
        return database.prepare<[], T>(sql).all();
      } finally {
        database.close();
      }
    },
    transactions: async () => undefined,
    close: async () => {},
  };
}

async function openPostgres(folder: string, processes: number): Promise<Place> {
  const [binaries, program] = [await findPostgresPrograms(), await findRedisProgram()];
  if (binaries === undefined) throw new Error('PostgreSQL is not here (Debian: postgresql)');
  if (program === undefined) throw new Error('redis-server is not in PATH (Debian: redis-server)');
  const [postgres, redis] = [await startPostgresServer(binaries, folder), await startRedis(program)];
  const store = `postgres://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${postgres.port}/postgres`;
  const client = new Client({ connectionString: store });
  await client.connect();
  const counted = 'select xact_commit::int as count from pg_stat_database where datname = current_database()';
  return {
    settings: { store, redis: redis.url },
    processes,
    query: async <T>(sql: string) => (await client.query(sql)).rows as readonly T[],
    transactions: async () => (await client.query<{ count: number }>(counted)).rows[0]?.count ?? 0,
    async close() {
      await client.end();
      await redis.close();
      await postgres.stop('fast');
    },
  };
}

interface Surroundings {
  readonly platforms: ManyPlatforms;
  readonly settings: Place['settings'];
}

/** Each sync has a file of people of its own, all of whom are created in its first run. */
async function writeWorld(
  folder: string,
  { syncs, people, slot }: ManyWorld,
  { platforms, settings }: Surroundings,
): Promise<string> {
  const limits = { requestsPerSecond: 1000, concurrency: 4 };
  const connections = platforms.map(({ url, accessToken }, i) => [`c${i}`, { baseUrl: url, accessToken, limits }]);
  const named: [string, unknown][] = [];
  for (let i = 0; i < syncs; i++) {
    const rows = Array.from({ length: people }, (_, n) => `S${i}-${n},Ana,Sync ${i},s${i}.${n}@example.com,active\n`);
    await writeFile(join(folder, `people-${i}.csv`), `id,first,last,mail,status\n${rows.join('')}`);
    named.push([
      `people-${i}`,
      {
        connection: `c${i % platforms.length}`,
        source: { kind: 'csv', path: `./people-${i}.csv`, complete: 'stable' },
        policy: 'sync',
        delivery: 'csv',
        mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
        lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
        guards: { creates: { absolute: people, percent: 100 } },
        settle: { every: '1s' },
        ...(slot === undefined ? {} : { schedule: { cron: yearly(slot) } }),
      },
    ]);
  }
  const path = join(folder, 'rollcall.json');
  const config = { ...settings, connections: Object.fromEntries(connections), syncs: Object.fromEntries(named) };
  await writeFile(path, JSON.stringify(config));
  return path;
}

/** The cron pattern of this minute, in UTC. */
function yearly(slot: Date): string {
  return `${slot.getUTCMinutes()} ${slot.getUTCHours()} ${slot.getUTCDate()} ${slot.getUTCMonth() + 1} *`;
}

interface Result {
  readonly succeeded: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Seconds from the request, or from the slot, until a run starts and until it ends. */
  readonly start: { readonly half: number; readonly longest: number };
  readonly first: number;
  readonly half: number;
  readonly last: number;
  /** Longest time in which no run ended, in seconds: steady work has none that stands out. */
  readonly longestPause: number;
  /** Seconds from a plan to its first file: waits for files of other runs included. */
  readonly delivery: { readonly half: number; readonly longest: number };
  readonly transactionsPerSecond: number | undefined;
  readonly transactionsPerRun: number | undefined;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
}

const pollMs = 500;
const giveUpMs = 30 * 60_000;

async function measure(config: string, { syncs, slot }: ManyWorld, place: Place): Promise<Result> {
  const children: ChildProcess[] = [];
  try {
    for (let i = 0; i < place.processes; i++) {
      const child = forkHere('many-run.ts', JSON.stringify({ config, role: i === 0 ? 'all' : 'worker' }));
      children.push(child);
      await nextMessage(child);
    }
    const [leader] = children;
    if (leader === undefined) throw new Error('there must be a process');
    const before = await place.transactions();
    const beganAt = slot?.getTime() ?? Date.now();
    if (slot === undefined) {
      const requested = nextMessage(leader);
      leader.send('request');
      await requested;
    }
    const ended = 'select count(*) as count from runs where ended_at is not null';
    while (Number((await place.query<{ count: number | string }>(ended))[0]?.count ?? 0) < syncs) {
      if (Date.now() - beganAt > giveUpMs)
        throw new Error(`not every run has ended within ${giveUpMs / 60_000} minutes`);
      await wait(pollMs);
    }
    const seconds = (Date.now() - beganAt) / 1000;
    const used: ManyNews[] = [];
    for (const child of children) {
      const news = nextMessage(child) as Promise<ManyNews>;
      child.send('used');
      used.push(await news);
    }
    // PostgreSQL counts what a backend did up to a second late.
    await wait(1500);
    const after = await place.transactions();
    const done = before === undefined || after === undefined ? undefined : after - before;
    return {
      ...(await read(place, beganAt)),
      transactionsPerSecond: done === undefined ? undefined : done / seconds,
      transactionsPerRun: done === undefined ? undefined : done / syncs,
      cpuSeconds: used.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000,
      peakRssMb: Math.max(...used.map(({ peakRssMb }) => peakRssMb)),
    };
  } finally {
    for (const child of children) {
      child.disconnect();
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
}

interface RunTimes {
  readonly started_at: number | string;
  readonly ended_at: number | string;
  readonly outcome: string;
  readonly phases: string;
  readonly sent_at: number | string | null;
}

type Read = Pick<Result, 'succeeded' | 'outcomes' | 'start' | 'first' | 'half' | 'last' | 'longestPause' | 'delivery'>;

async function read(place: Place, beganAt: number): Promise<Read> {
  const rows = await place.query<RunTimes>(
    'select started_at, ended_at, outcome, phases, (select min(sent_at) from batches where batches.run = runs.id) as sent_at from runs',
  );
  const ends = rows.map(({ ended_at }) => (Number(ended_at) - beganAt) / 1000).sort((a, b) => a - b);
  const starts = rows.map(({ started_at }) => (Number(started_at) - beganAt) / 1000).sort((a, b) => a - b);
  const outcomes: Record<string, number> = {};
  for (const { outcome } of rows) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const waits = rows.flatMap(({ phases, sent_at }) => {
    const { spent } = JSON.parse(phases) as { spent: readonly (readonly [string, number, number])[] };
    const plannedAt = spent.find(([phase]) => phase === 'delivering')?.[1];
    return plannedAt === undefined || sent_at === null ? [] : [(Number(sent_at) - plannedAt) / 1000];
  });
  waits.sort((a, b) => a - b);
  return {
    succeeded: outcomes.succeeded ?? 0,
    outcomes,
    start: { half: starts[Math.floor(starts.length / 2)] ?? 0, longest: starts.at(-1) ?? 0 },
    first: ends[0] ?? 0,
    half: ends[Math.floor(ends.length / 2)] ?? 0,
    last: ends.at(-1) ?? 0,
    longestPause: Math.max(0, ...ends.map((end, i) => end - (ends[i - 1] ?? end))),
    delivery: { half: waits[Math.floor(waits.length / 2)] ?? 0, longest: waits.at(-1) ?? 0 },
  };
}

function render({ syncs, connections, people }: ManyWorld, result: Result): string {
  const { outcomes, start, first, half, last, longestPause, delivery, transactionsPerSecond, transactionsPerRun } =
    result;
  const s = (seconds: number): string => `${seconds.toFixed(1)} s`;
  const ends = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  const rows = [
    ['start, median', s(start.half)],
    ['start, longest', s(start.longest)],
    ['first run ends', s(first)],
    ['half of them', s(half)],
    ['last', s(last)],
    ['longest time without an end', s(longestPause)],
    ['plan to first file, median', s(delivery.half)],
    ['plan to first file, longest', s(delivery.longest)],
    ['transactions a second', transactionsPerSecond?.toFixed(0) ?? '–'],
    ['transactions for each run', transactionsPerRun?.toFixed(0) ?? '–'],
    ['CPU', s(result.cpuSeconds)],
    ['peak RSS', `${result.peakRssMb.toFixed(0)} MB`],
  ];
  const head = `${syncs} syncs of ${people} people on ${connections} connections: ${ends.join(', ')}\n`;
  return `${head}${alignedLines(['', ''], rows).join('\n')}\n`;
}

await main();
