import { expect, it } from 'vitest';
import { isAboutIdentity } from '../../src/core/run/finding.ts';

it.each([
  ['duplicate-key', true],
  ['case-conflict', true],
  ['email-conflict', true],
  ['rename-conflict', true],
  ['row-rejected', false],
  ['owned-by-other-sync', false],
] as const)('%s: does only a full read tell who is who? %s', (code, isIdentity) => {
  expect(isAboutIdentity({ code, message: 'what' })).toBe(isIdentity);
});
