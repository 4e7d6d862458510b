import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import type { Role } from '../src/app/app-io.ts';
import { findPostgresPrograms, type OwnServer, startPostgresServer } from '../test/support/services/postgres-server.ts';
import { run } from '../test/support/services/programs.ts';
import { findRedisProgram, startRedis } from '../test/support/services/redis.ts';
import { forkHere, nextMessage } from './child.ts';
import type { IdleNews, IdleOrder } from './idle-run.ts';
import { alignedLines } from './table.ts';

/** What one process of many idle syncs may cost: transactions a second, and percent of one core. */
const most = { transactions: 5, cpuPercent: 2 };

/**
 * What idle syncs cost: a scheduler and a worker over PostgreSQL and Redis, each alone for a while, in a process of its
 * own. Transactions are counted by the server (`pg_stat_database`). Needs PostgreSQL and redis-server. Exits with 1 when
 * the scheduler costs more than it may.
 *
 *   npm run bench:idle -- [--syncs 200] [--seconds 60] [--cron "0 3 1 1 *"] [--json]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      syncs: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '60' },
      cron: { type: 'string', default: '0 3 1 1 *' },
      json: { type: 'boolean', default: false },
    },
  });
  const [binaries, program] = [await findPostgresPrograms(), await findRedisProgram()];
  if (binaries === undefined) throw new Error('PostgreSQL is not here (Debian: postgresql)');
  if (program === undefined) throw new Error('redis-server is not in PATH (Debian: redis-server)');
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const [postgres, redis] = [await startPostgresServer(binaries, folder), await startRedis(program)];
  try {
    const store = `postgres://${postgres.user}:${encodeURIComponent(postgres.password)}@127.0.0.1:${postgres.port}/postgres`;
    const [syncs, seconds] = [Number(values.syncs), Number(values.seconds)];
    const config = await writeConfig(folder, { store, redis: redis.url, syncs, cron: values.cron });
    const results: Idle[] = [];
    for (const role of ['scheduler', 'worker'] as const) {
      results.push(await measure({ config, role }, { store, postgres, seconds }));
    }
    process.stdout.write(
      values.json ? `${JSON.stringify({ syncs, seconds, results }, undefined, 2)}\n` : table(results),
    );
    const [scheduler] = results;
    const isMuch = (scheduler?.transactions ?? 0) > most.transactions || (scheduler?.cpuPercent ?? 0) > most.cpuPercent;
    process.exitCode = isMuch ? 1 : 0;
  } finally {
    await redis.close();
    await postgres.stop('fast');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface IdleWorld {
  readonly store: string;
  readonly redis: string;
  readonly syncs: number;
  readonly cron: string;
}

/** Syncs whose next slot is months away. Nothing answers at the platform: no run is due. */
async function writeConfig(folder: string, { store, redis, syncs, cron }: IdleWorld): Promise<string> {
  const sync = {
    connection: 'acme',
    schedule: { cron, timezone: 'UTC' },
    source: { kind: 'csv', path: './employees.csv', complete: 'stable' },
    policy: 'sync',
    mapping: { identification: 'id', firstName: 'first', lastName: 'last', email: 'mail' },
    lifecycle: { status: 'status', active: ['active'], leaver: ['left'] },
  };
  const named = Array.from({ length: syncs }, (_, i) => [`people-${i + 1}`, sync]);
  const acme = { baseUrl: 'http://127.0.0.1:9', accessToken: 'unused' };
  const path = join(folder, 'rollcall.json');
  const config = { store, redis, connections: { acme }, syncs: Object.fromEntries(named) };
  await writeFile(path, JSON.stringify(config));
  return path;
}

interface Idle {
  readonly role: Role;
  /** Committed transactions of the database a second. */
  readonly transactions: number;
  /** Of one core, by the process. */
  readonly cpuPercent: number;
  /** Of one core, by the PostgreSQL server. */
  readonly serverCpuPercent: number;
}

interface Place {
  readonly store: string;
  readonly postgres: OwnServer;
  readonly seconds: number;
}

/** After the start, each sync is judged once by the alerts: this is over soon. */
const settleMs = 15_000;

async function measure(order: IdleOrder, { store, postgres, seconds }: Place): Promise<Idle> {
  const child = forkHere('idle-run.ts', JSON.stringify(order));
  await nextMessage(child);
  await wait(settleMs);
  const [before, beganAt] = [await look(child, store, postgres), performance.now()];
  await wait(seconds * 1000);
  const [after, passedMs] = [await look(child, store, postgres), performance.now() - beganAt];
  child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
  return {
    role: order.role,
    // The look itself is one of them.
    transactions: (after.transactions - before.transactions - 1) / (passedMs / 1000),
    cpuPercent: ((after.cpuMs - before.cpuMs) / passedMs) * 100,
    serverCpuPercent: ((after.serverCpuMs - before.serverCpuMs) / passedMs) * 100,
  };
}

interface Look {
  readonly transactions: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
}

async function look(child: ChildProcess, store: string, postgres: OwnServer): Promise<Look> {
  const used = nextMessage(child) as Promise<IdleNews>;
  child.send('how much?');
  const news = await used;
  const transactions = await countTransactions(store);
  return { transactions, cpuMs: news.kind === 'used' ? news.cpuMs : 0, serverCpuMs: await serverCpu(postgres) };
}

/** Backends report what they did up to a second late, and once a minute when idle: the measured minute has both ends late. */
async function countTransactions(store: string): Promise<number> {
  const client = new Client({ connectionString: store });
  await client.connect();
  try {
    const query = 'select xact_commit::int as count from pg_stat_database where datname = current_database()';
    return (await client.query<{ count: number }>(query)).rows[0]?.count ?? 0;
  } finally {
    await client.end();
  }
}

/** User and system time of all processes of the server, from `/proc` (ticks of 10 ms). */
async function serverCpu({ port }: OwnServer): Promise<number> {
  const listed = await run('ps', ['-eo', 'pid,ppid,args']);
  const rows = listed.split('\n').map((line) => line.trim().split(/\s+/));
  const main = rows.find((row) => row.some((word) => word === `port=${port}`))?.[0];
  const pids = rows.filter(([pid, parent]) => pid === main || parent === main).map(([pid]) => pid);
  const ticks = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const [user = 0, system = 0] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13)
        .map(Number);
      return user + system;
    }),
  );
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

function table(results: readonly Idle[]): string {
  const rows = results.map(({ role, transactions, cpuPercent, serverCpuPercent }) => [
    role,
    transactions.toFixed(1),
    cpuPercent.toFixed(1),
    serverCpuPercent.toFixed(1),
  ]);
  const head = ['process', 'transactions/s', 'CPU %', 'CPU % of the server'];
  return `${alignedLines(head, rows).join('\n')}\n`;
}

await main();
