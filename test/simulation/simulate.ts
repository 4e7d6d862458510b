import { availableParallelism } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Played, play } from './world.ts';

/** What one thread is asked for: every `step`th seed of the list, beginning with the `offset`th. */
interface Share {
  readonly first: number;
  readonly seeds: number;
  readonly offset: number;
  readonly step: number;
}

type Result = { readonly played: Omit<Played, 'story'> } | { readonly seed: number; readonly broken: string };

const usage = 'npm run simulate [-- --seeds 5000] [--first 1] [--seed N]\n';

async function playSeed(seed: number, tell?: (line: string) => void): Promise<Result> {
  try {
    const { story: _told, ...played } = await play(seed, tell);
    return { played };
  } catch (error) {
    return { seed, broken: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' };
  }
}

/** In a thread: plays its share and tells each result. */
async function playShare({ first, seeds, offset, step }: Share): Promise<void> {
  for (let i = offset; i < seeds; i += step) parentPort?.postMessage(await playSeed(first + i));
}

function readNumber(name: string): number | undefined {
  const at = process.argv.indexOf(`--${name}`);
  if (at === -1) return undefined;
  const value = Number(process.argv[at + 1]);
  if (!Number.isInteger(value) || value < 0) {
    process.stderr.write(`--${name} needs a whole number. Usage: ${usage}`);
    process.exit(2);
  }
  return value;
}

/** One seed, twice: the two stories must be the same to the last letter. */
async function replay(seed: number): Promise<number> {
  const result = await playSeed(seed, (line) => process.stdout.write(`${line}\n`));
  if ('broken' in result) {
    process.stdout.write(`seed ${seed}: ${result.broken}\n`);
    return 1;
  }
  const [one, other] = [await play(seed), await play(seed)];
  const isSame = one.story === other.story;
  process.stdout.write(
    `seed ${seed}: ${JSON.stringify(result.played)}${isSame ? '' : ' - and two plays of it differ'}\n`,
  );
  return isSame ? 0 : 1;
}

async function playMany(first: number, seeds: number): Promise<number> {
  const startedAt = performance.now();
  const step = Math.max(1, Math.min(8, availableParallelism()));
  const sums = { seeds: 0, runs: 0, effects: 0, crashes: 0, stalls: 0, repeated: 0, held: 0, unresolved: 0, deltas: 0 };
  const broken: number[] = [];
  const onResult = (result: Result): void => {
    sums.seeds += 1;
    if ('broken' in result) {
      broken.push(result.seed);
      process.stdout.write(
        `seed ${result.seed}: ${result.broken}\n  again: npm run simulate -- --seed ${result.seed}\n`,
      );
      return;
    }
    const { seed: _seed, ...counts } = result.played;
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) sums[name] += counts[name];
  };
  const threads = Array.from({ length: step }, (_, offset) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { first, seeds, offset, step } satisfies Share });
    thread.on('message', onResult);
    return new Promise<void>((resolve, reject) => {
      thread.on('error', reject);
      thread.on('exit', () => resolve());
    });
  });
  await Promise.all(threads);
  const seconds = (performance.now() - startedAt) / 1000;
  const told = Object.entries(sums).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`${told.join(', ')} in ${seconds.toFixed(1)} s; ${broken.length} broke a promise\n`);
  return broken.length === 0 && sums.seeds === seeds ? 0 : 1;
}

if (parentPort !== null) await playShare(workerData as Share);
else {
  const one = readNumber('seed');
  process.exitCode =
    one === undefined ? await playMany(readNumber('first') ?? 1, readNumber('seeds') ?? 5000) : await replay(one);
}
