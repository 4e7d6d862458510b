import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadOrder, LoadResult } from './load-run.ts';
import { alignedLines } from './table.ts';

const usage = 'npm run bench:load [-- --from 5000 --to 100000]\n';

/** Above these a load costs too much: requests by the floor, and requests of twice as many changes. */
const most = { ratio: 1.5, growth: 2.1 };

/**
 * Measures what a load costs the platform: half creates, half updates, in files of 1,000 rows, against a sandbox in a
 * process of its own with pages of 100 users. Doubles the number of changes from `--from` to `--to`. Fails when the
 * requests are too many by the floor, or grow faster than the load.
 */
async function main(): Promise<void> {
  const to = readNumber('to', 20_000);
  const results: LoadResult[] = [];
  for (let changes = readNumber('from', 5000); changes <= to; changes *= 2) results.push(await measure(changes));
  const head = ['changes', 'plan', 'lookups', 'uploads', 'polls', 'read back', 'requests', 'floor', 'ratio', 'growth'];
  const rows = results.map((result, i) => rowOf(result, results[i - 1]));
  const also = ['seconds', 'accounts/h', 'peak RSS MB'];
  const whole = results.map((result, i) => [...(rows[i] ?? []), ...speedOf(result)]);
  for (const line of alignedLines([...head, ...also], whole)) say(line);
  for (const [i, result] of results.entries()) judge(result, results[i - 1]);
}

function rowOf(result: LoadResult, before: LoadResult | undefined): string[] {
  const { planning, lookups, uploads, polls, readBack } = result.requests;
  const counts = [result.changes, planning, lookups, uploads, polls, readBack, totalOf(result), result.floor];
  const growth = before === undefined ? '' : (totalOf(result) / totalOf(before)).toFixed(2);
  return [...counts.map((count) => count.toLocaleString('en')), ratioOf(result).toFixed(2), growth];
}

function speedOf({ changes, seconds, peakRssMb }: LoadResult): string[] {
  const perHour = Math.round((changes / seconds) * 3600);
  return [seconds.toFixed(1), perHour.toLocaleString('en'), peakRssMb.toFixed(0)];
}

function judge(result: LoadResult, before: LoadResult | undefined): void {
  const { changes, outcome } = result;
  if (outcome !== 'succeeded') fail(`${changes} changes: ${outcome}`);
  if (ratioOf(result) > most.ratio) fail(`${changes} changes: more than ${most.ratio} × floor`);
  if (before !== undefined && totalOf(result) / totalOf(before) > most.growth) {
    fail(`${changes} changes: more than ${most.growth} × the requests of half of them`);
  }
}

function totalOf({ requests }: LoadResult): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

function ratioOf(result: LoadResult): number {
  return totalOf(result) / result.floor;
}

async function measure(changes: number): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-load-'));
  try {
    const order: LoadOrder = { changes, folder };
    const child = fork(join(import.meta.dirname, 'load-run.ts'), [JSON.stringify(order)], {
      execArgv: ['--max-semi-space-size=8', '--max-old-space-size=1024'],
    });
    return await new Promise((resolve, reject) => {
      child.once('message', (result) => resolve(result as LoadResult));
      child.once('exit', (code) => reject(new Error(`the load of ${changes} changes has ended with ${code}`)));
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readNumber(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return otherwise;
  const value = Number(process.argv[at + 1]);
  if (Number.isInteger(value) && value > 0) return value;
  process.stderr.write(`--${name} needs a whole number above 0. Usage: ${usage}`);
  process.exit(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(message: string): void {
  say(message);
  process.exitCode = 1;
}

await main();
