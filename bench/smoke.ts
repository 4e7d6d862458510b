import { runCases } from './run-cases.ts';

/** Far above what is measured: a neighbour's noise must not fail it, a mistake that costs double must. */
const most = { ratio: 3, rssMb: 300 };
const people = 10_000;

/**
 * A check for CI of half a minute: plans 10,000 people with changes and without, and fails when a plan takes more than
 * three times the floor, by the clock and by CPU time, or more memory than 300 MB.
 */
async function main(): Promise<void> {
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const results = await runCases({ people, cases: ['mixed', 'quiet'], repetitions: 3, say });
  for (const { case: name, plan, ratio, cpuRatio } of results) {
    const { peakRssMb, loopDelayMs } = plan;
    // A busy machine stretches the clock, not the CPU time: the better of the two is ours.
    const isSlow = Math.min(ratio, cpuRatio) > most.ratio;
    const isLarge = peakRssMb > most.rssMb;
    const figures = `${ratio.toFixed(2)} × floor (CPU ${cpuRatio.toFixed(2)} ×), ${peakRssMb.toFixed(0)} MB`;
    say(`${name}: ${figures}, event loop at most ${loopDelayMs.max.toFixed(0)} ms`);
    if (!isSlow && !isLarge) continue;
    say(
      `${name}: too ${isSlow ? `slow: at most ${most.ratio} × floor` : `large: at most ${most.rssMb} MB`} is allowed`,
    );
    process.exitCode = 1;
  }
}

await main();
