import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { files, type Reach, type Round } from './mutant-files.ts';

/**
 * Runs tests against mutants: first each test once, noting which mutants its code reaches; then, in rounds, each test
 * once more for every mutant that the round gives it and that no other test killed yet. Nothing is imported again
 * between two mutants, which makes it fast. The first and the last try of a test have no mutant: when one fails, the
 * test cannot be repeated, and what it killed does not count.
 */

interface Switches {
  readonly activeMutant: string | undefined;
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
  currentTestId?: string | undefined;
}

const folder = process.env.MUTATE_FOLDER ?? '.mutation';
let active: string | undefined;
let steps = 0;
let mostSteps = Number.POSITIVE_INFINITY;
/** Shared with the changed code, which is loaded later. */
const switches: Switches = {
  /** Every switch asks for it, which stops a mutant that loops for ever. */
  get activeMutant() {
    steps += 1;
    if (steps > mostSteps) throw new Error('the mutant loops');
    return active;
  },
  mutantCoverage: { static: {}, perTest: {} },
};
(globalThis as { __stryker__?: Switches }).__stryker__ = switches;

const nameOf = (test: RunnerTestCase) => `${test.file.name} > ${test.fullTestName}`;

let round: Round | undefined;

function readKilled(): Set<string> {
  const path = files.killed(folder);
  if (!existsSync(path)) return new Set();
  return new Set(
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split('\t')[0] ?? ''),
  );
}

// biome-ignore lint/style/noDefaultExport: Vitest asks for it.
export default class MutantRunner extends TestRunner {
  readonly #isDry = process.env.MUTATE_RUN === 'reach';
  /** The mutants of the current test, in the order of its repeats. */
  #queue: readonly string[] = [];
  #mostSteps = 0;
  #found: string[] = [];
  #usedBefore = process.cpuUsage();

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    this.#found = [];
    this.#queue = [];
    if (this.#isDry) {
      const loaded = Object.keys(switches.mutantCoverage.static);
      switches.mutantCoverage.static = {};
      if (loaded.length > 0) appendFileSync(files.static(folder), `${loaded.join('\n')}\n`);
      return;
    }
    round ??= JSON.parse(readFileSync(files.round(folder), 'utf8')) as Round;
    const killed = readKilled();
    const given = round[nameOf(test)];
    this.#queue = (given?.ids ?? []).filter((id) => !killed.has(id));
    this.#mostSteps = (given?.steps ?? 0) * 20 + 100_000;
    if (this.#queue.length === 0) test.mode = 'skip';
    // Before the first mutant the test runs once as it is, and once more after the last.
    test.repeats = this.#queue.length === 0 ? 0 : this.#queue.length + 1;
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options as never);
    if (this.#isDry) {
      switches.currentTestId = nameOf(test);
      this.#usedBefore = process.cpuUsage();
      steps = 0;
      return;
    }
    active = this.#queue[options.repeats - 1];
    steps = 0;
    // Also without a mutant: a loop that an earlier mutant left running never gives the test its turn.
    mostSteps = this.#queue.length === 0 ? Number.POSITIVE_INFINITY : this.#mostSteps;
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): Promise<void> {
    await super.onAfterRetryTask(test, options as never);
    active = undefined;
    if (this.#isDry) {
      switches.currentTestId = undefined;
      const ids = Object.keys(switches.mutantCoverage.perTest[nameOf(test)] ?? {});
      delete switches.mutantCoverage.perTest[nameOf(test)];
      const { user, system } = process.cpuUsage(this.#usedBefore);
      const one: Reach = { test: nameOf(test), ms: (user + system) / 1000, steps, ids };
      appendFileSync(files.reach(folder), `${JSON.stringify(one)}\n`);
      return;
    }
    const id = this.#queue[options.repeats - 1];
    const failed = test.result?.state === 'fail';
    if (id !== undefined && failed) this.#found.push(id);
    const isControl = id === undefined && this.#queue.length > 0;
    if (isControl && failed) {
      this.#found = [];
      appendFileSync(files.once(folder), `${nameOf(test)}\n`);
    } else if (isControl && options.repeats > 0 && this.#found.length > 0) {
      appendFileSync(files.killed(folder), this.#found.map((each) => `${each}\t${nameOf(test)}\n`).join(''));
    }
    // Thousands of failures are expected, and nobody reads them.
    if (test.result !== undefined) test.result = { ...test.result, errors: [], attempts: [] } as never;
  }
}
