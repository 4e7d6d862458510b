import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean, cleanLine, quote } from '../../src/cli/terminal.ts';
import { shellWord } from '../../src/core/run/formats.ts';

// Everything that is unsafe lies below U+2070.
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0x2070 }).map((code) => String.fromCodePoint(code)) });

test.each([
  ['\u001b[2J\u001b[31mred', '\\u001b[2J\\u001b[31mred'],
  ['a\u009bb\u0007', 'a\\u009bb\\u0007'],
  ['left\u202eright', 'left\\u202eright'],
  ['Zoë Müller, 王', 'Zoë Müller, 王'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
])('%j is shown as %j', (text, shown) => {
  expect(clean(text)).toBe(shown);
});

test('a line stays one line', () => {
  expect(cleanLine('two\n  lines\r\n\tand more')).toBe('two lines\\u000d and more');
});

test('a quoted value shows the blanks at its ends and reads back as it was', () => {
  expect(quote(' Sales ')).toBe('" Sales "');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(JSON.parse(quote(text))).toBe(text);
    }),
  );
});

test('nothing that a terminal acts on gets through', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(clean(text) + quote(text)).not.toMatch(/(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
});

test.each([
  ['other/rollcall.yaml', 'other/rollcall.yaml'],
  ["it's here.yaml", "'it'\\''s here.yaml'"],
  ['', "''"],
])('the file name %j is typed as %s', (word, typed) => {
  expect(shellWord(word)).toBe(typed);
});
