import { expect, test } from 'vitest';
import { makeSecret, maskSecrets } from '../../src/config/secret.ts';

test('a secret gives its value to who asks for it, and to nobody else', () => {
  const secret = makeSecret('open-sesame');

  expect(secret.reveal()).toBe('open-sesame');
  expect(`${secret} ${JSON.stringify({ secret })}`).toBe('[secret] {"secret":"[secret]"}');
});

test('the longest secret is masked first, so that no end of it stays', () => {
  expect(maskSecrets('a tokenlong b token c', ['token', 'tokenlong'])).toBe('a [secret] b [secret] c');
  expect(maskSecrets('a b', ['', 'a'])).toBe('a b');
});
