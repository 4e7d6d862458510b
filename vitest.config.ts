import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { memoryFolder } from './test/support/memory-folder.ts';
import { measureSlowness, slowly } from './test/support/slowness.ts';

// Which part of the random tests this run plays (test/support/drawn.ts). With the same seed it plays the same part.
process.env.TEST_SEED ??= String(Date.now() % 1_000_000);
process.env.TEST_SLOWNESS ??= measureSlowness().toFixed(1);
const { TEST_LONG: isLong, TEST_SEED: seed, TEST_SLOWNESS: slowness } = process.env;
process.stderr.write(`Time limits: times ${slowness} (TEST_SLOWNESS)\n`);
process.stderr.write(isLong ? 'Random tests: all seeds\n' : `Random tests: drawn by TEST_SEED=${seed}\n`);

// Temporary folders of tests and of the processes that they start.
const memory = memoryFolder();
if (memory !== undefined) process.env.TMPDIR ??= memory;
// Half of each start of a process is compiling.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');
// Programs in Go (helm, promtool, the compiler) end before collecting garbage pays.
process.env.GOGC ??= '400';

export default defineConfig({
  test: {
    // Only what hangs runs into them: a first start of a browser or a database on a busy machine takes its time.
    testTimeout: slowly(90_000),
    hookTimeout: slowly(120_000),
    expect: { poll: { timeout: slowly(30_000) } },
    // Tests wait for processes, databases and clocks for half of their time, so four workers fill two cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // The files of one worker share their modules: importing the product costs more than most files take. So no module
    // keeps state, whatever a test opens is closed by `onTestFinished`, and what is spied on is put back.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'architecture', include: ['test/architecture.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'unit',
          globalSetup: ['test/support/build-page.ts', 'test/support/programs.ts', 'test/support/parts.ts'],
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture.test.ts', 'test/e2e/**', 'test/chaos/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          globalSetup: ['test/support/build-page.ts', 'test/support/programs.ts'],
          include: ['test/e2e/**/*.test.ts', 'test/chaos/**/*.test.ts'],
          testTimeout: slowly(240_000),
        },
      },
    ],
  },
});
