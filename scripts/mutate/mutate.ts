import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { type CodeChange, instrument } from './instrument.ts';
import { files, type Reach, type Round } from './mutant-files.ts';
import { type Accepted, judgeSurvivors, type Mutant, renderJudgement } from './survivors.ts';

/** Less than this score, in percent, fails. */
const leastPercent = 90;
/**
 * A test that takes longer with a mutant killed it. Long, because other work on the machine must kill nothing; loops end
 * by their steps. Several wait at once, so there are more workers than processors.
 */
const timeoutMs = 10_000;
/** A test that needs more CPU time without a mutant is too slow to try hundreds of them. */
const slowMs = 1_500;
/**
 * How many tests try a mutant in each round, nearest first. A mutant that outlives all of them survives. What decides a
 * plan is reached by more than a hundred near tests, so the last round is long; only the last mutants are in it.
 */
const rounds = [4, 16, 140];
const usage = 'npm run mutate [-- FOLDER_OR_FILE…] [--sample N] [--tests PART_OF_PATH]\n';
/**
 * `--sample 8` tries each eighth mutant: an estimate of the score of a large folder in an eighth of the time.
 * `--tests undo` tries only the tests whose path contains it: quick while one of them is written. Accepted survivors are
 * not checked for being stale with either.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: 'string', default: '1' }, tests: { type: 'string', multiple: true, default: [] } },
});
const sample = Number(values.sample);
if (!Number.isInteger(sample) || sample < 1) throw new Error(`--sample must be a whole number. Usage: ${usage}`);

const root = join(import.meta.dirname, '../..');
const acceptedFile = join(root, 'test/mutation/accepted.json');
const scratch = join(root, '.mutation');
/** What is mutated, each with the tests of the same name: `test/core` for `src/core`. */
const folders = ['src/core', 'src/run', 'src/delivery', 'src/platform/tokens'];

/** Names a folder or file from the root. Throws when it is not in a folder that is mutated. */
function nameOf(path: string): string {
  const name = relative(root, resolve(path));
  if (!existsSync(join(root, name)) || !folders.some((folder) => isIn(folder, name)))
    throw new Error(`${path} is not in ${folders.join(', ')}. Usage: ${usage}`);
  return name;
}

const isIn = (folder: string, name: string): boolean => name === folder || name.startsWith(`${folder}/`);

/** Runs the tests of one folder against the mutants of what was asked for in it. */
async function mutantsOf(folder: string, names: readonly string[]): Promise<Mutant[]> {
  const paths = names.flatMap((name) => (name.endsWith('.ts') ? [name] : globSync(`${name}/**/*.ts`, { cwd: root })));
  const { code, changes: all } = await instrument(paths.map((path) => join(root, path)));
  const changes = all.filter((_, i) => i % sample === 0);
  const tried = new Set(changes.map(({ id }) => id));
  const runFolder = join(scratch, folder.replaceAll('/', '-'));
  rmSync(runFolder, { recursive: true, force: true });
  mkdirSync(runFolder, { recursive: true });
  process.env.MUTATE_FOLDER = runFolder;
  // The same part of the random tests in each run.
  process.env.TEST_SEED ??= '1';
  const run = async (kind: 'reach' | 'kill'): Promise<void> => {
    process.env.MUTATE_RUN = kind;
    const vitest = await startVitest(
      'test',
      values.tests,
      {
        root,
        config: false,
        // Its keys do not cover the switches: it would give code without mutants, or with the numbers of another run.
        fsModuleCache: false,
        watch: false,
        reporters: [{}],
        include: [`${folder.replace('src', 'test')}/**/*.test.ts`],
        // Tests of random cases are left out: they are slow, and kill a mutant by chance.
        exclude: ['**/*-race.test.ts', '**/plan-index.test.ts', '**/decisions-over-days.test.ts'],
        globalSetup: [join(root, 'test/support/programs.ts')],
        runner: join(import.meta.dirname, 'mutant-runner.ts'),
        testTimeout: kind === 'kill' ? timeoutMs : 600_000,
        hookTimeout: 120_000,
        maxWorkers: kind === 'kill' ? 4 : 2,
        dangerouslyIgnoreUnhandledErrors: true,
      },
      { plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => code.get(id.split('?')[0] ?? id) }] },
    );
    const failed = vitest.state.getFailedFilepaths();
    await vitest.close();
    if (kind === 'reach' && failed.length > 0)
      throw new Error(`tests fail without a mutant: ${failed.map((path) => relative(root, path)).join(', ')}`);
  };
  await run('reach');
  const nearest = nearestTests(
    linesOf(files.reach(runFolder)).map((line) => JSON.parse(line) as Reach),
    tried,
  );
  let from = 0;
  for (const count of rounds) {
    const killed = killedIn(runFolder);
    const round = roundOf(nearest, { from, to: from + count }, killed);
    process.stderr.write(
      `${folder}: ${changes.length} mutants, ${killed.size} killed; next: ${count} tests for each\n`,
    );
    writeFileSync(files.round(runFolder), JSON.stringify(round));
    await run('kill');
    from += count;
  }
  return statesOf(changes, runFolder);
}

const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);
const killedIn = (runFolder: string) => new Set(linesOf(files.killed(runFolder)).map((line) => line.split('\t')[0]));

interface Try {
  readonly test: string;
  readonly steps: number;
  /** Lower for a test that is quick and reaches little else: it is nearer to the mutant. */
  readonly cost: number;
}

/** The tests that reach each mutant, nearest first, without the slow ones. */
function nearestTests(reaches: readonly Reach[], tried: ReadonlySet<string>): ReadonlyMap<string, readonly Try[]> {
  const tries = new Map<string, Try[]>();
  for (const { test, ms, steps, ids } of reaches) {
    if (ms > slowMs) continue;
    const cost = (ms + 5) * ids.length;
    for (const id of ids) {
      if (!tried.has(id)) continue;
      const known = tries.get(id) ?? [];
      known.push({ test, steps, cost });
      tries.set(id, known);
    }
  }
  for (const known of tries.values()) known.sort((a, b) => a.cost - b.cost);
  return tries;
}

function roundOf(
  nearest: ReadonlyMap<string, readonly Try[]>,
  { from, to }: { readonly from: number; readonly to: number },
  killed: ReadonlySet<string | undefined>,
): Round {
  const round = new Map<string, { readonly steps: number; readonly ids: string[] }>();
  for (const [id, tries] of nearest) {
    if (killed.has(id)) continue;
    for (const { test, steps } of tries.slice(from, to)) {
      const queue = round.get(test) ?? { steps, ids: [] };
      queue.ids.push(id);
      round.set(test, queue);
    }
  }
  return Object.fromEntries(round);
}

function statesOf(changes: readonly CodeChange[], runFolder: string): Mutant[] {
  const reached = new Set(linesOf(files.reach(runFolder)).flatMap((line) => (JSON.parse(line) as Reach).ids));
  const killed = killedIn(runFolder);
  const loaded = new Set(linesOf(files.static(runFolder)));
  const notRepeatable = linesOf(files.once(runFolder));
  if (notRepeatable.length > 0)
    process.stderr.write(`These tests cannot be repeated and killed nothing:\n${notRepeatable.join('\n')}\n`);
  const statusOf = (id: string): string => {
    if (killed.has(id)) return 'Killed';
    if (reached.has(id)) return 'Survived';
    // Code that runs only when a module is loaded: a test would have to load it once more.
    return loaded.has(id) ? 'Ignored' : 'NoCoverage';
  };
  return changes.map(({ id, file, line, code, change }) => ({
    file: relative(root, file),
    line,
    code,
    change,
    status: statusOf(id),
  }));
}

const asked = positionals.length === 0 ? folders : positionals.map(nameOf);
const mutants: Mutant[] = [];
for (const folder of folders) {
  const names = asked.filter((name) => isIn(folder, name));
  if (names.length > 0) mutants.push(...(await mutantsOf(folder, names)));
}
const accepted = JSON.parse(readFileSync(acceptedFile, 'utf8')) as readonly Accepted[];
const judged = judgeSurvivors(mutants, accepted);
const isPart = sample > 1 || values.tests.length > 0;
const judgement = isPart ? { ...judged, stale: [] } : judged;
process.stdout.write(renderJudgement(judgement));
const isGood = judgement.total.percent >= leastPercent && judgement.stale.length === 0;
if (!isGood)
  process.stderr.write(
    `The score must be at least ${leastPercent} %, and every accepted survivor must still survive.\n`,
  );
process.exit(isGood ? 0 : 1);
