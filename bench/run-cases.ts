import { type ChildProcess, fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchCase, storeFile } from './folder.ts';
import type { Measured, MeasuredWork } from './measure.ts';
import { median } from './median.ts';

export interface CaseResult {
  readonly people: number;
  readonly case: BenchCase;
  readonly floor: Measured;
  readonly plan: Measured;
  /** Median of the repetitions' own ratios: each plan against the floor measured just before it. */
  readonly ratio: number;
  /** The same of CPU time, which neighbours on the machine disturb less. */
  readonly cpuRatio: number;
}

export interface BenchOptions {
  readonly people: number;
  readonly cases: readonly BenchCase[];
  readonly repetitions: number;
  readonly say: (line: string) => void;
}

/** Prepares a folder, measures floor and plan in turns, each in a fresh process, and removes the folder. */
export async function runCases({ people, cases, repetitions, say }: BenchOptions): Promise<CaseResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  try {
    say(`preparing ${people} people`);
    await runChild({ file: 'prepare.ts', folder, args: [folder, String(people)] });
    const server = startChild({ file: 'page-server.ts', folder, args: [folder] });
    try {
      const url = (await server.message) as string;
      const results: CaseResult[] = [];
      for (const name of cases) results.push(await runCase(name, { folder, url, people, repetitions, say }));
      return results;
    } finally {
      server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runCase(
  name: BenchCase,
  place: { folder: string; url: string; people: number; repetitions: number; say: (line: string) => void },
): Promise<CaseResult> {
  const measure = async (work: MeasuredWork): Promise<Measured> => {
    // Plans pile up in a store; only the known ledger is worth keeping.
    if (name === 'first') await removeStore(place.folder);
    const args = [work, name, place.folder, place.url];
    const measured = (await startChild({ file: 'measure.ts', folder: place.folder, args }).message) as Measured;
    place.say(`  ${name} ${work}: ${measured.seconds.toFixed(2)} s, ${measured.peakRssMb.toFixed(0)} MB`);
    return measured;
  };
  const pairs: { floor: Measured; plan: Measured }[] = [];
  for (let i = 0; i < place.repetitions; i += 1) {
    const floor = await measure('floor');
    pairs.push({ floor, plan: await measure('plan') });
  }
  const { floor: firstFloor, plan: firstPlan } = pairs[0] ?? neverMeasured();
  if (name !== 'first' && Math.abs(firstFloor.seen - firstPlan.seen) > 0) {
    throw new Error(`floor and plan did not see the same: ${firstFloor.seen} and ${firstPlan.seen} records`);
  }
  return {
    people: place.people,
    case: name,
    floor: medians(pairs.map(({ floor }) => floor)),
    plan: medians(pairs.map(({ plan }) => plan)),
    ratio: median(pairs.map(({ floor, plan }) => plan.seconds / floor.seconds)),
    cpuRatio: median(pairs.map(({ floor, plan }) => plan.cpuSeconds / floor.cpuSeconds)),
  };
}

async function removeStore(folder: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(join(folder, storeFile('first') + end), { force: true });
}

function medians(all: readonly Measured[]): Measured {
  const of = (pick: (measured: Measured) => number): number => median(all.map(pick));
  return {
    seconds: of(({ seconds }) => seconds),
    cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
    peakRssMb: of(({ peakRssMb }) => peakRssMb),
    baseRssMb: of(({ baseRssMb }) => baseRssMb),
    loopDelayMs: { max: of(({ loopDelayMs }) => loopDelayMs.max), p99: of(({ loopDelayMs }) => loopDelayMs.p99) },
    changes: of(({ changes }) => changes),
    seen: of(({ seen }) => seen),
  };
}

function neverMeasured(): never {
  throw new RangeError('nothing was measured: at least one repetition is needed');
}

interface Child {
  /** Its first message; rejects when it ends before. */
  readonly message: Promise<unknown>;
  stop(): void;
}

interface ChildCall {
  readonly file: string;
  readonly folder: string;
  readonly args: readonly string[];
}

function startChild(call: ChildCall): Child {
  const child = forkBounded(call);
  const message = new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`bench/${call.file} ended with ${code} without a word`)));
  });
  return { message, stop: () => child.connected && child.disconnect() };
}

function runChild(call: ChildCall): Promise<void> {
  const child = forkBounded(call);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`bench/${call.file} ended with ${code}`))));
  });
}

/** The flags of the executable (src/main/cli.ts): without a bound V8 collects late, and memory tells of the machine. */
const memoryFlags = ['--max-old-space-size=1024', '--max-semi-space-size=8'];

/** The compile cache keeps what the types were stripped from: an installed Rollcall has no TypeScript to load. */
function forkBounded({ file, folder, args }: ChildCall): ChildProcess {
  return fork(join(import.meta.dirname, file), args, {
    execArgv: memoryFlags,
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') },
  });
}
