import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { withoutChanges } from '../../scripts/docs/changing-words.ts';
import { executePage } from '../../scripts/docs/execute-page.ts';
import { executedPages } from '../../scripts/docs/executed-pages.ts';
import { pageBlocks } from '../../scripts/docs/page-blocks.ts';
import { slowly } from '../support/slowness.ts';
import { readDocPages } from './doc-pages.ts';

const root = join(import.meta.dirname, '../..');
const pages = await executedPages(root);

test('the tutorial and every how-to guide are pages whose commands are run', () => {
  const guides = globSync('docs/how-to/*.md', { cwd: root }).filter((path) => !path.endsWith('README.md'));
  expect(guides.length).toBeGreaterThan(10);
  expect(pages).toEqual(expect.arrayContaining(['docs/tutorial.md', ...guides]));
});

test('an output of a command stands only on a page whose commands are run', async () => {
  // These are a part of a protocol, a rule of Redis and a tree of spans: no command prints them.
  const others = ['docs/http-api.md', 'docs/operations.md', 'docs/tracing.md'];
  const withTexts = (await readDocPages()).filter(({ text }) =>
    pageBlocks(text).some(({ lang }) => ['', 'text'].includes(lang)),
  );
  expect(withTexts.map(({ path }) => path).filter((path) => !pages.includes(path))).toEqual(others);
});

// Commands wait for the platform and for the rate limit, so several pages take less time together.
describe.concurrent('a reader who follows the page sees what it shows', () => {
  it.each(pages)('%s', { timeout: slowly(300_000) }, async (path) => {
    const page = await readFile(join(root, path), 'utf8');

    const written = await executePage(page);

    expect(written, 'write the outputs with: npm run docs:tutorial').toBe(page);
  });
});

describe('a page whose commands are run', () => {
  const block = (lang: string, text: string) => `\`\`\`${lang}\n${text}\n\`\`\`\n`;

  it('gets the output that came in place of a wrong one', async () => {
    const page = await executePage(`${block('sh', 'echo right')}\n${block('text', 'wrong')}`);

    expect(page).toContain('```text\nright\n```');
  });

  it('keeps its output when only an id and a time differ', async () => {
    const shown = 'run run_01M84D55N8QGGS0JPV1EN3AN97, started 2026-11-23 14:32:28 UTC';
    const now = 'run run_01M84D66E0RSRF8JMR0Q16QZ2H, started 2027-01-01 00:00:00 UTC';
    const page = `${block('sh', `echo "${now}"`)}${block('text', shown)}`;

    expect(await executePage(page)).toBe(page);
  });

  it('gets all outputs anew when its runs started on different days', async () => {
    const line = (day: string) => `run run_01M84D55N8QGGS0JPV1EN3AN97, started ${day} 14:32:28 UTC`;
    const now = block('sh', `echo "${line('2026-11-25')}"`);
    const page = await executePage(
      `${now}${block('text', line('2026-11-23'))}${now}${block('text', line('2026-11-24'))}`,
    );

    expect(page).toBe(`${now}${block('text', line('2026-11-25'))}${now}${block('text', line('2026-11-25'))}`);
  });

  it('uses the ids that came in the commands that follow', async () => {
    const shown = 'run_01M84D55N8QGGS0JPV1EN3AN97';
    const page = `${block('sh', 'echo run_01M84D66E0RSRF8JMR0Q16QZ2H')}${block('text', shown)}${block('sh', `test ${shown} = run_01M84D66E0RSRF8JMR0Q16QZ2H`)}`;

    expect(await executePage(page)).toBe(page);
  });

  it('fails at the line of a command with another exit code than the page says', async () => {
    await expect(executePage(`# Title\n\n${block('sh', 'exit 3')}`)).rejects.toThrow('line 3: exit code 3, not 0');
    await expect(executePage(`<!-- run: exits 3 -->\n${block('sh', 'exit 3')}`)).resolves.toContain('exit 3');
  });

  it('exports variables and changes the folder for the blocks that follow', async () => {
    const first = block('sh', 'mkdir there && cd there\nexport COLOR="light blue"');
    const page = `${first}${block('sh', 'echo "$COLOR in $(basename "$PWD")"')}${block('text', 'light blue in there')}`;

    expect(await executePage(page)).toBe(page);
  });

  it('writes a block into a file, with the address of the sandbox in place of the example', async () => {
    const yaml = `<!-- run: writes a.yaml -->\n${block('yaml', 'baseUrl: https://platform.example.com')}`;
    const page = `${yaml}${block('sh', 'cat a.yaml')}${block('text', 'baseUrl: http://127.0.0.1:8787')}`;

    expect(await executePage(page)).toBe(page);
  });

  it('stops a command that continues, and starts it again', async () => {
    const started = `<!-- run: background until=here -->\n${block('sh', 'node wait.js')}`;
    const program = `cat > wait.js <<'END'\nrequire('fs').appendFileSync('starts', 'x'); console.log('here'); setInterval(() => {}, 9999)\nEND`;
    const again = `<!-- run: stop node wait.js -->\n${started}${block('sh', 'cat starts')}${block('text', 'xx')}`;
    const page = `${block('sh', program)}${started}${again}`;

    expect(await executePage(page)).toBe(page);
    await expect(executePage('<!-- run: stop node wait.js -->\n')).rejects.toThrow('was not started');
  });

  it('only checks the syntax of commands that need a cluster', async () => {
    const page = `<!-- run: parsed -->\n${block('sh', 'kubectl exec deploy/rollcall -- rollcall check')}`;

    expect(await executePage(page)).toBe(page);
    await expect(executePage(`<!-- run: parsed -->\n${block('sh', 'echo "')}`)).rejects.toThrow('exit code 2, not 0');
  });

  it('skips the commands of a program that is not here', async () => {
    const page = `<!-- run: with no-such-program -->\n${block('sh', 'no-such-program')}`;

    expect(await executePage(page)).toBe(page);
  });

  it('finds the program on its path', async () => {
    await expect(executePage(block('sh', 'rollcall no-such-command'))).rejects.toThrow('exit code 2, not 0');
  });
});

test('a count that differs is not a word that changes', () => {
  expect(withoutChanges('3 applied')).not.toBe(withoutChanges('4 applied'));
});
