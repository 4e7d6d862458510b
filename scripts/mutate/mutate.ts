import { existsSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type Accepted, judgeSurvivors, type Mutant, renderJudgement } from './survivors.ts';

/** Less than this score, in percent, fails. */
const leastPercent = 90;
/** A change longer than this is cut: whole blocks are replaced too. */
const changeLength = 120;
const usage = 'npm run mutate [-- FOLDER_OR_FILE…] [--force]\n';

const root = join(import.meta.dirname, '../..');
const acceptedFile = join(root, 'test/mutation/accepted.json');
/** What is mutated, each with the tests of the same name: `test/core` for `src/core`. */
const folders = ['src/core', 'src/engine', 'src/delivery', 'src/platform/tokens'];

/** Names a folder or file from the root. Throws when it is not in a folder that is mutated. */
function nameOf(path: string): string {
  const name = relative(root, resolve(path));
  if (!existsSync(join(root, name)) || !folders.some((folder) => isIn(folder, name)))
    throw new Error(`${path} is not in ${folders.join(', ')}. Usage: ${usage}`);
  return name;
}

const isIn = (folder: string, name: string): boolean => name === folder || name.startsWith(`${folder}/`);

/** Runs the tests of one folder against the mutants of what was asked for in it. */
async function mutantsOf(folder: string, names: readonly string[], force: boolean): Promise<Mutant[]> {
  const results = await new Stryker({
    configFile: join(root, 'stryker.config.json'),
    mutate: names.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.ts`)),
    // Tests of random cases are left out: they are slow, and kill a mutant by chance.
    testFiles: [`${folder.replace('src', 'test')}/**/!(*-race|plan-index).test.ts`],
    incrementalFile: `.mutation/${basename(folder)}.json`,
    force,
  }).runMutationTest();
  // An incremental run tells what it remembers of other files too.
  return results.map(toMutant).filter(({ file }) => names.some((name) => isIn(name, file)));
}

type StrykerMutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/** Static mutants do not count, and an incremental run does not mark those that it only remembers. */
function toMutant({ fileName, location, replacement, status, static: isStatic }: StrykerMutant): Mutant {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const { start, end } = location;
  const taken = lines.slice(start.line - 1, end.line);
  taken[taken.length - 1] = taken.at(-1)?.slice(0, end.column - 1) ?? '';
  taken[0] = taken[0]?.slice(start.column - 1) ?? '';
  return {
    file: relative(root, fileName),
    line: start.line,
    code: lines[start.line - 1]?.trim() ?? '',
    change: `${oneLine(taken.join('\n'))} → ${oneLine(replacement)}`,
    status: isStatic ? 'Ignored' : status,
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= changeLength ? line : `${line.slice(0, changeLength)}…`;
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { force: { type: 'boolean' } } });
const asked = positionals.length === 0 ? folders : positionals.map(nameOf);
const mutants: Mutant[] = [];
for (const folder of folders) {
  const names = asked.filter((name) => isIn(folder, name));
  if (names.length > 0) mutants.push(...(await mutantsOf(folder, names, values.force ?? false)));
}
const accepted = JSON.parse(readFileSync(acceptedFile, 'utf8')) as readonly Accepted[];
const judgement = judgeSurvivors(mutants, accepted);
process.stdout.write(renderJudgement(judgement));
if (judgement.total.percent < leastPercent || judgement.stale.length > 0) {
  process.stderr.write(
    `The score must be at least ${leastPercent} %, and every accepted survivor must still survive.\n`,
  );
  process.exitCode = 1;
}
