import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lintText } from '../../scripts/prose/lint-prose.ts';
import { countWords } from '../../scripts/prose/rules.ts';

const told = async (path: string, text: string) =>
  (await lintText(path, text)).map(({ line, rule }) => `${line} ${rule}`);

it('the glossary has at most twelve words', () => {
  const glossary = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8');
  const words = glossary.match(/^\*\*.+?\*\*/gm) ?? [];
  expect(words.length).toBeGreaterThan(5);
  expect(words.length).toBeLessThanOrEqual(12);
});

describe('the prose linter', () => {
  it.each([
    ['a private word', '# A\n\nThe run waits for whoever is asked.', ['3 private-word']],
    ['an inverted sentence', 'It is done. Of nobody there is a record.', ['1 inverted-opener', '1 private-word']],
    ['a sentence of more than 25 words', `${'word '.repeat(26)}.`, ['1 long-sentence']],
    ['a table cell of more than 20 words', `| a |\n| --- |\n| ${'word '.repeat(21)}|`, ['3 long-cell']],
    ['a contraction', "The run doesn't start.", ['1 contraction']],
    ['a British spelling', 'The colours of the page.', ['1 spelling']],
  ])('finds %s in a page', async (_, text, offences) => {
    expect(await told('docs/a.md', text)).toEqual(offences);
  });

  it('accepts code, short sentences, and a list that is long as a whole', async () => {
    const text = `Run \`whoever ${'word '.repeat(40)}\`.\n\n- ${'word '.repeat(20)}.\n- ${'word '.repeat(20)}.\n`;
    expect(await told('docs/a.md', text)).toEqual([]);
  });

  it('reads comments of every source, and strings where operators read them', async () => {
    const source = "/**\n * Of nobody there is a record.\n */\nconst a = 'nobody knows it yet'; // whoever it is\n";
    expect(await told('src/cli/a.ts', source)).toEqual([
      '2 inverted-opener',
      '2 private-word',
      '4 private-word',
      '4 private-word',
    ]);
    expect(await told('src/core/a.ts', source)).toEqual(await told('src/cli/a.ts', source));
    expect(await told('src/ports/a.ts', source)).toEqual(['2 inverted-opener', '2 private-word', '4 private-word']);
  });

  it.each([
    'the run continues by itself when the network works',
    'the sync is configured no more, so the run ends',
    'the next run plans the change anew after this',
    'the platform seems ill, so nothing was sent',
    'the operator is told about the failed run',
    'a file of another system is in the way',
    'a run goes on after the store answers',
    'the store is away, and all work waits',
    'row 3 has no key: nothing is done to the person',
    'if it lasts, ask the operators of the platform',
    'the standing of the employee is active',
    'these are first-sight writes of a field',
    'the wave is read back after the files',
    'the dates of the column are in doubt',
    'all batches of the run are settled now',
    'the run is proving what the files did',
  ])('finds the private phrase of the message "%s"', async (message) => {
    expect(await told('src/run/a.ts', `const a = '${message}';\n`)).toEqual(['1 private-word']);
  });

  it.each([
    'the run was canceled: 3 changes not sent',
    'cancelled: 3 changes not sent to the platform',
    'two identifications that look alike are in conflict',
    'no more than 5 people are changed in a day',
  ])('accepts the message "%s"', async (message) => {
    expect(await told('src/run/a.ts', `const a = '${message}';\n`)).toEqual([]);
  });

  it('lets comments and the page about the architecture use names of the code that messages and other pages do not', async () => {
    const text = 'A wave is settled by its proof.';
    expect(await told('src/run/a.ts', `/** ${text} */\n`)).toEqual([]);
    expect(await told('docs/architecture.md', text)).toEqual([]);
    expect(await told('docs/operations.md', text)).toEqual(['1 private-word', '1 private-word']);
  });

  it('asks for American spelling in messages', async () => {
    expect(await told('src/cli/a.ts', "const a = 'the run was cancelled by ana';\n")).toEqual(['1 spelling']);
  });

  it('reads the comments and summaries of the chart', async () => {
    expect(await told('helm/rollcall/values.yaml', '# nobody reads it\nnobody: true\n')).toEqual(['1 private-word']);
  });
});

/** Texts of findings in a source file, each value that they name as one word. */
function findingTexts(source: string): readonly string[] {
  const value = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/g;
  return [
    ...source.matchAll(
      /\bmessage(?::| =)\s+(?:[^;,'`]*\?\s*)?(?:'([^']*)'|`((?:[^`$]|\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\})*)`)/g,
    ),
  ].map(
    ([, text, template]) => text ?? (template ?? '').replace(/"rollcall [^"]*"/g, 'COMMAND').replace(value, 'VALUE'),
  );
}

it('a finding has at most 25 words, where each value and command is one', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const files = globSync(['src/run/**/*.ts', 'src/core/{plan,guard,run}/*.ts'], { cwd: root });
  const texts = files.flatMap((file) =>
    findingTexts(readFileSync(`${root}${file}`, 'utf8')).map((text) => ({ file, text })),
  );
  expect(texts.length).toBeGreaterThan(50);
  expect(texts.filter(({ text }) => countWords(text) > 25)).toEqual([]);
});
