import { expect, it } from 'vitest';
import { compileSourcePath, isKnownSourcePath } from '../../src/core/person/source-path.ts';

it.each([
  ['work.email', { work: { email: 'a' } }, 'a'],
  ['work.email', { work: null }, undefined],
  ['work.email', { work: 'text' }, undefined],
  ['work.length', { work: 'text' }, undefined],
  ['work.email', {}, undefined],
  ['work', { work: null }, null],
  ['constructor', {}, undefined],
])('%s of %j is %j', (path, fields, value) => {
  expect(compileSourcePath(path)(fields)).toBe(value);
});

it.each([
  ['email', ['email'], true],
  ['work.email', ['work'], true],
  ['work.email', ['work.email'], true],
  ['work.email', ['email'], false],
  ['work', ['work.email'], false],
  ['email', [], false],
])('%s among %j may hold something: %s', (path, names, isKnown) => {
  expect(isKnownSourcePath(path, names)).toBe(isKnown);
});
