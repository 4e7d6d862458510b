import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/platform/client/errors.ts';

describe('a text for sealed storage', () => {
  it('loses our secrets in every form, and anything like a token', () => {
    const token = 'ey0123456789.abc.def';
    const text = `the token a/b c is a%2Fb%20c, see ${token} and Bearer x`;
    expect(withoutSecrets(text, ['a/b c'])).toBe('the token … is …, see … and …');
  });

  it('is cut, and has no control characters', () => {
    expect(withoutSecrets('x '.repeat(9000), [])?.length).toBeLessThanOrEqual(4000);
    expect(withoutSecrets('a\u0000\nb', [])).toBe('a b');
    expect(withoutSecrets(' \n', [])).toBeUndefined();
  });

  it('can hide any secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string({ unit: 'binary' })), (text, values) => {
        expect(() => withoutSecrets(text, values)).not.toThrow();
      }),
    );
  });
});
