import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { operationRows } from '../../src/cli/commands/api.ts';
import { createProgram } from '../../src/cli/run-cli.ts';
import { listedCodes } from '../../src/core/run/codes/code-list.ts';
import { fold } from '../../src/core/run/problem-words.ts';
import { listApiOperations } from '../../src/platform/table/parameters.ts';
import { openTestShell } from './test-shell.ts';

const root = new URL('../../', import.meta.url);

describe('every code', () => {
  it('is listed once, whatever its case and separators', () => {
    const names = listedCodes.map(({ code }) => fold(code));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has a cause, a cure and a page that exists, with the heading that its link names', async () => {
    for (const { code, meaning, cause, cure, page } of listedCodes) {
      expect(`${meaning}${cause}`, code).toMatch(/\.$/);
      expect(cure.length, code).toBeGreaterThan(0);
      const [path = '', anchor] = page.split('#');
      expect(existsSync(new URL(`docs/${path}`, root)), `${code}: docs/${path}`).toBe(true);
      if (anchor === undefined) continue;
      const text = await readFile(new URL(`docs/${path}`, root), 'utf8');
      const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => slug(title));
      expect(anchors, `${code}: ${page}`).toContain(anchor);
    }
  });

  it('names only commands and options that exist', () => {
    const host = { apiRows: operationRows(listApiOperations()), action: () => () => Promise.resolve() };
    const program = createProgram(host, { version: '0', output: {} });
    for (const { code, cause, cure } of listedCodes) {
      for (const text of [cause, ...cure]) {
        for (const [, line = ''] of text.matchAll(/`rollcall ([^`]+)`/g)) {
          expect(unknownWords(program, line.split(' ')), `${code}: rollcall ${line}`).toEqual([]);
        }
      }
    }
  });
});

describe('rollcall explain', () => {
  it('shows the meaning, the cause and the commands of a code, also by the name of a rule of Prometheus', async () => {
    const shell = await openTestShell();
    const { code, stdout } = await shell.run(['explain', 'reauth_required']);
    expect(code).toBe(0);
    expect(stdout).toContain('REAUTH_REQUIRED (error)\n  The platform no longer accepts the refresh token');
    expect(stdout).toContain('  - Run "rollcall token refresh CONNECTION": it presents the token once more.');
    expect(stdout).toContain('more: docs/codes.md#reauth_required, docs/tokens.md');
    expect((await shell.run(['explain', 'RollcallHeld'])).stdout).toContain('changes-held (alert)');
  });

  it('lists every code without one', async () => {
    const shell = await openTestShell();
    const { code, stdout } = await shell.run(['explain']);
    expect(code).toBe(0);
    for (const listed of listedCodes) expect(stdout).toContain(`  ${listed.code} `);
  });

  it('prints one JSON object with --json', async () => {
    const shell = await openTestShell();
    const one = (await shell.run(['explain', 'row-rejected', '--json'])).json();
    expect(one).toMatchObject({ code: 'row-rejected', kind: 'finding', docs: 'docs/codes.md#row-rejected' });
    const all = (await shell.run(['explain', '--json'])).json<{ readonly codes: readonly unknown[] }>();
    expect(all.codes).toHaveLength(listedCodes.length);
  });

  it('names the nearest code for an unknown one, and exits with 2', async () => {
    const shell = await openTestShell();
    const { code, stderr } = await shell.run(['explain', 'row-rejectd']);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: row-rejectd is not a code of Rollcall; did you mean row-rejected? Run "rollcall explain" to list all codes\n',
    );
    expect((await shell.run(['explain', 'nonsense'])).stderr).toContain(
      'is not a code of Rollcall. Run "rollcall explain"',
    );
  });
});

/** Returns the words that are neither a command, an option of it, nor a placeholder of one of its arguments. */
function unknownWords(command: Command, words: readonly string[]): readonly string[] {
  const [word, ...rest] = words;
  if (word === undefined) return [];
  const child = command.commands.find((one) => one.name() === word);
  if (child !== undefined) return unknownWords(child, rest);
  const names = command.options.map(({ long }) => long);
  const isKnown = word.startsWith('--') ? names.includes(word) || word === '--help' : command.parent !== null;
  const isWord = /^[A-Z]+$/.test(word) || ['worker', 'scheduler'].includes(word);
  const isArgument = command.registeredArguments.length > 0 || command.options.some(({ required }) => required);
  return [
    ...(isKnown && (word.startsWith('--') || (isWord && isArgument)) ? [] : [word]),
    ...unknownWords(command, rest),
  ];
}

/** The anchor that GitHub gives a heading. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
