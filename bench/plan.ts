import { parseArgs } from 'node:util';
import { type BenchCase, benchCases, caseMeaning } from './folder.ts';
import type { Measured } from './measure.ts';
import { type CaseResult, runCases } from './run-cases.ts';
import { alignedLines } from './table.ts';

/**
 * How long a plan takes, against the floor: reading and decoding both sides with the product's own decoders, and one
 * read of the ledger.
 *
 *   npm run bench -- [--people 10000,100000] [--cases mixed,quiet,first] [--repetitions 3] [--json]
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      people: { type: 'string', default: '10000,100000' },
      cases: { type: 'string', default: benchCases.join() },
      repetitions: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
    },
  });
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const cases = values.cases.split(',').map(benchCase);
  const repetitions = wholeNumber('--repetitions', values.repetitions);
  const results: CaseResult[] = [];
  for (const size of values.people.split(',')) {
    const people = wholeNumber('--people', size);
    results.push(...(await runCases({ people, cases, repetitions, say })));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ results }, undefined, 2)}\n` : table(results));
}

function benchCase(text: string): BenchCase {
  const known = benchCases.find((name) => name === text);
  if (known === undefined) throw new RangeError(`--cases knows ${benchCases.join(', ')}, not ${text}`);
  return known;
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new RangeError(`${option} takes whole numbers, not ${text}`);
  return number;
}

const head = [
  'people',
  'case',
  'floor s',
  'plan s',
  'ratio',
  'cpu',
  'floor MB',
  'plan MB',
  'changes',
  'loop max, p99 ms',
];

function table(results: readonly CaseResult[]): string {
  const rows = results.map(({ people, case: name, floor, plan, ratio, cpuRatio }) => [
    String(people),
    name,
    floor.seconds.toFixed(2),
    plan.seconds.toFixed(2),
    ratio.toFixed(2),
    cpuRatio.toFixed(2),
    floor.peakRssMb.toFixed(0),
    plan.peakRssMb.toFixed(0),
    String(plan.changes),
    loopDelay(floor),
    loopDelay(plan),
  ]);
  const lines = alignedLines(head, rows);
  const legend = [
    'ratio, cpu: plan / floor, by the clock and by CPU time',
    'loop: the event loop stood still, max and p99',
  ];
  return `${[...lines, '', ...legend, ...perPerson(results), ...meanings(results)].join('\n')}\n`;
}

/** Longest and 99th percentile: a busy machine stretches the floor's as well. */
function loopDelay({ loopDelayMs: { max, p99 } }: Measured): string {
  return `${max.toFixed(0)}, ${p99.toFixed(0)}`;
}

function meanings(results: readonly CaseResult[]): string[] {
  const names = new Set(results.map((result) => result.case));
  return [...names].map((name) => `${name}: ${caseMeaning[name]}`);
}

/** What one person more costs in memory, from the smallest to the largest size. */
function perPerson(results: readonly CaseResult[]): string[] {
  return benchCases.flatMap((name) => {
    const sizes = results.filter((result) => result.case === name).toSorted((a, b) => a.people - b.people);
    const [least, most] = [sizes[0], sizes.at(-1)];
    if (least === undefined || most === undefined || least === most) return [];
    const bytes = ((most.plan.peakRssMb - least.plan.peakRssMb) * 1e6) / (most.people - least.people);
    return [`${name}: ${bytes.toFixed(0)} bytes of memory for each further person`];
  });
}

await main();
