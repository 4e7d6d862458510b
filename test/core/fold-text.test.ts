import { expect, it } from 'vitest';
import { foldText } from '../../src/core/person/text.ts';

it.each([
  ['Ana DIAZ', 'ana diaz'],
  ['Ana DÍAZ', 'ana diaz'],
  ['Özgür Şahin', 'ozgur sahin'],
  ['ﬁn', 'fin'],
  ['E\u0301mile', 'emile'],
  ['ÉÈÊ', 'eee'],
  ['A\u007f', 'a\u007f'],
  ['Łukasz', 'łukasz'],
  ['', ''],
])('searches find %j as %j', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});
