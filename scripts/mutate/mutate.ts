import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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
const { mutate: all } = JSON.parse(readFileSync(join(root, 'stryker.config.json'), 'utf8')) as { mutate: string[] };

/** Names a folder or file from the root. Throws when it is not below a folder that is mutated at all. */
function nameOf(path: string): string {
  const name = relative(root, resolve(path));
  const folders = all.map((pattern) => pattern.slice(0, pattern.indexOf('/**')));
  if (!existsSync(join(root, name)) || !folders.some((folder) => name === folder || name.startsWith(`${folder}/`)))
    throw new Error(`${path} is not in ${folders.join(', ')}. Usage: ${usage}`);
  return name;
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
const scope = positionals.map(nameOf);
const stryker = new Stryker({
  configFile: join(root, 'stryker.config.json'),
  ...(scope.length === 0 ? {} : { mutate: scope.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.ts`)) }),
  force: values.force ?? false,
});
const results = await stryker.runMutationTest();
const isInScope = ({ file }: Mutant) =>
  scope.length === 0 || scope.some((name) => file === name || file.startsWith(`${name}/`));
const judgement = judgeSurvivors(
  results.map(toMutant).filter(isInScope),
  JSON.parse(readFileSync(acceptedFile, 'utf8')) as readonly Accepted[],
);
process.stdout.write(renderJudgement(judgement));
if (judgement.total.percent < leastPercent || judgement.stale.length > 0) {
  process.stderr.write(
    `The score must be at least ${leastPercent} %, and every accepted survivor must still survive.\n`,
  );
  process.exitCode = 1;
}
