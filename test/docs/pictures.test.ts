import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { withoutChanges } from '../../scripts/docs/changing-words.ts';
import { drawPictures } from '../../scripts/docs/pictures.ts';
import { drawTerminal } from '../../scripts/docs/terminal-picture.ts';
import { slowly } from '../support/slowness.ts';

const folder = join(import.meta.dirname, '../../docs/pictures');

/** The words of a picture. The demo's people are hired on days that depend on today. */
function wordsOf(svg: string): string {
  const words = svg.replace(/<style>[\s\S]*?<\/style>/, '').replace(/<[^>]*>/g, '');
  return withoutChanges(words).replace(/\d{4}-\d\d-\d\d|\d\d\/\d\d\/\d{4}/g, 'DATE');
}

test('the pictures show what the commands print now', { timeout: slowly(120_000) }, async () => {
  const pictures = await drawPictures();

  expect([...pictures.keys()].sort()).toEqual((await readdir(folder)).sort());
  for (const [name, svg] of pictures) {
    const shown = await readFile(join(folder, name), 'utf8');
    expect(wordsOf(shown), `${name}: draw it with npm run docs:pictures`).toBe(wordsOf(svg));
  }
});

describe('a picture of a terminal', () => {
  const draw = (output: string) => drawTerminal(output, { columns: 20, title: 'rollcall <x>' });

  it('keeps colors and weights, and ends them where the terminal does', () => {
    const svg = draw('a \u001b[1mb\u001b[22m c \u001b[31md\u001b[39m\u001b[0m e');

    expect(svg).toContain('>a <tspan class="bold">b</tspan> c <tspan class="red">d</tspan> e</text>');
  });

  it('has colors for light and for dark', () => {
    expect(draw('a')).toContain('@media (prefers-color-scheme: dark)');
  });

  it('cuts a long line with an ellipsis, and escapes what is not text in XML', () => {
    expect(draw('x'.repeat(30))).toContain(`>${'x'.repeat(19)}…<`);
    expect(draw('a <b> & "c"')).toContain('a &#60;b&#62; &#38; &#34;c&#34;');
    expect(draw('a')).toContain('aria-label="rollcall &#60;x&#62;"');
  });

  it('loads nothing', () => {
    expect(draw('a').replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|@import/);
  });
});
