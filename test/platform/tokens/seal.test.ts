import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSeal, openSeals } from '../../../src/platform/tokens/seal.ts';

const key = Buffer.alloc(32, 1).toString('base64');
const otherKey = Buffer.alloc(32, 2).toString('base64');

describe('openSeal', () => {
  it('opens what it sealed, whatever the text and context', () => {
    const seal = openSeal(key);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (secret, context) => {
        const text = secret.toWellFormed();
        expect(seal.open(seal.seal(text, context), context)).toBe(text);
      }),
    );
  });

  it('never makes the same text of the same secret, and shows nothing of it', () => {
    const seal = openSeal(key);
    const [one, two] = [seal.seal('refresh-secret', 'a'), seal.seal('refresh-secret', 'a')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('refresh-secret');
  });

  it('does not open for another context, with another key, or what was changed', () => {
    const seal = openSeal(key);
    const sealed = seal.seal('secret', '["acme",3]');
    expect(seal.open(sealed, '["acme",4]')).toBeUndefined();
    expect(openSeal(otherKey).open(sealed, '["acme",3]')).toBeUndefined();
    const [version, id, body = ''] = sealed.split('.');
    expect(seal.open(`v2.${id}.${body}`, '["acme",3]')).toBeUndefined();
    const bytes = Buffer.from(body, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed[i] ?? 0) ^ 1, i);
      expect(seal.open(`${version}.${id}.${changed.toString('base64url')}`, '["acme",3]')).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(seal.open(`${version}.${id}.${cut}`, '["acme",3]')).toBeUndefined();
    }
  });

  it('takes an empty secret, and a key with blanks around it', () => {
    const seal = openSeal(` ${key}\n`);
    expect(seal.open(openSeal(key).seal('', 'c'), 'c')).toBe('');
  });

  it.each([
    ['', 'not base64'],
    ['not base64!', 'not base64'],
    [` ü${key}`, 'not base64'],
    [Buffer.alloc(16).toString('base64'), '16 bytes'],
    [Buffer.alloc(33).toString('base64'), '33 bytes'],
  ])('refuses the key %j: it is %s', (text, what) => {
    expect(() => openSeal(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => openSeal(text)).toThrow(what);
    if (text !== '') expect(() => openSeal(text)).not.toThrow(text);
  });
});

it('tokens are sealed with the current key, and opened with former ones too', () => {
  const reveal = (text: string) => ({ reveal: () => text });
  const { all, tokens } = openSeals({ encryptionKey: reveal(key), formerEncryptionKeys: [reveal(otherKey)] });
  expect(all.map(({ keyId }) => keyId)).toEqual([openSeal(key).keyId, openSeal(otherKey).keyId]);
  expect(tokens?.open(openSeal(otherKey).seal('old', 'c'), 'c')).toBe('old');
  expect(openSeal(key).open(tokens?.seal('new', 'c') ?? '', 'c')).toBe('new');
  expect(openSeals({ formerEncryptionKeys: [] })).toEqual({ all: [], tokens: undefined });
});
