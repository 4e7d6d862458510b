import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { forkHere, nextMessage } from './child.ts';
import { median } from './median.ts';
import { floorMeaning, type SourceCase, type SourcePlace, sourceCases } from './sources-cases.ts';
import type { PlaceNews, PlaceOrder } from './sources-place.ts';
import type { SourceMeasured, SourceOrder, SourceWork } from './sources-run.ts';
import { alignedLines } from './table.ts';

/**
 * What reading a source to its end costs, against the floor: the same people read and decoded by the plain library alone.
 * Each measurement in a fresh process, in alternating order; databases and servers are processes of their own.
 *
 *   npm run bench:sources -- [--people 100000] [--kinds csv,sqlite,postgres,rest,scim] [--repetitions 3] [--json]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '100000' },
      kinds: { type: 'string', default: sourceCases.join() },
      repetitions: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const names = values.kinds.split(',').map(sourceCase);
  const [people, repetitions] = [Number(values.people), Number(values.repetitions)];
  const results: SourceResult[] = [];
  for (const name of names) {
    const result = await measureCase(name, people, repetitions);
    if (result !== undefined) results.push(result);
  }
  process.stdout.write(values.json ? `${JSON.stringify({ people, results }, undefined, 2)}\n` : table(results));
}

function sourceCase(text: string): SourceCase {
  const known = sourceCases.find((name) => name === text);
  if (known === undefined) throw new RangeError(`--kinds knows ${sourceCases.join(', ')}, not ${text}`);
  return known;
}

interface SourceResult {
  readonly kind: SourceCase;
  readonly people: number;
  /** Medians of the repetitions. */
  readonly floor: SourceMeasured;
  readonly read: SourceMeasured;
  /** Medians of the pairs' own ratios: each read against the floor measured beside it. */
  readonly ratio: number;
  readonly cpuRatio: number;
  readonly rssRatio: number;
}

type Pair = Readonly<Record<SourceWork, SourceMeasured>>;

/** Undefined, told in one line, where the case cannot be had on this machine. */
async function measureCase(name: SourceCase, people: number, repetitions: number): Promise<SourceResult | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-bench-'));
  const order: PlaceOrder = { case: name, people, folder };
  const holder = forkHere('sources-place.ts', JSON.stringify(order));
  const gone = once(holder, 'exit');
  try {
    const news = (await nextMessage(holder)) as PlaceNews;
    if (news.kind === 'ready') return summary(name, await measurePairs(name, { folder, url: news.url }, repetitions));
    say(`  ${name} is left out: ${news.why}`);
    return undefined;
  } finally {
    if (holder.connected) holder.disconnect();
    await gone;
    await rm(folder, { recursive: true, force: true });
  }
}

async function measurePairs(name: SourceCase, place: SourcePlace, repetitions: number): Promise<Pair[]> {
  const measure = async (work: SourceWork): Promise<SourceMeasured> => {
    const order: SourceOrder = { work, case: name, place };
    const measured = (await nextMessage(forkHere('sources-run.ts', JSON.stringify(order)))) as SourceMeasured;
    const { seconds, cpuSeconds, peakRssMb } = measured;
    say(`  ${name} ${work}: ${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${peakRssMb.toFixed(0)} MB`);
    return measured;
  };
  const pairs: Pair[] = [];
  for (let i = 0; i < repetitions; i += 1) {
    // Whoever comes second meets another machine: the order alternates.
    const first = i % 2 === 0 ? await measure('floor') : undefined;
    const read = await measure('read');
    const floor = first ?? (await measure('floor'));
    if (floor.people !== read.people) {
      throw new Error(`${name}: the floor saw ${floor.people} people, the source ${read.people}`);
    }
    pairs.push({ floor, read });
  }
  return pairs;
}

function summary(kind: SourceCase, pairs: readonly Pair[]): SourceResult {
  const medians = (work: SourceWork): SourceMeasured => {
    const of = (pick: (one: SourceMeasured) => number): number => median(pairs.map((pair) => pick(pair[work])));
    return {
      seconds: of(({ seconds }) => seconds),
      cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
      peakRssMb: of(({ peakRssMb }) => peakRssMb),
      baseRssMb: of(({ baseRssMb }) => baseRssMb),
      people: of(({ people }) => people),
    };
  };
  const ratioOf = (pick: (one: SourceMeasured) => number): number =>
    median(pairs.map(({ floor, read }) => pick(read) / pick(floor)));
  const [floor, read] = [medians('floor'), medians('read')];
  return {
    kind,
    people: read.people,
    floor,
    read,
    ratio: ratioOf(({ seconds }) => seconds),
    cpuRatio: ratioOf(({ cpuSeconds }) => cpuSeconds),
    rssRatio: ratioOf(({ peakRssMb }) => peakRssMb),
  };
}

const head = ['kind', 'people', 'floor s', 'read s', 'ratio', 'floor CPU', 'read CPU', 'ratio', 'floor MB', 'read MB'];

function table(results: readonly SourceResult[]): string {
  const rows = results.map(({ kind, people, floor, read, ratio, cpuRatio, rssRatio }) => [
    kind,
    String(people),
    floor.seconds.toFixed(2),
    read.seconds.toFixed(2),
    ratio.toFixed(2),
    floor.cpuSeconds.toFixed(2),
    read.cpuSeconds.toFixed(2),
    cpuRatio.toFixed(2),
    floor.peakRssMb.toFixed(0),
    read.peakRssMb.toFixed(0),
    rssRatio.toFixed(2),
  ]);
  const legend = results.map(({ kind }) => `${kind}: the floor is ${floorMeaning[kind]}`);
  const base = Math.max(...results.map(({ read }) => read.baseRssMb));
  const memory = `memory is of the whole process, which has up to ${base.toFixed(0)} MB before it reads`;
  return `${[...alignedLines([...head, 'ratio'], rows), '', memory, ...legend].join('\n')}\n`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

await main();
