import { CommanderError } from 'commander';
import { describe, expect, it, test } from 'vitest';
import { proseOf } from '../../scripts/docs/headings.ts';
import { pageBlocks } from '../../scripts/docs/page-blocks.ts';
import { operationRows } from '../../src/cli/commands/api.ts';
import { createProgram } from '../../src/cli/run-cli.ts';
import { listApiOperations } from '../../src/platform/table/parameters.ts';
import { readDocPages } from './doc-pages.ts';

const pages = await readDocPages();
const apiRows = operationRows(listApiOperations());

/** Splits like a shell, as far as our pages need it: quotes, and an end at `|`, `>`, `#`, `;`, `&` and brackets. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  for (const [, double, single, plain = ''] of line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/g)) {
    const word = double ?? single ?? plain;
    if (double === undefined && single === undefined && /^([|>#;&)]|\d?>)/.test(word)) break;
    words.push(word.replace(/[;)]+$/, ''));
  }
  return words;
}

/** Reads a command line as the program does, without running it. Returns what is wrong with it. */
async function problemOf(line: string, isWhole: boolean): Promise<string | undefined> {
  const quiet = { writeOut: () => {}, writeErr: () => {} };
  const host = { apiRows, action: () => () => Promise.resolve() };
  try {
    await createProgram(host, { version: '0', output: quiet }).parseAsync(wordsOf(line), { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A page may speak of a command without its arguments, and write N for a number or COMMAND for a command.
    const allowed = isWhole ? ['commander.help'] : ['commander.help', 'commander.missingArgument'];
    if (error.exitCode === 0 || allowed.includes(error.code)) return undefined;
    const mayBeName = ['commander.invalidArgument', 'commander.unknownCommand'].includes(error.code);
    return mayBeName && /'[A-Z]+'/.test(error.message) ? undefined : error.message;
  }
}

function blockLines(text: string): readonly string[] {
  return pageBlocks(text)
    .filter(({ lang }) => lang === 'sh')
    .flatMap(({ text: lines }) => lines.replaceAll('\\\n', ' ').split('\n'))
    .flatMap((line) => /(?:^|-- |&& |\| |\.tgz )rollcall ([a-z-].*)$/.exec(line)?.[1] ?? []);
}

/** Commands in backquotes. Those with `…`, brackets or alternatives are patterns, not commands. */
function inlineLines(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/`rollcall ([a-z-][^`]*)`/g)]
    .map(([, line = '']) => line.replace(/\s+/g, ' '))
    .filter((line) => !/[…[\]|\\]/.test(line));
}

async function problemsOf(lines: (text: string) => readonly string[], isWhole: boolean): Promise<readonly string[]> {
  const found = pages
    .filter(({ path }) => !path.startsWith('docs/decisions/'))
    .flatMap(({ path, text }) =>
      lines(text).map(async (line) => ({ path, line, problem: await problemOf(line, isWhole) })),
    );
  return (await Promise.all(found)).flatMap(({ path, line, problem }) =>
    problem === undefined ? [] : [`${path}: rollcall ${line}: ${problem}`],
  );
}

describe('the program understands', () => {
  it('every command in a block of the documentation', async () => {
    expect(pages.flatMap(({ text }) => blockLines(text)).length).toBeGreaterThan(80);
    expect(await problemsOf(blockLines, true)).toEqual([]);
  });

  it('every command within a sentence of the documentation', async () => {
    expect(pages.flatMap(({ text }) => inlineLines(text)).length).toBeGreaterThan(80);
    expect(await problemsOf(inlineLines, false)).toEqual([]);
  });
});

test('an unknown command, an unknown option and a missing argument are problems', async () => {
  expect(await problemOf('plann people', true)).toContain("unknown command 'plann'");
  expect(await problemOf('plan people --everything', true)).toContain("unknown option '--everything'");
  expect(await problemOf('plan', true)).toContain('missing required argument');
  expect(await problemOf('plan people | head # and more', true)).toBeUndefined();
});
