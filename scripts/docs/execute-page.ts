import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idsOf, withoutChanges } from './changing-words.ts';
import { type PageBlock, pageBlocks, withContents } from './page-blocks.ts';
import { openPageShell, type PageShell, type Printed } from './page-shell.ts';

const tutorialPath = join(import.meta.dirname, '../../docs/tutorial.md');

/**
 * Runs every `sh` block of a page, in order, in an empty folder with a real shell and the real program, and returns the page
 * with the outputs that came. Where only ids and times differ, the page keeps what it has.
 *
 * A `text` block right after an `sh` block is its output. Comments before a block say how it runs:
 * `<!-- run: skip -->`, `<!-- run: exits 3 -->`, `<!-- run: background until=TEXT -->`; `<!-- run: hidden … -->` holds
 * commands that readers do not see, and
 * `<!-- run: world -->` begins where the tutorial has written its files.
 */
export async function executePage(page: string): Promise<string> {
  const blocks = pageBlocks(page);
  const shell = await openPageShell();
  const ids = new Map<string, string>();
  const contents = new Map<PageBlock, string>();
  try {
    for (const [index, block] of blocks.entries()) {
      if (block.lang === 'world') await openWorld(shell);
      if (!['sh', 'hidden'].includes(block.lang) || block.directive === 'skip') continue;
      const printed = await perform(block, exchangeIds(block.text, ids), shell);
      const shown = blocks[index + 1];
      if (shown?.lang !== 'text' || !isRightAfter(page, block, shown)) continue;
      const output = printed.stdout.trimEnd();
      if (withoutChanges(shown.text) !== withoutChanges(output)) contents.set(shown, output);
      const actual = idsOf(output);
      for (const [place, id] of idsOf(shown.text).entries()) ids.set(id, actual[place] ?? id);
    }
  } finally {
    await shell.close();
  }
  if (contents.size === 0) return page;
  // A page that changes gets the ids of one run everywhere.
  for (const block of blocks) if (!contents.has(block)) contents.set(block, exchangeIds(block.text, ids));
  return withContents(page, contents);
}

/** Does what the tutorial does before its first check: a platform, a file of ten people and a configuration. */
async function openWorld(shell: PageShell): Promise<void> {
  const tutorial = await readFile(tutorialPath, 'utf8');
  const before = pageBlocks(tutorial.slice(0, tutorial.indexOf('\n## Check\n')));
  for (const block of before) {
    if (block.lang === 'sh' && block.directive !== 'skip') await perform(block, block.text, shell);
  }
}

async function perform(block: PageBlock, commands: string, shell: PageShell): Promise<Printed> {
  const until = /^background until=(.*)$/.exec(block.directive)?.[1];
  if (until !== undefined) return shell.start(commands, until);
  const printed = await shell.run(commands);
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
