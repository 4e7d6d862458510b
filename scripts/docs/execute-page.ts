import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findHelm } from '../../test/helm/helm-tool.ts';
import { findProgram } from '../../test/support/services/programs.ts';
import { hasTimesOfOneExecution, idsOf, withoutChanges } from './changing-words.ts';
import { type PageBlock, pageBlocks, withContents } from './page-blocks.ts';
import { startPagePostgres } from './page-postgres.ts';
import { openPageShell, type PageShell, type Printed } from './page-shell.ts';

const tutorialPath = join(import.meta.dirname, '../../docs/tutorial.md');

/**
 * Runs every `sh` block of a page, in order, in an empty folder with a real shell and the program (page-program.ts), and returns the page
 * with the outputs that came. Where only ids and times differ, the page keeps what it has. Otherwise all outputs of the page are
 * replaced, so that its ids and times are those of one execution.
 *
 * A `text` block right after an `sh` block is its output. A comment before a block says how it runs:
 *
 * - `<!-- run: skip -->` and `<!-- run: exits 3 -->`
 * - `<!-- run: background until=TEXT -->`: the command continues until the page ends, or until `<!-- run: stop COMMAND -->`
 * - `<!-- run: parsed -->`: only the syntax is checked, for commands that need a cluster
 * - `<!-- run: with PROGRAM -->`: skipped where this program is missing, such as helm or curl
 * - `<!-- run: writes FILE -->`: the content of the block, of any language, becomes the file
 *
 * `<!-- run: hidden … -->` holds commands that readers do not see, after one of these words if needed.
 * `<!-- run: world -->` begins where the tutorial has written its files. It may have further arguments of the sandbox.
 * `<!-- run: postgres -->` says that the page needs a real PostgreSQL: it stands behind `db.example.com/rollcall`.
 */
export async function executePage(page: string): Promise<string> {
  const blocks = pageBlocks(page);
  const programs = await findPrograms(blocks);
  const needsPostgres = blocks.some(({ lang }) => lang === 'postgres');
  const postgres = needsPostgres ? await startPagePostgres() : undefined;
  if (needsPostgres && postgres === undefined) {
    process.stderr.write('a page is skipped: the programs of PostgreSQL are missing\n');
    return page;
  }
  const shell = await openPageShell({ programs, ...(postgres === undefined ? {} : { postgres }) });
  const ids = new Map<string, string>();
  const contents = new Map<PageBlock, string>();
  let isSame = hasTimesOfOneExecution(page);
  try {
    for (const [index, block] of blocks.entries()) {
      if (block.lang === 'world') await openWorld(shell, block.text);
      if (block.lang === 'stop') await shell.stop(block.text);
      const file = /^writes (\S+)$/.exec(block.directive)?.[1];
      if (file !== undefined) await shell.write(file, block.text);
      if (!['sh', 'hidden'].includes(block.lang) || block.directive === 'skip') continue;
      const program = programOf(block);
      if (program !== undefined && programs[program] === undefined) continue;
      const printed = await perform(block, exchangeIds(block.text, ids), shell);
      const shown = blocks[index + 1];
      if (shown?.lang !== 'text' || !isRightAfter(page, block, shown)) continue;
      const output = printed.stdout.trimEnd();
      contents.set(shown, output);
      if (withoutChanges(shown.text) !== withoutChanges(output)) isSame = false;
      const actual = idsOf(output);
      for (const [place, id] of idsOf(shown.text).entries()) ids.set(id, actual[place] ?? id);
    }
  } finally {
    await shell.close();
    await postgres?.close();
  }
  if (isSame) return page;
  // Commands name the ids of the outputs.
  for (const block of blocks) if (!contents.has(block)) contents.set(block, exchangeIds(block.text, ids));
  return withContents(page, contents);
}

/** Does what the tutorial does before its first check: a platform, a file of ten people and a configuration. */
async function openWorld(shell: PageShell, sandboxArguments: string): Promise<void> {
  const tutorial = await readFile(tutorialPath, 'utf8');
  const before = pageBlocks(tutorial.slice(0, tutorial.indexOf('\n## Check\n')));
  for (const block of before) {
    if (block.lang !== 'sh' || block.directive === 'skip') continue;
    const further = block.text.startsWith('rollcall sandbox ') ? ` ${sandboxArguments}` : '';
    await perform(block, block.text + further, shell);
  }
}

/** Returns the program without which a block is skipped. */
function programOf(block: PageBlock): string | undefined {
  return /^with (\S+)$/.exec(block.directive)?.[1];
}

/** Returns the paths of the programs that blocks may lack, as far as they are here. */
async function findPrograms(blocks: readonly PageBlock[]): Promise<Readonly<Record<string, string>>> {
  const names = [...new Set(blocks.flatMap((block) => programOf(block) ?? []))];
  const found = await Promise.all(
    names.map(async (name) => [name, await (name === 'helm' ? findHelm() : findProgram(name))] as const),
  );
  return Object.fromEntries(found.flatMap(([name, path]) => (path === undefined ? [] : [[name, path]])));
}

async function perform(block: PageBlock, commands: string, shell: PageShell): Promise<Printed> {
  const until = /^background until=(.*)$/.exec(block.directive)?.[1];
  if (until !== undefined) return shell.start(commands, until);
  const printed = await shell.run(block.directive === 'parsed' ? `sh -n <<'PARSED'\n${commands}\nPARSED` : commands);
  const expected = Number(/^exits (\d+)$/.exec(block.directive)?.[1] ?? 0);
  if (printed.code === expected) return printed;
  throw new Error(
    `line ${block.start}: exit code ${printed.code}, not ${expected}\n${commands}\n${printed.stdout}${printed.stderr}`,
  );
}

function exchangeIds(commands: string, ids: ReadonlyMap<string, string>): string {
  return [...ids].reduce((text, [ours, actual]) => text.replaceAll(ours, actual), commands);
}

/** Whether nothing but one line, such as "Output:", stands between a block and what it prints. */
function isRightAfter(page: string, block: PageBlock, shown: PageBlock): boolean {
  const between = page.split('\n').slice(block.end + 1, shown.start - 1);
  return between.filter((line) => line.trim() !== '').length <= 1;
}
